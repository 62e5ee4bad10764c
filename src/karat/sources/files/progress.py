"""A progress bar while DuckDB reads."""

from __future__ import annotations

import threading
from typing import Any

PATIENCE = 0.7  # seconds before the bar appears


class Progress:
    """Polls a connection for its progress in a thread, and shows a bar on standard error until stop()."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection
        self.name = ""  # of the file being read
        self.stopped = threading.Event()
        connection.execute("SET enable_progress_bar = true; SET enable_progress_bar_print = false")
        self.thread = threading.Thread(target=self._watch, daemon=True)
        self.thread.start()

    def stop(self) -> None:
        """Remove the bar."""
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
                known = 100 if percent >= 0 else None  # None shows an indeterminate bar
                bar.update(task, description=f"reading {shown(self.name)}", total=known, completed=max(0, percent))
