"""The programs of the guide that need no GPU; gpu_arrays.py runs the others."""

import pathlib
import re

import pytest

HERE = pathlib.Path(__file__).resolve()
#: In the repository, or beside a copy of the tests.
PLACES = (HERE.parents[1] / "python.md", HERE.parents[2] / "docs/guide/src/python.md")


def programs():
    page = next(path for path in PLACES if path.exists())
    return re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)


@pytest.mark.parametrize("program", [it for it in programs() if "torch" not in it])
def test_program(program):
    exec(compile(program, "python.md", "exec"), {})


def test_the_page_has_programs():
    assert len(programs()) == 3
