"""Bytes to bits and back, each against the plain way."""

import numpy as np
import pytest
from scale import NOJIT

from nap_env.engine import memory, packed
from nap_env.engine.jit import njit, nth

RNG = np.random.default_rng(1)
WORDS = [0, 1, 1 << 63, (1 << 64) - 1, *map(int, RNG.integers(0, 1 << 64, 40, dtype=np.uint64))]


def row_of(word, size=64):
    return np.array([word >> place & 1 for place in range(size)], np.int8)


@njit
def put(kind, row, at, word, codes):
    if kind == 0:
        packed.put_one(row, at, word)
    elif kind == 1:
        packed.put_eight(row, at, word)
    elif kind == 2:
        packed.put_set(row, at, word)
    else:
        packed.put_owned(row, at, codes, word, 2)


@njit
def get_eight(row, at):
    return packed.eight(row, at)


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("at", [0, 3])
def test_a_set_comes_back_from_its_bytes(word, at):
    row = np.full(80, 1, np.int8)
    put(2, row, at, np.uint64(word), row)
    assert np.array_equal(row[at : at + 64], row_of(word))
    assert (row[:at] == 1).all()
    assert (row[at + 64 :] == 1).all()
    for size in (1, 7, 8, 17, 52, 64):
        assert int(packed.word(row, at, size)) == word & ((1 << size) - 1)
    assert packed.few(row, at, 5) == word & 31
    first = [place for place in range(6) if word >> place & 1]
    assert packed.place(row, at, 6) == (first[0] if first else -1)


@pytest.mark.parametrize("word", WORDS[:20])
def test_eight_bytes_are_one_word(word):
    row = np.zeros(16, np.int8)
    put(1, row, 5, np.uint64(word), row)
    assert row[5:13].tobytes() == word.to_bytes(8, "little")
    assert not row[:5].any()
    assert not row[13:].any()
    assert int(get_eight(row, 5)) == word
    assert int(packed.gather(packed.scatter(np.uint64(word & 255)))) == word & 255


def test_numbers_1_to_7_are_marks():
    row = RNG.integers(0, 8, 80).astype(np.int8)
    assert int(packed.marked(row, 2, 52)) == sum(1 << place for place in range(52) if row[2 + place])


def test_one_byte():
    for number in (-128, -1, 0, 127):
        row = np.full(3, 9, np.int8)
        put(0, row, 1, number, row)
        assert row.tolist() == [9, number, 9]


@njit
def put_all_owned(row, at, codes, first, owners):
    packed.put_owned(row, at, codes, first, owners)


@pytest.mark.parametrize("owners", range(2, 8))
@pytest.mark.parametrize("first", range(2))
def test_each_owners_bytes(owners, first):
    codes = RNG.integers(0, 64, 56).astype(np.int8)
    codes[52:] = 0  # there are 52 cards
    row = np.full(2 + 52 * owners + 14, 1, np.int8)
    put_all_owned(row, 2, codes, first, owners)
    for place in range(owners):
        owner = (first + place) % owners
        theirs = [code >> 3 if code & 7 == owner + 1 else 0 for code in codes[:52].tolist()]
        assert row[2 + 52 * place :][:52].tolist() == theirs
    assert row[[0, 1, -2, -1]].tolist() == [1, 1, 1, 1]
    assert not row[-14:-2].any()


@njit
def seven_of(rows, at):
    return packed.seven(rows, at)


def test_seven_bytes_of_an_array():
    numbers = RNG.integers(-128, 128, (4, 7)).astype(np.int8)
    for row in range(4):
        assert int(seven_of(numbers, 7 * row)) == int.from_bytes(numbers[row].tobytes(), "little")
    assert int(seven_of(numbers.reshape(-1), 3)) == int.from_bytes(numbers.reshape(-1)[3:10].tobytes(), "little")


@njit
def write_row(rows, at, value):
    memory.fetch(rows, at, rows.shape[1])
    memory.borrowed(rows, at)[:] = value


def test_a_borrowed_row_is_the_row():
    rows = np.zeros((5, 9), np.int8)
    write_row(rows, 3, 7)
    assert rows.sum(axis=1).tolist() == [0, 0, 0, 63, 0]


@pytest.mark.skipif(NOJIT or not packed._CHECKED, reason="only where bounds are checked")
@pytest.mark.parametrize(("kind", "size"), [(0, 1), (1, 8), (2, 64), (3, 116)])
def test_bounds_are_checked_where_numba_checks_them(kind, size):
    row = np.zeros(120, np.int8)
    put(kind, row, 120 - size, 1, np.zeros(56, np.int8))
    for at in (-1, 121 - size):
        with pytest.raises(IndexError):
            put(kind, row, at, 1, np.zeros(56, np.int8))


@njit
def nth_of(word, number):
    return nth(word, number)


@pytest.mark.parametrize("word", [word for word in WORDS if word])
def test_each_set_bit_by_its_number(word):
    places = [place for place in range(64) if word >> place & 1]
    assert [nth_of(np.uint64(word), number) for number in range(len(places))] == places
