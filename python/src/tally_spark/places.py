"""Tells where the connector's jar and the nodes' distribution are: as named, by the environment, or in a checkout."""

import os
from collections.abc import Iterator
from pathlib import Path

JAR_VARIABLE = "TALLY_CONNECTOR_JAR"
SERVER_VARIABLE = "TALLY_SERVER_HOME"

_BUILD = "./mvnw -B -DskipTests package"


class MissingPartError(FileNotFoundError):
    """A part of Tally is not where it was said to be, or nobody said where it is."""


def connector_jar(named: str | Path | None = None) -> Path:
    """Gives the connector's jar: the named one, that of TALLY_CONNECTOR_JAR, or the one that a checkout has built."""
    given = named or os.environ.get(JAR_VARIABLE)
    if given:
        return _existing(Path(given), "connector's jar")
    for checkout in _checkouts():
        jars = sorted(checkout.glob("connector/target/tally-connector-*.jar"))
        if jars:
            return jars[0]
    raise MissingPartError(_nowhere("the connector's jar", "jar=", JAR_VARIABLE))


def server_program(named: str | Path | None = None) -> Path:
    """Gives the program of a node in the named distribution, that of TALLY_SERVER_HOME, or a checkout's."""
    given = named or os.environ.get(SERVER_VARIABLE)
    if given:
        return _existing(Path(given) / "bin" / "tally-server", "program of a node")
    for checkout in _checkouts():
        program = checkout / "partition-server/target/tally-server/bin/tally-server"
        if program.is_file():
            return program
    raise MissingPartError(_nowhere("the distribution tally-server", "server=", SERVER_VARIABLE))


def _existing(path: Path, what: str) -> Path:
    if not path.is_file():
        raise MissingPartError(f"There is no {what} at {path}.")
    return path.resolve()


def _checkouts() -> Iterator[Path]:
    """The checkouts around the working directory and around this file, nearest first."""
    for inside in (Path.cwd(), Path(__file__).resolve().parent):
        for folder in (inside, *inside.parents):
            if (folder / "mvnw").is_file() and (folder / "partition-server").is_dir():
                yield folder


def _nowhere(what: str, argument: str, variable: str) -> str:
    built = next(_checkouts(), None)
    where = f"run {_BUILD} in {built}" if built else "build it in a checkout of Tally"
    return f"Found nothing that is {what}: {where}, or name it with {argument} or in {variable}."
