"""How the kernels are compiled, where their machine code is kept, and the bit tricks they share.

Numba's own cache does not notice when a *called* function in another file was edited. So the folder
of the cache is named by a hash of every kernel source: an edit anywhere gives a new folder. A source that
is edited while a process starts may be read in two versions, so such a process keeps nothing.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import types
from numba.extending import intrinsic, overload

F = TypeVar("F", bound=Callable[..., Any])
HERE = Path(__file__).parents[1]
_STARTED = time.time()
DISABLED = bool(numba.config.DISABLE_JIT)


def njit(function: F) -> F:
    """Compile on first call, without the GIL, cached on disk where that is possible."""
    source = Path(function.__code__.co_filename)
    folder = cache_folder(source.parent)
    if folder is None or _edited_lately(source):
        return numba.njit(nogil=True, error_model="numpy")(function)  # type: ignore[no-any-return]
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        return numba.njit(nogil=True, error_model="numpy", cache=True)(function)  # type: ignore[no-any-return]
    finally:
        numba.config.CACHE_DIR = before


@lru_cache
def cache_folder(package: Path = HERE) -> Path | None:
    """The folder of machine code for the kernels of a package; None where nothing can be written.

    Its name is a hash of all kernels in this package and in that one: those may call these.
    """
    base = _writable_base()
    if base is None or any(_edited_lately(file) for file in _kernel_files({HERE, package})):
        return None
    folder = base / _source_hash({HERE, package})
    folder.mkdir(exist_ok=True, mode=0o700)
    return folder


@lru_cache(maxsize=1)
def _writable_base() -> Path | None:
    """Where caches are kept: the first candidate that can be written; one warning if it is not the first."""
    if DISABLED:
        return None
    tried = []
    for base in _candidates():
        try:
            _make_writable(base)
        except OSError as error:
            tried.append(f"{base} ({error.strerror or error})")
            continue
        if tried:
            _warn(f"keeps its compiled code in {base}, since it could not write to {'; '.join(tried)}.")
        return base
    _warn(
        f"cannot keep compiled code: no folder could be written, tried {'; '.join(tried)}. "
        "Every start compiles anew; set NUMBA_CACHE_DIR to a writable folder."
    )
    return None


def announce(kernel: Any) -> bool:
    """Say on stderr, once a process, that the first call of a kernel compiles; whether it does.

    It does not where the cache has it already, and where nothing is compiled at all.
    """
    if DISABLED or kernel in _announced:
        return False
    _announced.add(kernel)
    function = kernel.py_func
    source = Path(function.__code__.co_filename)
    folder = cache_folder(source.parent)
    if folder is not None and next(folder.rglob(f"*.{function.__name__}-*.nbi"), None):
        return False
    print(
        f"nap_env: compiling {source.parent.name}.{source.stem}, once; it may take half a minute, later starts none.",
        file=sys.stderr,
        flush=True,
    )
    return True


_announced: set[Any] = set()


def direct(kernel: Any, *arguments: Any) -> Any:
    """The machine code of a kernel for arguments of just these types, compiled if need be.

    A call of it is quicker, because no argument is looked at: one of another type is read as if it were of this.
    """
    if DISABLED:
        return kernel
    types = tuple(numba.typeof(argument) for argument in arguments)
    kernel.compile(types)
    return kernel.overloads[types].entry_point


def _source_hash(packages: set[Path]) -> str:
    """A hash of every file that compiles, and of what compiles it."""
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__} {sys.version}".encode())
    digest.update(f"boundscheck={numba.config.BOUNDSCHECK}".encode())
    for file in _kernel_files(packages):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _kernel_files(packages: set[Path]) -> list[Path]:
    """The files of these packages that compile something: kernels, or instructions that kernels are made of."""
    files = (file for package in sorted(packages) for file in sorted(package.glob("**/*.py")))
    return [file for file in files if any(word in file.read_bytes() for word in (b"njit", b"@intrinsic"))]


def _edited_lately(file: Path) -> bool:
    """Whether a source was written when this process had begun, or just before."""
    return file.is_file() and file.stat().st_mtime > _STARTED - 3.0


def _candidates() -> list[Path]:
    """NUMBA_CACHE_DIR alone where it is set; else the user's cache folder, then a private temporary one."""
    if numba.config.CACHE_DIR:
        return [Path(numba.config.CACHE_DIR) / "nap_env"]
    base = os.environ.get("XDG_CACHE_HOME") or (
        os.environ.get("LOCALAPPDATA") if os.name == "nt" else os.path.expanduser("~/.cache")
    )
    user = os.getuid() if hasattr(os, "getuid") else "user"
    temporary = Path(tempfile.gettempdir()) / f"nap_env-{user}"
    return [Path(base or temporary) / "nap_env", temporary]


