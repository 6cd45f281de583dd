"""From seeds to streams of random numbers, those for training and those for evaluation kept apart.

A stream is named by a 64-bit key. Keys of training streams have their top bit clear and are the seed
itself, keys of evaluation streams have it set: no seed whatever can train on an evaluation deal.
"""

from __future__ import annotations

import hashlib
import operator
import secrets
from typing import Any

MAX_SEED = 2**63 - 1


def training_key(seed: Any) -> int:
    """The key of a training stream; table i of seed s has the key of seed s + i.

    Raises:
        ValueError: not an integer 0 .. 2**63 - 1.
    """
    try:
        if isinstance(seed, bool):
            raise TypeError
        number = operator.index(seed)
    except TypeError:
        raise ValueError(f"a seed must be an integer, not {seed!r}") from None
    if not 0 <= number <= MAX_SEED:
        raise ValueError(f"a seed must be 0 .. 2**63 - 1, not {number}")
    return number


def first_of(seed: Any, number: int) -> int:
    """The seed itself, where ``number`` tables or rows have streams of their own: seed, seed + 1, ...

    Raises:
        ValueError: not an integer, or one whose last row would have no stream.
    """
    first = training_key(seed)
    last = MAX_SEED - (number - 1)
    if first > last:
        raise ValueError(
            f"seed {first} is too large for {number}: row i has the stream of seed + i, so a seed must be 0 .. {last}"
        )
    return first


def evaluation_key(purpose: str, seed: int, number: int) -> int:
    """The key of evaluation deal ``number`` of a seed, a hash of purpose, seed and number."""
    digest = hashlib.blake2b(f"{purpose}\0{seed}\0{number}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") | 1 << 63


def fresh_seed() -> int:
    """A seed from the operating system, for those who give none."""
    return secrets.randbits(62)
