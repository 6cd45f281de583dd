"""Bytes of 0 and 1 to sets of bits and back, eight at a step.

An observation keeps a set of cards as a byte a card; the rules and the agents keep it as a 64-bit word. A word of
eight bytes has the first byte lowest. Rows are C-contiguous int8 arrays, and reach eight bytes beyond the last
place that is asked for or written, or up to it exactly; where Numba checks bounds, so do these.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from nap_env.engine import memory
from nap_env.engine.jit import lowest, njit, times

ONES = np.uint64(0x0101010101010101)
_LOW_SEVEN = np.uint64(0x7F)
_CHECKED, _BYTE, _WORD = memory.CHECKED, memory.BYTE, memory.WORD


def eight(row: Any, at: Any) -> Any:
    """Bytes ``row[at : at + 8]`` as one word."""
    return np.uint64(int.from_bytes(row[int(at) : int(at) + 8].tobytes(), "little"))


def seven(rows: Any, at: Any) -> Any:
    """The seven bytes from the ``at``-th of a C-contiguous array of bytes as one word, the first lowest."""
    return np.uint64(int.from_bytes(rows.reshape(-1)[int(at) : int(at) + 7].tobytes(), "little"))


def put_eight(row: Any, at: Any, word: Any) -> None:
    """Write a word to bytes ``row[at : at + 8]``."""
    row[int(at) : int(at) + 8] = np.frombuffer(int(word).to_bytes(8, "little"), np.int8)


def put_one(row: Any, at: Any, number: Any) -> None:
    """Write one byte, ``row[at]``, without a look whether ``at`` counts from the end."""
    row[int(at)] = number


@njit
def _inside(row: Any, at: Any, size: Any) -> Any:
    """The place itself; indexing raises where bounds are checked and ``row[at : at + size]`` is not all there."""
    if at < 0:
        return np.int64(row[len(row)])
    return np.int64(at) + 0 * (row[at] + row[at + size - 1])


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, at: Any) -> Any:
    return builder.bitcast(memory.place(context, builder, array_type, array, at), _WORD.as_pointer())


@intrinsic  # type: ignore[untyped-decorator]
def _load_eight(_context: Any, row: Any, at: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(_pointer(context, builder, signature.args[0], *arguments), align=1)

    return types.uint64(row, types.int64), codegen


@intrinsic  # type: ignore[untyped-decorator]
def _store_eight(_context: Any, row: Any, at: Any, word: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, at, word = arguments
        builder.store(word, _pointer(context, builder, signature.args[0], array, at), align=1)
        return context.get_dummy_value()

    return types.void(row, types.int64, types.uint64), codegen


@intrinsic  # type: ignore[untyped-decorator]
def _store_one(_context: Any, row: Any, at: Any, number: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, at, number = arguments
        there = memory.place(context, builder, signature.args[0], array, at)
        builder.store(builder.trunc(number, _BYTE), there)
        return context.get_dummy_value()

    return types.void(row, types.int64, types.int64), codegen


@intrinsic  # type: ignore[untyped-decorator]
def _load_seven(_context: Any, rows: Any, at: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def four(at: Any) -> Any:
            pointer = _pointer(context, builder, signature.args[0], arguments[0], at)
            half = builder.load(builder.bitcast(pointer, ir.IntType(32).as_pointer()), align=1)
            return builder.zext(half, _WORD)

        upper = four(builder.add(arguments[1], ir.Constant(_WORD, 3)))
        return builder.or_(four(arguments[1]), builder.shl(upper, ir.Constant(_WORD, 24)))

    return types.uint64(rows, types.int64), codegen


@overload(seven, strict=False)  # type: ignore[untyped-decorator]
def _seven(rows: Any, at: Any) -> Any:
    return lambda rows, at: _load_seven(rows, np.int64(at))


@overload(put_one, strict=False)  # type: ignore[untyped-decorator]
def _put_one(row: Any, at: Any, number: Any) -> Any:
    if _CHECKED:
        return lambda row, at, number: _store_one(row, _inside(row, at, 1), np.int64(number))
    return lambda row, at, number: _store_one(row, np.int64(at), np.int64(number))


@overload(eight, strict=False)  # type: ignore[untyped-decorator]
def _eight(row: Any, at: Any) -> Any:
    if _CHECKED:
        return lambda row, at: _load_eight(row, _inside(row, at, 8))
    return lambda row, at: _load_eight(row, np.int64(at))


@overload(put_eight, strict=False)  # type: ignore[untyped-decorator]
def _put_eight(row: Any, at: Any, word: Any) -> Any:
    if _CHECKED:
        return lambda row, at, word: _store_eight(row, _inside(row, at, 8), np.uint64(word))
    return lambda row, at, word: _store_eight(row, np.int64(at), np.uint64(word))


# ---- bytes to bits ------------------------------------------------------------------------------------


@njit
def gather(eight_bytes: Any) -> Any:
    """The lowest bits of eight bytes side by side."""
    return times(eight_bytes & ONES, np.uint64(0x0102040810204080)) >> np.uint64(56)


@njit
def word(row: Any, at: Any, size: Any) -> Any:
    """The set of the places of ``row[at : at + size]`` (0/1, size <= 64) that are 1; reads on to a multiple of 8."""
    found = np.uint64(0)
    for start in range(0, size, 8):
        found |= gather(eight(row, at + start)) << np.uint64(start)
    return found & (~np.uint64(0) >> np.uint64(64 - size))


@njit
def marked(row: Any, at: Any, size: Any) -> Any:
    """As `word`, of places that are not 0 but hold 1..7."""
    found = np.uint64(0)
    for start in range(0, size, 8):
        numbers = eight(row, at + start)
        found |= gather(numbers | numbers >> np.uint64(1) | numbers >> np.uint64(2)) << np.uint64(start)
    return found & (~np.uint64(0) >> np.uint64(64 - size))


@njit
def few(row: Any, at: Any, size: Any) -> Any:
    """As `word`, for at most eight places, as a plain integer."""
    return int(gather(eight(row, at))) & ((1 << size) - 1)


@njit
def place(row: Any, at: Any, size: Any) -> Any:
    """The place of the first 1 in ``row[at : at + size]``, size <= 8, or -1."""
    found = few(row, at, size)
    return lowest(np.uint64(found)) if found else -1


# ---- bits to bytes ------------------------------------------------------------------------------------


@njit
def scatter(eight_bits: Any) -> Any:
    """Eight bits as the lowest bits of eight bytes."""
    low = times(eight_bits & _LOW_SEVEN, np.uint64(0x0002040810204081)) & ONES
    return low | (eight_bits >> np.uint64(7) & np.uint64(1)) << np.uint64(56)


def put_set(row: Any, at: Any, bits: Any) -> None:
    """Write a set as 64 bytes of 0 and 1 to ``row[at : at + 64]``."""
    row[int(at) : int(at) + 64] = int(bits) >> np.arange(64, dtype=object) & 1


def put_owned(row: Any, at: Any, codes: Any, first: Any, owners: Any) -> None:
    """A row of 52 places an owner: the upper bits of ``codes`` [56] where their lower three are 1 + the owner, else 0.

    The owners are ``first`` and those after it modulo their number; the last row spills twelve zeros.
    """
    for place in range(int(owners)):
        start, owner = int(at) + 52 * place, (int(first) + place) % int(owners)
        row[start : start + 56] = np.where(codes & 7 == owner + 1, codes >> 3, 0)
        row[start + 56 : start + 64] = 0


def _bytes(builder: Any, pointer: Any, number: int) -> Any:
    """The same place as a vector of bytes."""
    return builder.bitcast(pointer, ir.VectorType(_BYTE, number).as_pointer())


def _all(builder: Any, byte: Any, number: int) -> Any:
    """A vector that holds one byte everywhere."""
    vector = ir.VectorType(_BYTE, number)
    one = builder.insert_element(ir.Constant(vector, ir.Undefined), byte, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), number), [0] * number)
    return builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), zeros)


@intrinsic  # type: ignore[untyped-decorator]
def _store_set(_context: Any, row: Any, at: Any, bits: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, at, bits = arguments
        flags = builder.bitcast(bits, ir.VectorType(ir.IntType(1), 64))
        pointer = _pointer(context, builder, signature.args[0], array, at)
        builder.store(builder.zext(flags, ir.VectorType(_BYTE, 64)), _bytes(builder, pointer, 64), align=1)
        return context.get_dummy_value()

    return types.void(row, types.int64, types.uint64), codegen


@intrinsic  # type: ignore[untyped-decorator]
def _store_owned(_context: Any, row: Any, at: Any, codes: Any, first: Any, owners: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, at, source, first, owners = arguments
        start = _pointer(context, builder, signature.args[2], source, ir.Constant(_WORD, 0))
        codes = builder.load(_bytes(builder, start, 56), align=1)
        none = ir.Constant(codes.type, [0] * 56)
        padded = ir.Constant(ir.VectorType(ir.IntType(32), 64), list(range(64)))
        held = builder.shuffle_vector(codes, none, padded)
        low = builder.and_(held, ir.Constant(held.type, [7] * 64))
        numbers = builder.lshr(held, ir.Constant(held.type, [3] * 64))
        owner = cgutils.alloca_once_value(builder, first)
        with cgutils.for_range(builder, owners) as loop:
            mine = builder.add(builder.load(owner), ir.Constant(_WORD, 1))
            same = builder.icmp_signed("==", low, _all(builder, builder.trunc(mine, _BYTE), 64))
            chosen = builder.select(same, numbers, ir.Constant(held.type, [0] * 64))
            here = builder.add(at, builder.mul(loop.index, ir.Constant(_WORD, 52)))
            pointer = _pointer(context, builder, signature.args[0], array, here)
            builder.store(chosen, _bytes(builder, pointer, 64), align=1)
            turned = builder.icmp_signed("==", mine, owners)
            builder.store(builder.select(turned, ir.Constant(_WORD, 0), mine), owner)
        return context.get_dummy_value()

    return types.void(row, types.int64, codes, types.int64, types.int64), codegen


@overload(put_set, strict=False)  # type: ignore[untyped-decorator]
def _put_set(row: Any, at: Any, bits: Any) -> Any:
    if _CHECKED:
        return lambda row, at, bits: _store_set(row, _inside(row, at, 64), np.uint64(bits))
    return lambda row, at, bits: _store_set(row, np.int64(at), np.uint64(bits))


@overload(put_owned, strict=False)  # type: ignore[untyped-decorator]
def _put_owned(row: Any, at: Any, codes: Any, first: Any, owners: Any) -> Any:
    if _CHECKED:
        return lambda row, at, codes, first, owners: _store_owned(
            row, _inside(row, at, 52 * owners + 12), codes, np.int64(first), np.int64(owners)
        )
    return lambda row, at, codes, first, owners: _store_owned(
        row, np.int64(at), codes, np.int64(first), np.int64(owners)
    )
