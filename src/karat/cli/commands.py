"""What each command does, with karat's own public functions."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import karat
import karat.files.reading  # with the others, before anything is to be collected
from karat.bars import bar, say, watched
from karat.boards import Board, GroupScores
from karat.cli.output import (
    ENDINGS,
    check_output,
    form,
    in_json,
    in_words_of_the_terminal,
    show,
    terminal_columns,
    write,
    write_csv,
)
from karat.cli.streams import inform, put
from karat.cli.usage import UsageError, check_thresholds, of_usage
from karat.errors import FileError, KaratError
from karat.names import ByLabel
from karat.rendering import Layout, decimals, shortened, shown


def score(chosen: Namespace) -> None:
    """The panel for each system; with --by for each of its groups."""
    check_output(chosen)
    measures = None if chosen.measures is None else ",".join(chosen.measures)
    if chosen.engine != "duckdb":
        _score_by_engine(chosen, measures)
        return
    if chosen.by is not None and chosen.interval is not None:
        raise UsageError(f"groups by {chosen.by!r} have no intervals yet; leave out --interval.")
    reading = _read(chosen, by=chosen.by)
    if reading.groups and chosen.interval is not None:
        raise FileError(f"groups by {reading.by!r} have no intervals yet; leave out --interval.")
    if reading.groups:
        groups = [_group_scores(reading, name, measures, several=len(reading.groups) > 1) for name in reading.groups]
        show(
            chosen,
            lambda: [found.layout(chosen.digits) for found in groups],
            lambda: [record for found in groups for record in found.records()],
            lambda: {"systems": [{"system": n, **g.to_dict()} for n, g in zip(reading.groups, groups, strict=True)]},
            reading.notes,
        )
        means = {f"{name} (macro)": _macro(g) for name, g in zip(reading.groups, groups, strict=True)}
        check_thresholds(chosen, means)
        return
    sampling = _sampling(chosen)
    scores = {name: karat.score(table, measures=measures, **sampling) for name, table in reading.tables.items()}
    board = Board(scores)
    only = next(iter(scores.values())) if len(scores) == 1 else None
    show(
        chosen,
        lambda: _one_by_one(scores, chosen.digits) if chosen.interval else [(only or board).layout(chosen.digits)],
        board.records,
        board.to_dict,
        reading.notes,
    )
    check_thresholds(chosen, {name: _scored(table, scores[name]) for name, table in reading.tables.items()})


def _scored(table: Any, scores: Any) -> Callable[[str], float]:
    """The score of a table by the name of a measure, whether it was asked for or not."""
    return lambda name: float(scores[name] if name in scores else karat.score(table, measures=[name])[name])


def _macro(groups: GroupScores) -> Callable[[str], float]:
    """The mean over groups by the name of a measure."""
    from statistics import fmean

    return lambda name: fmean(_scored(found.table, found)(name) for found in groups.scores.values())


def _score_by_engine(chosen: Namespace, measures: str | None) -> None:
    """Columns of one table, or of two matched on an id, counted by Polars or Spark."""
    from contextlib import ExitStack

    from karat.engines.collecting import counted_frame
    from karat.engines.paths import opened_by

    if not chosen.gold or not chosen.pred or len(chosen.gold) > 1 or len(chosen.files) > 2:
        raise UsageError(f"--engine {chosen.engine} takes one table or two, and the columns: --gold ... --pred ...")
    if chosen.by is not None or chosen.interval is not None:
        raise UsageError(f"--by and --interval are not for --engine {chosen.engine}; leave them out.")
    options = {
        "gold": chosen.gold[0], "id": chosen.id if len(chosen.files) == 2 else None, "count": chosen.count,
        "weights": chosen.weights, "missing": chosen.missing, "noise": chosen.noise, "noise_as": chosen.noise_as,
    }  # fmt: skip
    with ExitStack() as stack:
        numbers = [name for name in (chosen.count, chosen.weights) if name is not None]
        engine = {"numbers": numbers, "master": chosen.master, "memory": chosen.memory}
        frames = [stack.enter_context(opened_by(chosen.engine, path, **engine)) for path in chosen.files]
        tables = {pred: counted_frame(*frames, pred=pred, **options) for pred in chosen.pred}
        scores = {name: karat.score(table, measures=measures) for name, table in tables.items()}
        board = Board(scores)
        only = next(iter(scores.values())) if len(scores) == 1 else None
        show(chosen, lambda: [(only or board).layout(chosen.digits)], board.records, board.to_dict)
        check_thresholds(chosen, {name: _scored(table, scores[name]) for name, table in tables.items()})


def merge(chosen: Namespace) -> None:
    """Tables of shards added up."""
    check_output(chosen)
    found = karat.Table.from_batches(karat.Table.load(path) for path in chosen.files)
    for path in chosen.without:
        found = found - karat.Table.load(path)
    if chosen.save is not None:
        found.save(chosen.save)
        if chosen.measures is None:
            return
    measures = None if chosen.measures is None else ",".join(chosen.measures)
    board = Board({"merged": karat.score(found, measures=measures)})
    show(chosen, lambda: [board["merged"].layout(chosen.digits)], board.records, board.to_dict)


def _one_by_one(scores: dict[str, Any], digits: int) -> list[Layout]:
    """The scores of each system with their intervals, which take the room of a system beside it."""
    layouts = {name: found.layout(digits) for name, found in scores.items()}
    if len(layouts) == 1:
        return list(layouts.values())
    return [layout._replace(title=f"{shown(name)}: {layout.title}") for name, layout in layouts.items()]


def _sampling(chosen: Namespace) -> dict[str, Any]:
    """The options of intervals, as score() and compare() take them."""
    return {
        "interval": chosen.interval, "unit": chosen.unit, "corrected": not chosen.uncorrected,
        "resamples": chosen.resamples, "seed": chosen.seed,
    }  # fmt: skip


def compare(chosen: Namespace) -> None:
    """Systems beside each other, with what can be told apart."""
    check_output(chosen)
    if chosen.pairwise and (chosen.differences or chosen.interval != 0.95 or chosen.unit != "items"):
        raise UsageError("--differences, --interval and --unit are for comparing with gold; leave out --pairwise.")
    for name in ("weights", "count"):
        if getattr(chosen, name) is not None:
            raise UsageError(f"{name}={getattr(chosen, name)!r} is not for comparing, which is of items; leave it out.")
    found = _together(chosen)
    policy = {"missing": chosen.missing, "noise": found.noise, "noise_as": chosen.noise_as}
    measures = None if chosen.measures is None else ",".join(chosen.measures)
    if len(found.systems) < 2 and not chosen.pairwise:
        raise FileError("there is one system; add another file or --pred column, or use karat score.")
    if chosen.pairwise:
        first = os.path.splitext(os.path.basename(chosen.files[0]))[0]
        name = chosen.gold[0] if len(chosen.files) == 1 and chosen.gold else first
        between = karat.agreement({name: found.gold, **found.systems}, measures or "vi", **policy)
        show(chosen, lambda: [between.layout(chosen.digits)], between.records, between.to_dict)
        return
    made = karat.compare(found.gold, found.systems, measures, **policy, **_sampling(chosen))
    layouts = [
        *made.layouts(chosen.digits),
        *([made.table_of_differences(chosen.digits)] if chosen.differences else []),
    ]
    records = made.differences if chosen.differences else made.records
    show(chosen, lambda: layouts, records, made.to_dict, found.notes)


def _together(chosen: Namespace) -> Any:
    """The labels of gold and of all systems."""
    from karat.files.together import read_together

    return read_together(
        *chosen.files, gold=chosen.gold or None, pred=chosen.pred, id=chosen.id, noise=chosen.noise,
        input=chosen.input, encoding=chosen.encoding, header=not chosen.no_header, delimiter=chosen.delimiter,
        memory=chosen.memory, threads=chosen.threads,
    )  # fmt: skip


def report(chosen: Namespace) -> None:
    """A page to look at."""
    import shlex

    from karat.reports.from_files import report_on

    check_output(chosen)
    if os.path.splitext(chosen.output)[1].lower() not in (".html", ".htm"):
        raise UsageError(f"{chosen.output!r} does not look like a page; name it .html.")
    measures = None if chosen.measures is None else ",".join(chosen.measures)
    options = {"improve": chosen.improve, "title": chosen.title, "command": shlex.join(chosen.line)}
    page = report_on(*chosen.files, reading=_reading(chosen), measures=measures, **_sampling(chosen), **options)
    page = replace(page, notes=tuple(map(in_words_of_the_terminal, page.notes)))
    page.save(chosen.output)
    if not chosen.quiet:
        for note in page.notes:
            say(note)
        inform(f"{shown(chosen.output)}: {os.path.getsize(chosen.output) / 1e3:,.0f} kB")
    if chosen.open:
        import pathlib
        import webbrowser

        webbrowser.open(pathlib.Path(chosen.output).resolve().as_uri())


def app(chosen: Namespace) -> None:
    """A page to drop files on, until it is interrupted."""
    from contextlib import suppress

    from karat.app.serving import serve

    def ready(address: str) -> None:
        print(f"karat is at {address} (Ctrl-C ends it)", flush=True)
        if not chosen.no_browser:
            import webbrowser

            webbrowser.open(address)

    with suppress(KeyboardInterrupt):
        serve(chosen.port, chosen.limit * 1_000_000, ready=ready)


def explain(chosen: Namespace) -> None:
    """What went wrong, and what would help most."""
    check_output(chosen)
    reading = _read(chosen)
    if len(reading.tables) != 1:
        raise FileError(f"there are {len(reading.tables)} systems; explain one of them, as --pred ...")
    (table,) = reading.tables.values()
    found = karat.explain(table, measure=chosen.measure, top=chosen.top)
    show(chosen, lambda: found.layouts(chosen.digits), found.records, found.to_dict, reading.notes)


MANY = 2000  # groups, which take two seconds


def _group_scores(reading: Any, name: str, measures: Any, *, several: bool) -> GroupScores:
    tables = reading.groups[name].items()
    with bar("scoring groups", len(tables) if len(tables) > MANY else 0) as advance:

        def scored(table: Any) -> Any:
            advance()
            return karat.score(table, measures=measures)

        scores = ByLabel((group, scored(table)) for group, table in tables)
    return GroupScores(reading.by, scores, name if several else "")


def _read(chosen: Namespace, by: str | None = None) -> Any:
    return karat.read(*chosen.files, by=by, **_reading(chosen))


def _reading(chosen: Namespace) -> dict[str, Any]:
    """The options of read()."""
    return {
        "gold": chosen.gold or None, "pred": chosen.pred, "id": chosen.id, "weights": chosen.weights,
        "count": chosen.count, "missing": chosen.missing, "noise": chosen.noise, "noise_as": chosen.noise_as,
        "input": chosen.input, "encoding": chosen.encoding, "header": not chosen.no_header,
        "delimiter": chosen.delimiter, "memory": chosen.memory, "threads": chosen.threads,
        "progress": not chosen.quiet and watched(),
    }  # fmt: skip


def table(chosen: Namespace) -> None:
    """The cells, largest first; or the whole table, to be kept."""
    check_output(chosen)
    reading = _read(chosen)
    tables = dict(reading.tables)
    if reading.groups:  # a Senseval key has its words apart; here they are taken together
        tables = {name: karat.Table.from_batches(groups.values()) for name, groups in reading.groups.items()}
        reading = replace(reading, notes=(*reading.notes, f"all groups by {reading.by!r} are taken together"))
    if len(tables) > 1:
        raise FileError(
            f"there are {len(tables)} systems, {', '.join(map(repr, tables))}; show the table of one of them."
        )
    (found,) = tables.values()
    if chosen.save is not None:
        found.save(chosen.save)
        return
    whole = chosen.output is not None and chosen.format is None
    if whole and chosen.output.lower().endswith((".parquet", ".json")):
        found.save(chosen.output)
        return
    if form(chosen) == "json":
        write(chosen, _saved(found))
        return
    cells = found.top_cells(chosen.top or (20 if form(chosen) == "text" else None))
    layout = _matrix(found) if chosen.matrix else _cells(found, cells)
    if chosen.matrix and form(chosen) == "csv":
        write_csv(chosen, *_plain_matrix(found))
        return
    show(
        chosen,
        lambda: [layout],
        lambda: [{"class": c, "cluster": k, "count": n} for c, k, n in cells],
        dict,
        reading.notes,
    )


def _saved(found: Any) -> str:
    """The table as JSON, as save() would write it."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/table.json"
        found.save(path)
        with open(path, encoding="utf-8") as file:
            return file.read().rstrip("\n")


