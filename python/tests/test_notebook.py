"""A notebook whose outputs have changed is noticed, and the change is shown."""

import sys
from importlib import import_module
from types import ModuleType

import pytest
from conftest import ROOT
from nbformat import NotebookNode, v4


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """The script that runs the notebook."""
    sys.path.insert(0, str(ROOT / "examples/notebook"))
    try:
        return import_module("run")
    finally:
        sys.path.pop(0)


def cell(text: str, *tags: str, kind: str = "text/plain") -> NotebookNode:
    """One with two outputs, of which the second is that text."""
    printed = v4.new_output("stream", name="stdout", text="first\nsecond\n")
    shown = v4.new_output("execute_result", data={kind: text})
    made: NotebookNode = v4.new_code_cell("…", execution_count=7, outputs=[printed, shown])
    made.metadata.tags = list(tags)
    return made


def test_what_differs_is_shown_and_nothing_else(script: ModuleType) -> None:
    assert script.compare(cell("166341"), cell("166341")) == []
    lines = script.compare(cell("166341"), cell("166342"))
    assert lines[:2] == ["--- committed cell 7", "+++ found cell 7"]
    assert lines[-2:] == ["-166341", "+166342"]


@pytest.mark.parametrize("tag", ["figure", "plan", "timing"])
def test_of_tagged_cells_only_the_kinds_of_output_count(script: ModuleType, tag: str) -> None:
    assert script.compare(cell("1 ms", tag), cell("2 ms", tag)) == []
    assert script.compare(cell("…", tag, kind="image/png"), cell("Error", tag)) != []


def test_the_committed_notebook_has_outputs(script: ModuleType) -> None:
    cells = script.codes(script.nbformat.read(script.NOTEBOOK, as_version=4))
    assert [each.execution_count for each in cells] == list(range(1, len(cells) + 1))
    pictures = [output for each in cells for output in each.outputs if "image/png" in output.get("data", {})]
    assert len(pictures) == 3
