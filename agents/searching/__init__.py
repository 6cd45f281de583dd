"""What search stands on: worlds that fit, how likely they are, votes over them, a tree, playouts."""