def _cells(found: Any, cells: list[tuple[Any, Any, Any]]) -> Layout:
    from karat.tables import number, several

    places = found.top_places(len(cells)).tolist()  # sizes are not looked up by name: True and 1 are two
    rows = [
        [
            shortened(shown(c), 40), shortened(shown(k), 40), _amount(n),
            decimals(100 * n / found.class_sizes[found.rows[place]], 1),
            decimals(100 * n / found.cluster_sizes[found.cols[place]], 1),
        ]
        for (c, k, n), place in zip(cells, places, strict=True)
    ]  # fmt: skip
    rows_of, columns_of = found.shape
    title = (
        f"{several(found.n, 'item')} in {several(rows_of, 'class')} and {several(columns_of, 'cluster')}: "
        f"{several(found.counts.size, 'cell')} with items"
    )
    left = found.counts.size - len(cells)
    rest = found.n - sum(n for _, _, n in cells)
    notes = [f"{number(left)} more with {number(rest)} items; --top {found.counts.size} shows all."] if left else []
    return Layout(title, ["class", "cluster", "items", "% of class", "% of cluster"], rows, notes, left=2)


def _amount(n: float) -> str:
    return f"{n:,}" if n == int(n) else f"{n:,.4f}".rstrip("0")


def _matrix(found: Any) -> Layout:
    from karat.tables import several

    headings, rows = _plain_matrix(found)
    texts = [[shortened(shown(row[0]), 40), *(_amount(n) if n else "·" for n in row[1:])] for row in rows]
    title = f"{several(found.n, 'item')}, classes below each other, clusters side by side"
    return Layout(title, ["class", *(shortened(shown(name), 40) for name in headings[1:])], texts)


