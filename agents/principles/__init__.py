"""What the agent `rules` follows: bids from counted tricks, the play for tricks, the Misere."""
