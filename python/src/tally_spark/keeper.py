"""Takes a folder and the command of a node, runs it, and ends it when this program's standard input ends.

Whoever starts a keeper holds the other end of that pipe. However that process ends, killed included, the pipe ends with
it, and so does the node: none is left behind. It runs as a program of its own, without the package.
"""

import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

STOP = b"stop"
STOP_LIMIT_SECONDS = 30


def main(folder: Path, command: list[str]) -> int:
    """Gives the node's exit status; its output is in the folder's file ``log``."""
    with (folder / "log").open("wb") as log:
        node = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
    signal.signal(signal.SIGTERM, lambda *_: node.terminate())
    abandoned = threading.Event()
    threading.Thread(target=_end_with_input, args=(node, abandoned), daemon=True).start()
    status = node.wait()
    if abandoned.is_set():
        # Nobody else is left to do it. The last of several keepers empties the folder around.
        shutil.rmtree(folder)
        if not any(folder.parent.iterdir()):
            folder.parent.rmdir()
    return status


def _end_with_input(node: subprocess.Popen[bytes], abandoned: threading.Event) -> None:
    if sys.stdin.buffer.read() != STOP:
        abandoned.set()
    node.terminate()
    killer = threading.Timer(STOP_LIMIT_SECONDS, node.kill)
    killer.daemon = True
    killer.start()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
