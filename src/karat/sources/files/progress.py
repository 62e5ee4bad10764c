"""A bar on the terminal while DuckDB reads."""

from __future__ import annotations

import threading
from typing import Any

PATIENCE = 0.7  # seconds before anything is shown


class Progress:
    """Asks a connection from another thread how far it is, and shows it on standard error until it is stopped."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection
        self.name = ""  # of the file that is being read
        self.stopped = threading.Event()
        connection.execute("SET enable_progress_bar = true; SET enable_progress_bar_print = false")
        self.thread = threading.Thread(target=self._watch, daemon=True)
        self.thread.start()

    def stop(self) -> None:
        """Take the bar away."""
        self.stopped.set()
        self.thread.join()

    def _watch(self) -> None:
        if self.stopped.wait(PATIENCE):
            return
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        from karat.output.layout import shown

        columns = TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn()
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("", total=None)
            while not self.stopped.wait(0.1):
                percent = self.connection.query_progress()
                known = 100 if percent >= 0 else None  # else the bar runs to and fro
                bar.update(task, description=f"reading {shown(self.name)}", total=known, completed=max(0, percent))
