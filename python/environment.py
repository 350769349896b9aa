#!/usr/bin/env python3
"""Takes a file of pinned requirements and prints the folder of a virtual environment that has them.

    python/environment.py [requirements.txt]

Without an argument: requirements.txt beside this script, which has PySpark and all that checks need. Spark's programs
(spark-submit, spark-sql, …) want the environment's bin in the PATH. The environment is made once for each content of
the file, below python/target; whoever asks while it is being made waits. Exit status 3: this Python cannot make it.
"""

import fcntl
import hashlib
import importlib
import subprocess
import sys
from pathlib import Path

OLDEST_PYTHON = (3, 11)
CANNOT = 3
HERE = Path(__file__).resolve().parent


def main(arguments: list[str]) -> int:
    """Prints the folder; gives the exit status."""
    if len(arguments) > 1:
        print(__doc__, file=sys.stderr)
        return 2
    requirements = Path(arguments[0]) if arguments else HERE / "requirements.txt"
    reason = why_not()
    if reason:
        print(f"environment.py: {reason}", file=sys.stderr)
        return CANNOT
    print(environment(requirements))
    return 0


def why_not() -> str:
    """Gives what this Python lacks, in a sentence that says what to do; empty if it lacks nothing."""
    if sys.version_info < OLDEST_PYTHON:
        wanted = ".".join(map(str, OLDEST_PYTHON))
        return f"Python {wanted} or newer is needed, but {sys.executable} is {sys.version.split()[0]}"
    try:
        importlib.import_module("venv")
        importlib.import_module("ensurepip")
    except ImportError as missing:
        return f"{sys.executable} has no module {missing.name}; install your system's package for venv (python3-venv)"
    return ""


def environment(requirements: Path) -> Path:
    """Gives the finished environment of the file, and makes it if there is none."""
    content = requirements.read_bytes()
    digest = hashlib.sha256(content + sys.version.encode()).hexdigest()[:12]
    folder = HERE / "target" / f"venv-{requirements.stem}-{digest}"
    finished = folder / "finished"
    folder.parent.mkdir(exist_ok=True)
    # The lock goes with the process, however that ends; an unfinished environment is made anew.
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not finished.exists():
            print(f"Installing {requirements.name} into {folder}…", file=sys.stderr)
            run(sys.executable, "-m", "venv", "--clear", str(folder))
            pip = (str(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "--quiet")
            # What is imported is compiled then; much of Spark's never is.
            run(*pip, "install", "--no-compile", "--requirement", str(requirements))
            finished.touch()
    return folder


def run(*command: str) -> None:
    """Runs a command whose output is for people; standard output is for the answer alone."""
    subprocess.run(command, stdout=sys.stderr, check=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
