"""Training scripts, and the command `nap`."""
