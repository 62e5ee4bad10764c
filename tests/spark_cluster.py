"""A Spark standalone cluster of real processes on 127.0.0.1, from what pip installs: a master and some workers."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HOST = "127.0.0.1"
_FOUND = find_spec("pyspark")
HOME = Path() if _FOUND is None or _FOUND.origin is None else Path(_FOUND.origin).parent
PATIENCE = 90.0  # seconds until a process that should be up counts as failed


class Cluster:
    """A master and workers, each with one executor per session; use as a context manager.

    memory: of an executor; Spark refuses less than 450m. What the processes write is in `folder`, removed at the end.
    """

    def __init__(self, workers: int = 2, cores: int = 1, memory: str = "600m") -> None:
        self.memory, self.cores = memory, cores
        self.folder = Path(tempfile.mkdtemp(prefix="karat-spark-"))
        self.url = f"spark://{HOST}:{free_port()}"
        self.wanted = workers
        self.master: subprocess.Popen[bytes] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        try:
            self.start_master()
            self.workers = [self._started_worker(place) for place in range(self.wanted)]
            for place in range(self.wanted):
                self._wait(f"worker{place}", "Successfully registered with master")
        except BaseException:  # Ctrl-C too: nothing else knows of these processes
            self.close()
            raise
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    @property
    def environment(self) -> dict[str, str]:
        """What the processes are told: everything on this machine's loopback and in one folder."""
        return {
            **os.environ,
            "SPARK_HOME": str(HOME),
            "SPARK_LOCAL_IP": HOST,
            "SPARK_LOCAL_HOSTNAME": HOST,
            "SPARK_WORKER_DIR": str(self.folder / "work"),
            "SPARK_LOCAL_DIRS": str(self.folder / "local"),
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": "-Dspark.master.rest.enabled=false -Dspark.worker.timeout=6",
            "PYSPARK_PYTHON": sys.executable,
        }

    @property
    def settings(self) -> dict[str, str]:
        """What an application on the cluster needs; small, and quick to notice a worker that has gone."""
        return {
            "spark.driver.host": HOST,
            "spark.driver.bindAddress": HOST,
            "spark.driver.memory": "1g",
            "spark.executor.cores": str(self.cores),
            "spark.executor.memory": self.memory,
            "spark.sql.shuffle.partitions": "8",
            "spark.shuffle.io.maxRetries": "1",
            "spark.shuffle.io.retryWait": "1s",
            "spark.local.dir": str(self.folder / "driver"),
            "spark.sql.warehouse.dir": str(self.folder / "warehouse"),
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
        }

    def start_master(self) -> None:
        """Start the master, on the port of before if there was one."""
        port = self.url.rsplit(":", 1)[1]
        self.master = self._started("master", "--host", HOST, "--port", port)
        self._wait("master", "I have been elected leader")

    def _started_worker(self, place: int) -> subprocess.Popen[bytes]:
        return self._started(
            f"worker{place}", "--host", HOST, "--cores", str(self.cores), "--memory", self.memory, self.url
        )

    def _started(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        kind = "master.Master" if name == "master" else "worker.Worker"
        command = [str(HOME / "bin/spark-class"), f"org.apache.spark.deploy.{kind}", "--webui-port", str(free_port())]
        with self._log(name).open("wb") as log:
            return subprocess.Popen(
                [*command, *arguments],
                env=self.environment,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # so that Ctrl-C ends them here, in order
                preexec_fn=end_with_us,
            )

    def _log(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    def _wait(self, name: str, pattern: str) -> None:
        """Wait for a line in a log."""
        end = time.monotonic() + PATIENCE
        while not re.search(pattern, text := self._log(name).read_text(encoding="utf-8", errors="replace")):
            if time.monotonic() > end:
                raise TimeoutError(f"{name} is not up after {PATIENCE:.0f} s: {text[-2000:]}")
            time.sleep(0.1)

    def executors(self, place: int) -> list[int]:
        """The processes that a worker has started."""
        return children(self.workers[place].pid)

    def kill_worker(self, place: int) -> None:
        """End a worker and its executors at once, with no goodbye and no files, as a machine that vanishes."""
        worker = self.workers[place]
        for pid in [worker.pid, *self.executors(place)]:
            kill(pid)
        worker.wait()

    def restore_worker(self, place: int) -> None:
        """A new worker in place of one that was killed."""
        self.workers[place] = self._started_worker(place)
        self._wait(f"worker{place}", "Successfully registered with master")

    def kill_master(self) -> None:
        """End the master at once."""
        if self.master is not None:
            kill(self.master.pid)
            self.master.wait()

    @contextlib.contextmanager
    def session(self, **settings: str) -> Iterator[SparkSession]:
        """A session whose driver is this process; a setting's dots are written as two underscores."""
        from pyspark.sql import SparkSession

        environment = self.environment
        os.environ.update({key: environment[key] for key in ("SPARK_LOCAL_IP", "SPARK_LOCAL_HOSTNAME")})
        builder = SparkSession.builder.master(self.url).appName("karat")
        for key, value in {**self.settings, **{k.replace("__", "."): v for k, v in settings.items()}}.items():
            builder = builder.config(key, value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        try:
            yield session
        finally:
            session.stop()

    def submit(self, script: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a script by spark-submit, as one would on a cluster."""
        settings = [part for key, value in self.settings.items() for part in ("--conf", f"{key}={value}")]
        command = [str(HOME / "bin/spark-submit"), "--master", self.url, *settings, str(script), *arguments]
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)

    def close(self) -> None:
        """End all processes, executors included, and remove what they wrote."""
        running = [process for process in (*self.workers, self.master) if process and process.poll() is None]
        started = {process.pid: children(process.pid) for process in running}
        for process in running:
            process.terminate()
        for process in running:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            for pid in started[process.pid]:
                kill(pid)
        shutil.rmtree(self.folder, ignore_errors=True)


def end_with_us() -> None:
    """Ask Linux to end this process when the one that started it is gone, however it ended."""
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGTERM)


def free_port() -> int:
    """A port that nobody listens at; somebody might, a moment later."""
    with socket.socket() as made:
        made.bind((HOST, 0))
        return int(made.getsockname()[1])


def children(pid: int) -> list[int]:
    """The processes that a process has started itself, as Linux knows them."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            fields: list[Any] = path.read_text().rsplit(")", 1)[1].split()
            if int(fields[1]) == pid:
                found.append(int(path.parent.name))
    return found


def kill(pid: int) -> None:
    """End a process that this module has started, if it still runs."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
