"""Agents that play Nap: `make` gives one by its name; `arena` compares them."""

from nap_env.agent import make, names

__nap_env__ = True  # by this the registry knows that no other distribution's `agents` is in the way
__all__ = ["make", "names"]
