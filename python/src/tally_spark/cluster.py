"""Takes files, starts nodes on this machine that serve them as tables, and hands on their addresses."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import weakref
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from tally_spark import keeper
from tally_spark.places import server_program

Files = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]

_START_LIMIT_SECONDS = 60
_STOP_LIMIT_SECONDS = keeper.STOP_LIMIT_SECONDS + 10
_POLL_SECONDS = 0.05
_LOG_CHARACTERS_SHOWN = 2_000
_FORMATS = {".parquet": "parquet", ".csv": "csv", ".json": "json", ".jsonl": "json", ".ndjson": "json"}


# To be found by processes that are forked from this one.
_clusters: weakref.WeakSet[LocalCluster] = weakref.WeakSet()


class NodeStartError(RuntimeError):
    """A node has ended, or was not ready in time; the message ends with its log."""


def local_cluster(
    tables: Mapping[str, Files],
    *,
    nodes: int = 3,
    server: str | Path | None = None,
    settings: Mapping[str, object] | None = None,
) -> LocalCluster:
    """Starts nodes, waits until they listen, and gives them to be used in a ``with``, or until ``stop()``.

    They stop at the latest when this process ends, however it ends. They listen on loopback, at ports that are free.

    :param tables: for each table its Parquet, CSV or JSON files. Each file is a partition, named like the file; they
        are dealt out in order, so that the first node has the first of them
    :param nodes: how many at most; no more than the largest table has files
    :param server: the folder of the distribution ``tally-server``; without it that of the variable TALLY_SERVER_HOME,
        or of the checkout around
    :param settings: further keys of each node's configuration, such as ``{"limits": {"memory": "1GiB"}}``
    :raises MissingPartError: there is no distribution
    :raises NodeStartError: a node does not start, for want of Java, for example
    """
    if nodes < 1:
        raise ValueError(f"nodes is {nodes}, but there must be one at least")
    program = server_program(server)
    if not tables:
        raise ValueError("there is no table; name one at least, with its files")
    shares = _deal({table: _partitions(table, files) for table, files in tables.items()}, nodes)
    folder = Path(tempfile.mkdtemp(prefix="tally-cluster-"))
    cluster = LocalCluster(folder)
    try:
        for index, share in enumerate(shares):
            name = f"node-{index + 1}"
            cluster._launch(program, {**(settings or {}), "node": name, "port": 0, "tables": share})
        cluster._await_ready()
    except BaseException:
        cluster.stop()
        raise
    return cluster


class LocalCluster:
    """Nodes that run on this machine. Made by :func:`local_cluster`."""

    def __init__(self, folder: Path) -> None:
        """Takes a new folder, which goes with the nodes."""
        self._folder = folder
        self._owner = os.getpid()
        self._nodes: dict[str, subprocess.Popen[bytes]] = {}
        self._addresses: list[str] = []
        _clusters.add(self)

    @property
    def endpoints(self) -> str:
        """The addresses of the nodes, as the option ``endpoints`` takes them."""
        return ",".join(self._addresses)

    def options(self, table: str) -> dict[str, str]:
        """The options of one table, for ``spark.read.format("tally").options(**…).load()``."""
        return {"endpoints": self.endpoints, "table": table}

    def logs(self) -> str:
        """What the nodes have written so far, each under its name."""
        return "\n".join(f"== {name}\n{self._log(name)}" for name in self._nodes)

    def stop(self) -> None:
        """Ends the nodes and deletes their folder. Once is enough; more does nothing.

        Nor does it do anything in a process that was forked: the nodes are those of the process that started them.
        """
        self._let_go()
        for node in self._nodes.values():
            node.wait(timeout=_STOP_LIMIT_SECONDS)
        if self._owner == os.getpid():
            # What the keepers have left: folders of nodes that had ended by themselves.
            shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        """Gives itself, running already."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stops the nodes."""
        self.stop()

    def _let_go(self) -> None:
        """Closes the pipes that keep the nodes."""
        for node in self._nodes.values():
            if node.stdin:
                node.stdin.close()

    def _disown(self) -> None:
        """In a forked process, which must neither keep the nodes nor end them."""
        self._let_go()
        self._nodes = {}

    def _launch(self, program: Path, config: Mapping[str, object]) -> None:
        name = str(config["node"])
        folder = self._folder / name
        temporary = folder / "tmp"
        temporary.mkdir(parents=True)
        file = folder / "node.yaml"
        file.write_text(_yaml(config), encoding="ascii")
        arguments = ["--config", str(file), "--ready-file", str(folder / "ready")]
        # In front of the user's own options, which win. Unlike TALLY_JAVA_OPTS it may have spaces in quotes.
        java_options = f"{shlex.quote(f'-Djava.io.tmpdir={temporary}')} {os.environ.get('JDK_JAVA_OPTIONS', '')}"
        self._nodes[name] = subprocess.Popen(
            [sys.executable, "-I", keeper.__file__, str(folder), str(program), *arguments],
            stdin=subprocess.PIPE,
            env={**os.environ, "JDK_JAVA_OPTIONS": java_options},
            # An interrupt in a terminal or a notebook is for what runs there, not for the nodes.
            start_new_session=True,
        )

    def _await_ready(self) -> None:
        deadline = time.monotonic() + _START_LIMIT_SECONDS
        for name, node in self._nodes.items():
            ready = self._folder / name / "ready"
            while not (ready.exists() and ready.stat().st_size):
                with contextlib.suppress(subprocess.TimeoutExpired):
                    node.wait(timeout=_POLL_SECONDS)
                    raise NodeStartError(f"{name} has ended instead of starting. Its log:\n{self._log(name)}")
                if time.monotonic() > deadline:
                    raise NodeStartError(
                        f"{name} was not ready after {_START_LIMIT_SECONDS} s. Its log:\n{self._log(name)}"
                    )
            self._addresses.append(ready.read_text(encoding="utf-8").strip())

    def _log(self, name: str) -> str:
        log = self._folder / name / "log"
        text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
        return text[-_LOG_CHARACTERS_SHOWN:]


