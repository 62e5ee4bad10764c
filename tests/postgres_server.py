"""A PostgreSQL server of its own on 127.0.0.1, from Debian's package `postgresql`, that ends with the tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Self

from spark_cluster import HOST, end_with_us, free_port

USER = "nobody"  # the server refuses to run as root
PATIENCE = 60.0  # seconds until a server that should be up counts as failed


class Server:
    """A server with an empty data base; use as a context manager."""

    def __init__(self) -> None:
        self.port = free_port()
        self.folder = Path(tempfile.mkdtemp(prefix="karat-postgres-"))
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:  # nothing else knows of the process and the folder
            self.close()
            raise
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def _start(self) -> None:
        user = USER if os.geteuid() == 0 else None
        if user:
            shutil.chown(self.folder, user)
        data = self.folder / "data"
        quiet = {"user": user, "cwd": self.folder, "stdout": subprocess.DEVNULL}
        make = [program("initdb"), "-D", data, "-U", "karat", "-A", "trust", "-E", "UTF8", "--no-sync"]
        subprocess.run([*map(str, make)], check=True, **quiet)
        serve = [program("postgres"), "-D", data, "-h", HOST, "-p", self.port, "-k", self.folder, "-F"]
        with (self.folder / "log").open("wb") as log:
            self.process = subprocess.Popen([*map(str, serve)], stderr=log, preexec_fn=end_with_us, **quiet)
        end = time.monotonic() + PATIENCE
        ready = [str(program("pg_isready")), "-q", "-h", HOST, "-p", str(self.port)]
        while subprocess.call(ready):
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"PostgreSQL did not start: {(self.folder / 'log').read_text()[-2000:]}")
            time.sleep(0.1)

    def close(self) -> None:
        """End the server and remove its files."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait(30)
        shutil.rmtree(self.folder, ignore_errors=True)


def program(name: str) -> Path:
    """A program of the newest PostgreSQL that is installed, by its path."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    if not found:
        raise FileNotFoundError(f"PostgreSQL's {name} is not installed (Debian: apt-get install postgresql)")
    return found[-1]
