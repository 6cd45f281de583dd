"""What threads that share memory without the GIL tell each other by: whole steps, seen by all in one order."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, overload

_ORDER = "seq_cst"


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


def _place(context: Any, builder: Any, array_type: Any, array: Any, at: Any) -> Any:
    return builder.gep(context.make_array(array_type)(context, builder, array).data, [at])


@intrinsic  # type: ignore[untyped-decorator]
def _load(_context: Any, counters: Any, at: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _place(context, builder, signature.args[0], *arguments)
        return builder.load_atomic(pointer, _ORDER, 8, typ=ir.IntType(64))

    return types.int64(counters, types.int64), codegen


@intrinsic  # type: ignore[untyped-decorator]
def _store(_context: Any, counters: Any, at: Any, value: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, at, value = arguments
        builder.store_atomic(value, _place(context, builder, signature.args[0], array, at), _ORDER, 8)
        return context.get_dummy_value()

    return types.void(counters, types.int64, types.int64), codegen


@intrinsic  # type: ignore[untyped-decorator]
def _add(_context: Any, counters: Any, at: Any, value: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, at, value = arguments
        return builder.atomic_rmw("add", _place(context, builder, signature.args[0], array, at), value, _ORDER)

    return types.int64(counters, types.int64, types.int64), codegen


@intrinsic  # type: ignore[untyped-decorator]
def _lower(_context: Any, counters: Any, at: Any, value: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, at, value = arguments
        builder.atomic_rmw("min", _place(context, builder, signature.args[0], array, at), value, _ORDER)
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
