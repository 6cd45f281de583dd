"""What is fixed before the first card: the terms of a match, packs that a caller hands in, streams of chance."""
