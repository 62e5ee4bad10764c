"""DuckDB, which reads large, compressed and Parquet files within a memory limit, spilling to a temporary directory."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from karat.errors import FileError, Option
from karat.foreign import first_line
from karat.machine.temporary import own_folder
from karat.sources.files.progress import Progress

BATCH = 1 << 25  # rows fetched from the database at a time


class RefusedError(FileError):
    """A text file that DuckDB cannot read; the standard library may, or gives a better message."""


class Database:
    """An in-memory DuckDB with a memory limit, which queries files.

    In its methods, about is the name of the file that an error message mentions, and rows is SQL that may stand after
    FROM: the name of a temporary table, or a query in parentheses.
    """

    def __init__(self, memory: str = "2GB", threads: int | None = None, progress: bool = False) -> None:
        import duckdb

        self.duckdb = duckdb
        self.folder = tempfile.TemporaryDirectory(dir=own_folder(), ignore_cleanup_errors=True)
        config: dict[str, Any] = {"temp_directory": self.folder.name, "preserve_insertion_order": False}
        try:
            self.connection = duckdb.connect(
                config={**config, "memory_limit": memory, **({} if threads is None else {"threads": threads})}
            )
        except (duckdb.Error, RuntimeError):
            self.folder.cleanup()
            raise FileError(
                Option("memory", (memory,)),
                " is no amount of memory; say for instance ",
                Option("memory", ("2GB",)),
                ".",
            ) from None
        self.progress = Progress(self.connection) if progress else None
        self.alive: dict[object, Any] = {}  # arrays and data sets in use by queries
        self.temporaries = 0  # number of temporary tables and registered arrays

    def close(self) -> None:
        """Release memory and disk, and remove the progress bar."""
        if self.progress is not None:
            self.progress.stop()
        self.connection.close()
        self.folder.cleanup()

    def run(self, query: str, about: str) -> None:
        """Run a statement."""
        self._ask(query, about, lambda cursor: None)

    def all(self, query: str, about: str, *, in_order: bool = False) -> list[tuple[Any, ...]]:
        """The rows of a query, in file order if in_order."""
        with self.file_order() if in_order else nullcontext():
            rows: list[tuple[Any, ...]] = self._ask(query, about, lambda cursor: cursor.fetchall())
        return rows

    def some(self, query: str, about: str, size: int = 100_000) -> Iterator[list[tuple[Any, ...]]]:
        """The rows of a query in file order, some at a time."""
        with self.file_order():
            cursor = self._ask(query, about, lambda cursor: cursor)
            while rows := cursor.fetchmany(size):
                yield rows

    def arrays(self, query: str, about: str) -> dict[str, Any]:
        """The columns of a query, as NumPy arrays."""
        return self._ask(query, about, lambda cursor: cursor.fetchnumpy())  # type: ignore[no-any-return]

    def count(self, rows: str, about: str) -> int:
        """The number of rows."""
        return int(self.all(f"SELECT count(*) FROM {rows}", about)[0][0])

    def is_one_batch(self, size: int) -> bool:
        """Whether so many rows are fetched at once."""
        return size <= BATCH

    def batches(self, temporary: str, about: str) -> Iterator[dict[str, Any]]:
        """The columns of a temporary table as NumPy arrays, some million rows at a time."""
        for start in range(0, self.count(temporary, about), BATCH):
            query = f"SELECT * FROM {temporary} WHERE rowid >= {start} AND rowid < {start + BATCH}"
            yield self.arrays(query, about)

    @contextmanager
    def file_order(self) -> Iterator[None]:
        """Have queries of a with block give rows in the order of the file, which takes more memory."""
        self.connection.execute("SET preserve_insertion_order = true")
        yield
        self.connection.execute("SET preserve_insertion_order = false")

    def stored(self, query: str, about: str) -> str:
        """Store the result of a query in a temporary table, and return its name."""
        self.temporaries += 1
        self.run(f"CREATE TEMP TABLE t{self.temporaries} AS {query}", about)
        return f"t{self.temporaries}"

    def opened(self, key: object, opening: Callable[[], Any]) -> Any:
        """What opening() returned when it was first called with this key."""
        if key not in self.alive:
            self.alive[key] = opening()
        return self.alive[key]

    def registered(self, values: Any) -> str:
        """Give arrays or a data set a name in SQL, and return it."""
        self.temporaries += 1
        name = f"memory{self.temporaries}"
        self.alive[name] = values
        self.connection.register(name, values)
        return name

    def _ask(self, query: str, about: str, fetch: Callable[[Any], Any]) -> Any:
        try:
            if self.progress is not None:
                self.progress.name = about
            return fetch(self.connection.execute(query))
        except self.duckdb.OutOfMemoryException:
            raise FileError(
                f"{about!r} needs more memory or disk than the limit allows; raise it with memory=."
            ) from None
        except self.duckdb.InterruptException:
            raise KeyboardInterrupt from None
        except self.duckdb.Error as problem:
            reason = str(problem).split("\n", 1)[0].removesuffix(".")
            raise RefusedError(f"{about!r} cannot be read ({reason}); check that it is complete.") from None
        except RuntimeError as problem:
            if "interrupted" in str(problem):  # DuckDB's error after Ctrl-C
                raise KeyboardInterrupt from None
            if "bad_cast" in str(problem):  # DuckDB's error for text that is not UTF-8
                raise RefusedError(f"{about!r} has a name that is not UTF-8; rename it.") from None
            raise RefusedError(
                f"{about!r} cannot be read ({first_line(problem)}); check that it is complete."
            ) from problem
