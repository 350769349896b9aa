"""Takes the notebook, runs it from top to bottom in a kernel of its own, and compares its outputs with the committed.

    run.py [--update]

With --update it writes them instead. Not compared are cells with the tags ``figure``, ``plan`` and ``timing``: of these
only the kinds of output have to be the same. What is written to standard error is Spark's log, and is left out.
"""

import argparse
import difflib
import os
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).resolve().with_name("flights.ipynb")
NOT_COMPARED = {"figure", "plan", "timing"}
CELL_LIMIT_SECONDS = 240


def main() -> int:
    """Gives the exit status: 1 if something else came out."""
    parser = argparse.ArgumentParser(description="Runs the notebook and compares its outputs with the committed ones.")
    parser.add_argument("--update", action="store_true", help="write the outputs instead of comparing them")
    update = parser.parse_args().update
    committed = nbformat.read(NOTEBOOK, as_version=4)
    found = run(nbformat.read(NOTEBOOK, as_version=4))
    if update:
        nbformat.write(found, NOTEBOOK)
        print(f"{NOTEBOOK.name}: wrote the outputs of {len(codes(found))} cells")
        return 0
    differences = [line for pair in zip(codes(committed), codes(found), strict=True) for line in compare(*pair)]
    print("\n".join(differences) or f"{NOTEBOOK.name}: all outputs of {len(codes(found))} cells are as committed")
    if differences:
        print("\nIf this is meant: examples/notebook/run.sh --update", file=sys.stderr)
    return 1 if differences else 0


def run(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Executes all cells, of which none may fail, and keeps only what does not depend on the machine's Python."""
    with tempfile.TemporaryDirectory(prefix="tally-notebook-") as scratch:
        # No history, profile or connection file in the home of whoever runs this.
        os.environ |= {"IPYTHONDIR": scratch, "JUPYTER_RUNTIME_DIR": scratch}
        folder = {"metadata": {"path": str(NOTEBOOK.parent)}}
        NotebookClient(notebook, timeout=CELL_LIMIT_SECONDS, record_timing=False, resources=folder).execute()
    notebook.metadata.language_info = {"name": "python"}
    for cell in codes(notebook):
        cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
    return notebook


def codes(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    """The cells that can have outputs."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def compare(committed: nbformat.NotebookNode, found: nbformat.NotebookNode) -> list[str]:
    """Lines that show the difference; none if there is none."""
    show = kinds if NOT_COMPARED & set(committed.metadata.get("tags", [])) else texts
    name = f"cell {found.execution_count}"
    return list(difflib.unified_diff(show(committed), show(found), f"committed {name}", f"found {name}", lineterm=""))


def kinds(cell: nbformat.NotebookNode) -> list[str]:
    """What kinds of output a cell has."""
    return [f"{output.output_type} {sorted(output.get('data', {}))}" for output in cell.outputs]


def texts(cell: nbformat.NotebookNode) -> list[str]:
    """The lines of all outputs as text; a table's HTML says the same."""
    streams = [output.text for output in cell.outputs if output.output_type == "stream"]
    results = [output.data.get("text/plain", "") for output in cell.outputs if "data" in output]
    return [line for text in streams + results for line in text.splitlines()]


if __name__ == "__main__":
    sys.exit(main())
