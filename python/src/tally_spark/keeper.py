"""Takes a folder and the command of a node, runs it, and ends it when this program's standard input ends.

Whoever starts a keeper holds the other end of that pipe. However that process ends, killed included, the pipe ends with
it, and so does the node: none is left behind. It runs as a program of its own, without the package.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

STOP_LIMIT_SECONDS = 30


def main(folder: Path, command: list[str]) -> int:
    """Gives the node's exit status; its output is in the folder's file ``log``, which goes with the node."""
    with (folder / "log").open("wb") as log:
        # Why there is no node belongs there, too.
        os.dup2(log.fileno(), sys.stderr.fileno())
        node = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
    signal.signal(signal.SIGTERM, lambda *_: node.terminate())
    let_go = threading.Event()
    threading.Thread(target=_end_with_input, args=(node, let_go), daemon=True).start()
    status = node.wait()
    if let_go.is_set():
        # Nobody else may be left to do it. The last of several keepers deletes the folder around.
        shutil.rmtree(folder, ignore_errors=True)
        with contextlib.suppress(OSError):
            folder.parent.rmdir()
    return status


def _end_with_input(node: subprocess.Popen[bytes], let_go: threading.Event) -> None:
    # Not sys.stdin: Python aborts at its end if a thread waits in it.
    while os.read(0, 1):
        pass
    let_go.set()
    node.terminate()
    killer = threading.Timer(STOP_LIMIT_SECONDS, node.kill)
    killer.daemon = True
    killer.start()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