def _plain_matrix(found: Any) -> tuple[list[str], list[list[Any]]]:
    if found.shape[0] * found.shape[1] > 1_000_000:
        raise FileError(
            f"a matrix of {found.shape[0]:,} by {found.shape[1]:,} is too large to print; leave out --matrix."
        )
    rows = found.to_sparse().toarray().tolist()
    return ["class", *map(str, found.clusters)], [[c, *row] for c, row in zip(found.classes, rows, strict=True)]


def measures(chosen: Namespace) -> None:
    """All measures, or cards of those that are named."""
    from karat import cards

    check_output(chosen)
    asked = [karat.parse(name) for name in chosen.names]
    if asked and form(chosen) == "text":
        columns = terminal_columns() if sys.stdout.isatty() else 80
        write(chosen, "\n\n\n".join(cards.card(m, min(columns, 100)) for m in asked))
        return
    found = asked or list(karat.list_measures())
    show(
        chosen,
        lambda: [cards.catalogue(found)],
        lambda: cards.records(found),
        lambda: {"measures": cards.records(found)},
    )


def relate(chosen: Namespace) -> None:
    """Correlations between measures on the user's own systems."""
    check_output(chosen)
    reading = _read(chosen)
    tables = list(reading.tables.values()) or [t for groups in reading.groups.values() for t in groups.values()]
    measures = None if chosen.measures is None else ",".join(chosen.measures)
    found = karat.relate(tables, measures, resamples=chosen.resamples, seed=chosen.seed)
    digits = min(chosen.digits, 2)
    show(chosen, lambda: [found.layout(digits)], found.records, found.to_dict, reading.notes)


