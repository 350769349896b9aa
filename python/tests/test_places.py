"""Parts of Tally are found where they are said to be, and their absence is explained."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tally_spark import MissingPartError, local_cluster, places


def test_what_the_checkout_has_built_is_found() -> None:
    assert places.connector_jar().name.startswith("tally-connector-")
    assert places.server_program().is_file()


def test_the_argument_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    named, other = tmp_path / "named.jar", tmp_path / "other.jar"
    named.touch()
    other.touch()
    monkeypatch.setenv(places.JAR_VARIABLE, str(other))
    assert places.connector_jar(named) == named
    assert places.connector_jar() == other


def test_a_wrong_place_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(places.SERVER_VARIABLE, str(tmp_path))
    with pytest.raises(MissingPartError, match=f"There is no program of a node at {tmp_path}/bin/tally-server"):
        local_cluster({})


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder in no checkout, as if the package were installed there."""
    with tempfile.TemporaryDirectory() as folder, monkeypatch.context() as changed:
        changed.chdir(folder)
        changed.setattr(places, "__file__", f"{folder}/places.py")
        yield Path(folder)


def test_a_checkout_that_is_not_built_says_how_to_build_it(elsewhere: Path) -> None:
    (elsewhere / "mvnw").touch()
    (elsewhere / "partition-server").mkdir()
    with pytest.raises(MissingPartError, match=r"run \./mvnw -B -DskipTests package in .* or name it with server="):
        places.server_program()
    (elsewhere / "mvnw").unlink()
    with pytest.raises(MissingPartError, match="build it in a checkout of Tally, or name it with jar= or in TALLY"):
        places.connector_jar()