def _make_writable(folder: Path) -> None:
    """Create the folder, ours alone, and prove that a file can be written (root may ignore modes)."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if hasattr(os, "getuid") and folder.stat().st_uid != os.getuid():
        raise PermissionError(13, "belongs to another user")
    with tempfile.TemporaryFile(dir=folder):
        return


def _warn(text: str) -> None:
    warnings.warn(f"nap_env {text}", RuntimeWarning, stacklevel=3)


# A record is a pointer into its array, and compiled code frees an array after its last use: `np.zeros(1, GAME)[0]`
# points to memory that others may write to. Keep the array in a variable and take the record from it inside the loop;
# a test looks for the other way.

# Bit tricks. Each has a plain body for uncompiled runs and one LLVM instruction when compiled.


def lowest(mask: Any) -> int:
    """Index of the lowest set bit; the mask must not be 0."""
    word = int(mask)
    return (word & -word).bit_length() - 1


def highest(mask: Any) -> int:
    """Index of the highest set bit; the mask must not be 0."""
    return int(mask).bit_length() - 1


def count(mask: Any) -> int:
    """Number of set bits."""
    return int(mask).bit_count()


def times(a: Any, b: Any) -> Any:
    """Product modulo 2**64 (uncompiled NumPy scalars would warn of the overflow)."""
    return np.uint64((int(a) * int(b)) & 0xFFFF_FFFF_FFFF_FFFF)


def _unary(build: Callable[[Any, Any], Any]) -> Any:
    @intrinsic  # type: ignore[untyped-decorator]
    def instruction(_context: Any, mask: Any) -> Any:
        def codegen(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return build(builder, arguments[0])

        return types.int64(types.uint64), codegen

    return instruction


_trailing_zeros = _unary(lambda builder, m: builder.cttz(m, numba.core.cgutils.true_bit))
_leading_zeros = _unary(lambda builder, m: builder.ctlz(m, numba.core.cgutils.true_bit))
_population = _unary(lambda builder, m: builder.ctpop(m))


@overload(lowest, strict=False)  # type: ignore[untyped-decorator]
def _lowest(mask: Any) -> Any:
    return lambda mask: _trailing_zeros(np.uint64(mask))


@overload(highest, strict=False)  # type: ignore[untyped-decorator]
def _highest(mask: Any) -> Any:
    return lambda mask: 63 - _leading_zeros(np.uint64(mask))


@overload(count, strict=False)  # type: ignore[untyped-decorator]
def _count(mask: Any) -> Any:
    return lambda mask: _population(np.uint64(mask))


@overload(times, strict=False)  # type: ignore[untyped-decorator]
def _times(a: Any, b: Any) -> Any:
    return lambda a, b: np.uint64(a) * np.uint64(b)


_ONES, _TOPS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)


@njit
def bit(index: Any) -> Any:
    """The 64-bit set that holds one index."""
    return np.uint64(1) << np.uint64(index)


@njit
def drop_lowest(mask: Any) -> Any:
    """The mask without its lowest set bit; the mask must not be 0."""
    return mask & (mask - np.uint64(1))


@njit
def nth(mask: Any, number: Any) -> Any:
    """Index of the set bit with ``number`` set bits below it, which must be there; without a branch.

    Counts of bits up to each byte are found side by side in the bytes of a word, then the byte and the bit in it
    (Vigna, Broadword Implementation of Rank/Select Queries, 2008).
    """
    wanted = times(np.uint64(number), _ONES)
    sums = mask - (mask >> np.uint64(1) & np.uint64(0x5555555555555555))
    sums = (sums & np.uint64(0x3333333333333333)) + (sums >> np.uint64(2) & np.uint64(0x3333333333333333))
    sums = times(sums + (sums >> np.uint64(4)) & np.uint64(0x0F0F0F0F0F0F0F0F), _ONES)
    start = np.uint64(8 * count(((wanted | _TOPS) - sums) & _TOPS))
    rest = np.uint64(number) - ((sums << np.uint64(8)) >> start & np.uint64(255))
    places = times(mask >> start & np.uint64(255), _ONES) & np.uint64(0x8040201008040201)
    sums = times(((places | (_TOPS - _ONES) + places) & _TOPS) >> np.uint64(7), _ONES)
    return int(start) + count(((times(rest, _ONES) | _TOPS) - sums) & _TOPS)
