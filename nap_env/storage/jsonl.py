"""Lines of JSON, read with errors that name the place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from nap_env.errors import RecordError


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
