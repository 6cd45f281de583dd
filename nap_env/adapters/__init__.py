"""How other frameworks find the environments: one file each."""
