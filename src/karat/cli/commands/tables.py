"""karat table and karat merge: the cells of a table, shown or saved, and sums of tables."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

import karat
from karat.cli.commands.scores import measures_of, read_evaluation
from karat.cli.output import (
    check_output,
    form,
    show,
    write,
    write_csv,
)
from karat.errors import FileError, brief
from karat.output.layout import Layout, decimals, shortened, shown
from karat.scoring.boards import Board


def table(chosen: Namespace) -> None:
    """Show the cells, largest first, or save the whole table."""
    check_output(chosen)
    reading = read_evaluation(chosen, keep=False)
    tables, notes = dict(reading.tables), reading.notes
    if reading.groups is not None:  # such as the words of a Senseval key, which are pooled here
        groups = reading.groups.values()
        tables = {name: karat.Table.from_batches([g[name] for g in groups]) for name in reading.systems}
        notes = (*notes, f"all groups by {reading.by!r} are taken together")
    if len(tables) > 1:
        raise FileError(
            f"there are {len(tables)} systems, {', '.join(map(repr, tables))}; show the table of one of them."
        )
    (counts,) = tables.values()
    if chosen.save is not None:
        counts.save(chosen.save)
        if not _shown_too(chosen):
            return
    by_ending = chosen.output is not None and chosen.format is None
    if by_ending and chosen.output.lower().endswith((".parquet", ".json")):
        counts.save(chosen.output)
        return
    if form(chosen) == "json":
        write(chosen, _saved(counts))
        return
    cells = counts.top_cells(chosen.top or (20 if form(chosen) == "text" else None))
    layout = _matrix(counts) if chosen.matrix else _cells(counts, cells)
    if form(chosen) == "csv":
        _check_distinct(counts)
    if chosen.matrix and form(chosen) == "csv":
        write_csv(chosen, *_plain_matrix(counts))
        return
    show(
        chosen,
        lambda: [layout],
        lambda: [{"class": c, "cluster": k, "count": n} for c, k, n in cells],
        dict,
        notes,
    )


def _shown_too(chosen: Namespace) -> bool:
    """Whether something is asked for besides the table that --save keeps."""
    return chosen.output is not None or chosen.format is not None


def _check_distinct(counts: Any) -> None:
    """Refuse labels that CSV cannot tell apart, such as 1 and "1"."""
    for names in (counts.classes, counts.clusters):
        texts: dict[str, Any] = {}
        for name in names:
            if texts.setdefault(str(name), name) is not name:
                other = texts[str(name)]
                raise FileError(
                    f"{brief(other)} and {brief(name)} are two labels, but one in CSV; write JSON or Parquet."
                )


def _saved(counts: Any) -> str:
    """The table as JSON, as save() would write it."""
    from karat.machine.temporary import new_folder

    with new_folder() as folder:
        path = f"{folder}/table.json"
        counts.save(path)
        with open(path, encoding="utf-8") as file:
            return file.read().rstrip("\n")


def _cells(counts: Any, cells: list[tuple[Any, Any, Any]]) -> Layout:
    from karat.output.numbers import number, several

    indices = counts.top_indices(len(cells)).tolist()  # not sizes by label: True and 1 are two labels but equal keys
    rows = [
        [
            shortened(shown(c), 40), shortened(shown(k), 40), _amount(n),
            decimals(100 * n / counts.class_sizes[counts.rows[index]], 1),
            decimals(100 * n / counts.cluster_sizes[counts.cols[index]], 1),
        ]
        for (c, k, n), index in zip(cells, indices, strict=True)
    ]  # fmt: skip
    rows_of, columns_of = counts.shape
    title = (
        f"{several(counts.n, 'item')} in {several(rows_of, 'class')} and {several(columns_of, 'cluster')}: "
        f"{several(counts.counts.size, 'cell')} with items"
    )
    left = counts.counts.size - len(cells)
    rest = counts.n - sum(n for _, _, n in cells)
    notes = [f"{number(left)} more with {number(rest)} items; --top {counts.counts.size} shows all."] if left else []
    return Layout(title, ["class", "cluster", "items", "% of class", "% of cluster"], rows, notes, left=2)


def _amount(n: float) -> str:
    return f"{n:,}" if n == int(n) else f"{n:,.4f}".rstrip("0")


def _matrix(counts: Any) -> Layout:
    from karat.output.numbers import several

    headings, rows = _plain_matrix(counts)
    texts = [[shortened(shown(row[0]), 40), *(_amount(n) if n else "·" for n in row[1:])] for row in rows]
    title = f"{several(counts.n, 'item')}, classes below each other, clusters side by side"
    return Layout(title, ["class", *(shortened(shown(name), 40) for name in headings[1:])], texts)


def _plain_matrix(counts: Any) -> tuple[list[str], list[list[Any]]]:
    if counts.shape[0] * counts.shape[1] > 1_000_000:
        raise FileError(
            f"a matrix of {counts.shape[0]:,} by {counts.shape[1]:,} is too large to print; leave out --matrix."
        )
    rows = counts.to_sparse().toarray().tolist()
    return ["class", *map(str, counts.clusters)], [[c, *row] for c, row in zip(counts.classes, rows, strict=True)]


def merge(chosen: Namespace) -> None:
    """Add up saved tables, and save or score the sum."""
    check_output(chosen)
    total = karat.Table.from_batches(karat.Table.load(path) for path in chosen.files)
    for path in chosen.without:
        total = total - karat.Table.load(path)
    if chosen.save is not None:
        total.save(chosen.save)
        if chosen.measures is None and not _shown_too(chosen):
            return
    board = Board({"merged": karat.score(total, measures=measures_of(chosen))})
    show(chosen, lambda: [board.layout(chosen.digits)], board.records, board.to_dict)
