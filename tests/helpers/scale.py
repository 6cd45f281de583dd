"""Whether kernels are compiled, and how much a test does where they are not."""

import numba
from hypothesis import settings

NOJIT = bool(numba.config.DISABLE_JIT)
"""Whether the kernels run as plain Python (NUMBA_DISABLE_JIT=1); they have no `.py_func` then."""


def scaled(repeats: int) -> int:
    """As many repeats compiled, a hundredth of them (at least one) uncompiled."""
    return max(1, repeats // 100) if NOJIT else repeats


def examples(number: int) -> int:
    """How many examples to try where 100 would be the default; fewer uncompiled, more to explore."""
    return max(3, number * settings.default.max_examples // 100)
