"""Lines of JSON: read with errors that name the place, written whole or not at all."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class RecordError(ValueError):
    """A record that cannot be written, read or replayed; the message names the line."""


@contextmanager
def at(where: str) -> Iterator[None]:
    """Put the place before whatever is wrong in it.

    Raises:
        RecordError: for a TypeError or ValueError inside.
    """
    try:
        yield
    except (TypeError, ValueError) as error:
        raise RecordError(f"{where}: {error}") from None


def read_object(line: str) -> dict[str, Any]:
    """The JSON object on a line.

    Raises:
        RecordError: the line is cut off, no JSON, or another value.
    """
    try:
        value = json.loads(line)
    except (json.JSONDecodeError, RecursionError) as error:
        raise RecordError(f"no JSON, or cut off ({error})") from None
    if not isinstance(value, dict):
        raise RecordError(f"a JSON object is wanted, not {line[:40]!r}")
    return value


def typed(line: dict[str, Any], key: str, kind: type) -> Any:
    """The value under a key, of the type it must have (a bool is no int).

    Raises:
        RecordError: it is missing or of another type.
    """
    value = line.get(key)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise RecordError(f"{key!r} must be of type {kind.__name__}, not {str(value)[:40]!r}")
    return value


def write_whole(path: str | os.PathLike[str], text: str) -> None:
    """Write a file whole or not at all: under a temporary name beside it, then renamed.

    Raises:
        OSError: it cannot be written; what stood there before still stands.
    """
    target = Path(path)
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        with open(temporary, "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
