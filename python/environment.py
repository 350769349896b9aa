#!/usr/bin/env python3
"""Takes a file of pinned requirements and prints the folder of a virtual environment that has them.

    python/environment.py [requirements.txt [below.txt]]

Without an argument: requirements.txt beside this script, which has PySpark and all that checks need. Spark's programs
(spark-submit, spark-sql, …) want the environment's bin in the PATH. With a second file, what the environment lacks is
found in that file's own. The environment is made once for each content of the file, below python/target; whoever asks
while it is being made waits. Exit status 3: this Python cannot make it.
"""

import fcntl
import hashlib
import importlib
import subprocess
import sys
import sysconfig
from pathlib import Path

OLDEST_PYTHON = (3, 11)
CANNOT = 3
HERE = Path(__file__).resolve().parent


def main(arguments: list[str]) -> int:
    """Prints the folder; gives the exit status."""
    if len(arguments) > 2:
        print(__doc__, file=sys.stderr)
        return 2
    requirements, *below = [Path(each) for each in arguments] or [HERE / "requirements.txt"]
    reason = why_not()
    if reason:
        print(f"environment.py: {reason}", file=sys.stderr)
        return CANNOT
    print(environment(requirements, *below))
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


def environment(requirements: Path, below: Path | None = None) -> Path:
    """Gives the finished environment of the file, on top of that of the other one, and makes it if there is none."""
    base = environment(below) if below else None
    content = requirements.read_bytes() + str(base or "").encode()
    digest = hashlib.sha256(content + sys.version.encode()).hexdigest()[:12]
    folder = HERE / "target" / f"venv-{requirements.stem}-{digest}"
    finished = folder / "finished"
    folder.parent.mkdir(exist_ok=True)
    # The lock goes with the process, however that ends; an unfinished environment is made anew.
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not finished.exists():
            print(f"Installing {requirements.name} into {folder}…", file=sys.stderr)
            if base:
                run(sys.executable, "-m", "venv", "--clear", "--without-pip", str(folder))
                (packages(folder) / "below.pth").write_text(str(packages(base)), encoding="utf-8")
                install(base, requirements, "--no-deps", "--target", str(packages(folder)))
            else:
                run(sys.executable, "-m", "venv", "--clear", str(folder))
                install(folder, requirements)
            finished.touch()
    return folder


def packages(folder: Path) -> Path:
    """Gives the folder of an environment's packages."""
    return Path(sysconfig.get_path("purelib", "venv", {"base": str(folder)}))


def install(folder: Path, requirements: Path, *options: str) -> None:
    """Calls the pip of an environment."""
    pip = (str(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "--quiet", "install")
    lines = requirements.read_text(encoding="utf-8").splitlines()
    wanted = [line for line in lines if line and not line.startswith("#")]
    # What is imported is compiled then; much of Spark's never is. PySpark comes as an archive of its sources: pip makes
    # a package of it first, for which nobody has to compress it. These settings are not for what a file lists.
    run(*pip, "--no-compile", "--config-settings=--build-option=--compression=stored", *options, *wanted)


def run(*command: str) -> None:
    """Runs a command whose output is for people; standard output is for the answer alone."""
    subprocess.run(command, stdout=sys.stderr, check=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
