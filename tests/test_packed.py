"""Bytes to bits and back, each against the plain way."""

import numpy as np
import pytest
from conftest import NOJIT

from nap_env import packed
from nap_env.jit import njit

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
        packed.put_owned(row, at, codes, word)


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


@pytest.mark.parametrize("owner", range(1, 8))
def test_an_owners_bytes(owner):
    codes = RNG.integers(0, 64, 56).astype(np.int8)
    row = np.full(60, 1, np.int8)
    put(3, row, 2, owner, codes)
    assert row[2:58].tolist() == [code >> 3 if code & 7 == owner else 0 for code in codes.tolist()]
    assert row[[0, 1, 58, 59]].tolist() == [1, 1, 1, 1]


@pytest.mark.skipif(NOJIT or not packed._CHECKED, reason="only where bounds are checked")
@pytest.mark.parametrize(("kind", "size"), [(0, 1), (1, 8), (2, 64), (3, 56)])
def test_bounds_are_checked_where_numba_checks_them(kind, size):
    row = np.zeros(64, np.int8)
    put(kind, row, 64 - size, 1, np.zeros(56, np.int8))
    for at in (-1, 65 - size):
        with pytest.raises(IndexError):
            put(kind, row, at, 1, np.zeros(56, np.int8))