def _yaml(config: Mapping[str, object]) -> str:
    """As JSON, which is YAML if all is escaped that YAML does not allow or takes for the end of a line."""
    return json.dumps(config, indent=2).replace("\x7f", "\\u007f")


def _literal(text: str) -> str:
    """As a configuration has it, where ``${…}`` is a placeholder."""
    return text.replace("${", "$${")


def _deal(tables: Mapping[str, Sequence[dict[str, str]]], nodes: int) -> list[list[dict[str, object]]]:
    """For each node its tables, as its configuration has them; a node that has no file of a table does not know it."""
    # A node without any table would have nothing to do, and does not start.
    count = min(nodes, max(map(len, tables.values())))
    shares: list[list[dict[str, object]]] = [[] for _ in range(count)]
    for table, partitions in tables.items():
        ids = [partition["id"] for partition in partitions]
        for index, share in enumerate(shares):
            first, end = (len(partitions) * i // count for i in (index, index + 1))
            if first < end:
                share.append({"name": _literal(table), "cluster-partitions": ids, "partitions": partitions[first:end]})
    return shares


def _partitions(table: str, files: Files) -> Sequence[dict[str, str]]:
    several = [files] if isinstance(files, str | os.PathLike) else files
    paths = [_file(Path(file)) for file in several]
    if not paths:
        raise ValueError(f"table {table!r} has no files; name one at least")
    names = [path.stem for path in paths]
    if len(set(names)) < len(names):
        names = [f"{index}-{name}" for index, name in enumerate(names, start=1)]
    return [{"id": _literal(name), _format(path): _literal(str(path))} for name, path in zip(names, paths, strict=True)]


def _file(path: Path) -> Path:
    """The absolute path, with the file's own name: what a link leads to may be called anything."""
    if path.resolve(strict=True).is_dir():
        raise ValueError(f"{path} is a folder; name the files in it, with sorted(Path(…).glob('*.parquet')), say")
    return path.parent.resolve() / path.name


def _format(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix not in _FORMATS:
        raise ValueError(f"{path} does not end in one of {', '.join(_FORMATS)}")
    return _FORMATS[suffix]


def _disown_all() -> None:
    for cluster in _clusters:
        cluster._disown()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_disown_all)
