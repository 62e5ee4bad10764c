"""A bar on the terminal while DuckDB reads."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

PATIENCE = 0.7  # seconds before anything is shown


class Progress:
    """Asks a connection from another thread how far it is."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection

    @contextmanager
    def shown(self, name: str) -> Iterator[None]:
        """Show a bar on standard error while a query runs, if it takes long and somebody looks."""
        if not sys.stderr.isatty():
            yield
            return
        done = threading.Event()
        watcher = threading.Thread(target=self._watch, args=(name, done), daemon=True)
        watcher.start()
        try:
            yield
        finally:
            done.set()
            watcher.join()

    def _watch(self, name: str, done: threading.Event) -> None:
        if done.wait(PATIENCE):
            return
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        from karat.rendering import shown

        columns = TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn()
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(f"reading {shown(name)}", total=100)
            while not done.wait(0.1):
                percent = self.connection.query_progress()
                bar.update(task, completed=percent) if percent >= 0 else bar.update(task)