def audit(chosen: Namespace) -> None:
    """Measures x properties, and counterexamples."""
    check_output(chosen)
    names: Any = ",".join(chosen.names) or [m for m in karat.list_measures() if m.better is not None]
    properties = None if chosen.property is None else ",".join(chosen.property)
    say = _progress(chosen)
    try:
        found = karat.audit(names, properties, tries=chosen.tries, progress=say)
    finally:
        if say is not None:
            say("")
    if chosen.examples and form(chosen) == "text":
        columns = terminal_columns() if chosen.output is None and sys.stdout.isatty() else None
        write(chosen, f"{found.layout().text(columns, quiet=chosen.quiet)}\n\n{found.examples()}")
        return
    show(chosen, lambda: [found.layout()], lambda: list(map(_flat, found.records())), found.to_dict)


def _flat(record: dict[str, Any]) -> dict[str, Any]:
    """A record with its tables as JSON, for a field of CSV."""
    import json

    return {**record, "example": "" if record["example"] is None else json.dumps(record["example"])}


def _progress(chosen: Namespace) -> Callable[[str], None] | None:
    """A line on standard error that tells what is being done, if somebody looks."""
    if chosen.quiet or not watched() or os.environ.get("TERM") == "dumb":
        return None
    return lambda text: print(f"\r\x1b[K{shown(text)}", end="", file=sys.stderr, flush=True)


