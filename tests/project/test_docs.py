"""What the README, the docstrings and the notebooks say runs."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import agents
import nap_env
import train

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def modules() -> list[str]:
    """Every module of the three packages."""
    return [
        info.name
        for package in (nap_env, agents, train)
        for info in pkgutil.walk_packages(package.__path__, package.__name__ + ".")
    ]


@pytest.mark.parametrize("name", modules())
def test_docstring_examples(name: str) -> None:
    results = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert results.failed == 0


@pytest.mark.jit
@pytest.mark.learning
@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_readme_example(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(BLOCKS[number], f"README.md, example {number}", "exec"), {})


def test_readme_first_line_says_which_nap() -> None:
    first = README.splitlines()[0]
    assert "English" in first
    assert "five-card" in first


def test_readme_names_only_files_that_are_there() -> None:
    for name in re.findall(r"`((?:nap_env|agents|train|notebooks|tests)/[\w/.]*)`", README):
        assert (ROOT / name).exists(), name


def test_readme_test_command_is_what_ci_runs() -> None:
    assert "make test " in README
    assert re.search(r"for target in .*\btest\b", (ROOT / ".ci" / "run").read_text())
