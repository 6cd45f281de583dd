"""Learning to bid and to play: `ppo` reads from top to bottom."""