def reproduce(chosen: Namespace) -> None:
    """A paper's results, printed beside computed."""
    from karat.papers.pages import prepare

    options = {name: getattr(chosen, name) for name in ("corpus", "gold", "text", "iterations", "variant", "processes")}
    folder = chosen.output is not None and chosen.format is None and not chosen.output.lower().endswith(tuple(ENDINGS))
    if folder:
        prepare(chosen.output)
    else:
        check_output(chosen)
    keep = None if chosen.keep is None else dict(chosen.keep)
    try:
        found = karat.reproduce(chosen.paper, chosen.experiment, **options, keep=keep, progress=not chosen.quiet)
    except KeyboardInterrupt:
        raise KaratError("interrupted; what has been clustered is kept, and the same command goes on.") from None
    if folder:
        names = found.write(chosen.output)
        if not chosen.quiet:
            inform(f"{found.layout().notes[0]} Written to {shown(chosen.output)}: {', '.join(names)}")
        return
    if form(chosen) == "json":
        write(chosen, in_json(found.records()))
        return
    show(chosen, found.layouts, found.records, dict)


def data(chosen: Namespace) -> None:
    """Data sets: what there is, and where."""
    from karat import datasets
    from karat.datasets.catalogue import find

    if chosen.action == "path":
        with of_usage():
            find(chosen.name)
        put(datasets.path(chosen.name))
        return
    if chosen.action == "list":
        check_output(chosen)
        records = datasets.records()
        show(chosen, lambda: [datasets.layout(records)], lambda: records, lambda: {"datasets": records})
        return
    if chosen.file is not None and len(chosen.names) > 1:
        raise UsageError(f"--from {shown(chosen.file)} is one package; fetch one data set with it.")
    with of_usage():
        names = [find(name).name for name in chosen.names]
    for name in names:
        folder = datasets.fetch(name, file=chosen.file, again=chosen.again)
        example = find(name).example.replace("FOLDER", folder)
        inform(f"{name} is in {folder}\n  try: {example}")


def example(chosen: Namespace) -> None:
    """The textbook's clustering of 17 documents."""
    board = Board({"textbook": karat.score(*karat.examples.textbook())})
    show(chosen, lambda: [board["textbook"].layout(chosen.digits)], board.records, board.to_dict)


def completion(chosen: Namespace) -> None:
    """A script for the shell."""
    import shtab

    from karat.cli.parser import parser

    put(shtab.complete(parser(), chosen.shell))
