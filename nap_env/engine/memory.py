"""Memory as the processor has it. The one file that knows where arrays lie; everything else has arrays.

- Addresses: `address` and `array_at` pass arrays to threads that the interpreter does not pass anything to. An
  address is only good while its array is alive and has not been exchanged. So it must not outlive the call that took
  it, or its array must be kept beside it by whoever keeps the address, who alone may exchange it, and not during a
  call. `nap_env.engine.step_threads.StepPool` keeps the arrays of its tables; `Tables` lets one caller in at a time
  (`threads.OneCaller`), exchanges arrays only through it, and a call ends only when no helper works on a piece of it.
- Rows that are lent (`borrowed`) belong to a callee that keeps nothing of them, while its caller holds the array.
- Counters that threads without the GIL share: `load`, `store`, `add` and `lower` are whole steps, seen by all in one
  order.
- Lines that are fetched ahead (`fetch`) are a hint: nothing changes. With bounds checks, nothing here is unchecked.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import carray
from numba.core import types
from numba.extending import intrinsic, overload
from numba.np.arrayobj import populate_array

_ORDER = "seq_cst"
CHECKED = bool(numba.config.BOUNDSCHECK)
BYTE, WORD = ir.IntType(8), ir.IntType(64)
LINE = 64  # bytes that a processor fetches at once


# ---- counters ----------------------------------------------------------------------------------------


def load(counters: Any, at: Any) -> Any:
    """``counters[at]``, of an int64 array, as the last thread left it."""
    return int(counters[at])


def store(counters: Any, at: Any, value: Any) -> None:
    """Write ``counters[at]``; who sees it sees all that this thread wrote before."""
    counters[at] = value


def add(counters: Any, at: Any, value: Any) -> Any:
    """Add to ``counters[at]`` in one step; what it was before."""
    before = int(counters[at])
    counters[at] = before + value
    return before


def lower(counters: Any, at: Any, value: Any) -> None:
    """Write ``counters[at]`` unless it is smaller already."""
    counters[at] = min(int(counters[at]), value)


def place(context: Any, builder: Any, array_type: Any, array: Any, at: Any) -> Any:
    """For an intrinsic: the pointer to the ``at``-th item of a C-contiguous array."""
    return builder.gep(context.make_array(array_type)(context, builder, array).data, [at])


@intrinsic  # type: ignore[untyped-decorator]
def _load(_context: Any, counters: Any, at: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = place(context, builder, signature.args[0], *arguments)
        return builder.load_atomic(pointer, _ORDER, 8, typ=WORD)

    return types.int64(counters, types.int64), codegen


@intrinsic  # type: ignore[untyped-decorator]
def _store(_context: Any, counters: Any, at: Any, value: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, at, value = arguments
        builder.store_atomic(value, place(context, builder, signature.args[0], array, at), _ORDER, 8)
        return context.get_dummy_value()

    return types.void(counters, types.int64, types.int64), codegen


@intrinsic  # type: ignore[untyped-decorator]
def _add(_context: Any, counters: Any, at: Any, value: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, at, value = arguments
        return builder.atomic_rmw("add", place(context, builder, signature.args[0], array, at), value, _ORDER)

    return types.int64(counters, types.int64, types.int64), codegen


@intrinsic  # type: ignore[untyped-decorator]
def _lower(_context: Any, counters: Any, at: Any, value: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, at, value = arguments
        builder.atomic_rmw("min", place(context, builder, signature.args[0], array, at), value, _ORDER)
        return context.get_dummy_value()

    return types.void(counters, types.int64, types.int64), codegen


@overload(load, strict=False)  # type: ignore[untyped-decorator]
def _load_compiled(counters: Any, at: Any) -> Any:
    return lambda counters, at: _load(counters, at)


@overload(store, strict=False)  # type: ignore[untyped-decorator]
def _store_compiled(counters: Any, at: Any, value: Any) -> Any:
    return lambda counters, at, value: _store(counters, at, value)


@overload(add, strict=False)  # type: ignore[untyped-decorator]
def _add_compiled(counters: Any, at: Any, value: Any) -> Any:
    return lambda counters, at, value: _add(counters, at, value)


@overload(lower, strict=False)  # type: ignore[untyped-decorator]
def _lower_compiled(counters: Any, at: Any, value: Any) -> Any:
    return lambda counters, at, value: _lower(counters, at, value)


# ---- rows --------------------------------------------------------------------------------------------


def borrowed(rows: Any, at: Any) -> Any:
    """``rows[at]`` of a C-contiguous [B, L] array, for a callee that keeps nothing of it.

    Compiled, an ordinary row counts itself among the owners of its array, twice an atomic instruction: each waits
    until all that was written has left the core, and threads contend for the count. This one does not.
    """
    return rows[at]


@intrinsic  # type: ignore[untyped-decorator]
def _borrow(_context: Any, rows: Any, at: Any) -> Any:
    row_type = rows.copy(ndim=1)

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        whole = context.make_array(signature.args[0])(context, builder, arguments[0])
        length = builder.extract_value(whole.shape, 1)
        step = builder.extract_value(whole.strides, 0)
        address = builder.add(builder.ptrtoint(whole.data, WORD), builder.mul(arguments[1], step))
        row = context.make_array(row_type)(context, builder)
        populate_array(
            row,
            data=builder.inttoptr(address, whole.data.type),
            shape=[length],
            strides=[builder.extract_value(whole.strides, 1)],
            itemsize=whole.itemsize,
            meminfo=None,
        )
        return row._getvalue()

    return row_type(rows, types.int64), codegen


@overload(borrowed, strict=False)  # type: ignore[untyped-decorator]
def _borrowed(rows: Any, at: Any) -> Any:
    if CHECKED:
        return lambda rows, at: rows[at]
    return lambda rows, at: _borrow(rows, np.int64(at))


def fetch(rows: Any, at: Any, size: Any) -> None:
    """Have the first ``size`` bytes of ``rows[at]`` brought near, soon to be written to: a hint, nothing changes."""


@intrinsic  # type: ignore[untyped-decorator]
def _fetch_at(_context: Any, rows: Any, at: Any, offset: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, at, offset = arguments
        whole = context.make_array(signature.args[0])(context, builder, array)
        start = builder.add(builder.mul(at, builder.extract_value(whole.strides, 0)), offset)
        pointer = builder.gep(builder.bitcast(whole.data, BYTE.as_pointer()), [start])
        flag = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, flag, flag, flag])
        hint = builder.module.declare_intrinsic("llvm.prefetch", [pointer.type], kind)
        to_write, in_all_caches, data = (ir.Constant(flag, number) for number in (1, 3, 1))
        builder.call(hint, [pointer, to_write, in_all_caches, data])
        return context.get_dummy_value()

    return types.void(rows, types.int64, types.int64), codegen


@overload(fetch, strict=False)  # type: ignore[untyped-decorator]
def _fetch(rows: Any, at: Any, size: Any) -> Any:
    def hint(rows: Any, at: Any, size: Any) -> None:
        for offset in range(0, size, 64):
            _fetch_at(rows, np.int64(at), offset)

    return hint


# ---- arrays and their addresses ----------------------------------------------------------------------


def empty_records(number: int, kind: np.dtype[np.void]) -> npt.NDArray[np.void]:
    """Records of zeros [number], each of whole cache lines at the start of one."""
    size = kind.itemsize
    memory = np.zeros(number * size + LINE, np.uint8)
    start = -memory.ctypes.data % LINE
    return memory[start : start + number * size].view(kind)


def blocks(records: npt.NDArray[np.void]) -> npt.NDArray[np.void]:
    """The same memory, each record one block of bytes: NumPy copies records field by field, slowly."""
    return records.view(np.dtype((np.void, records.itemsize)))


def address(array: Any) -> Any:
    """Where a C-contiguous array lies, uint64; see above for how long that is true."""
    return array.ctypes.data


@overload(address, strict=False)  # type: ignore[untyped-decorator]
def _address(array: Any) -> Any:
    return lambda array: np.uint64(array.ctypes.data)


@intrinsic  # type: ignore[untyped-decorator]
def _pointer(_context: Any, where: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))

    return types.voidptr(types.uint64), codegen


def array_at(where: Any, shape: Any, kind: Any) -> Any:
    """The C-contiguous array of this shape and dtype that lies at an `address`; compiled code only."""
    raise NotImplementedError("only compiled code has addresses")


@overload(array_at, strict=False)  # type: ignore[untyped-decorator]
def _array_at(where: Any, shape: Any, kind: Any) -> Any:
    return lambda where, shape, kind: carray(_pointer(where), shape, kind)
