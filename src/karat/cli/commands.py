"""What each command does, with karat's own public functions."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable
from typing import Any

import karat
import karat.comparisons.agreement
import karat.scoring.read  # with the others, before anything is to be collected
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
from karat.errors import FileError, KaratError, Option
from karat.output.bars import say, watched
from karat.output.layout import Layout, decimals, shortened, shown
from karat.scoring.boards import Board
from karat.scoring.groups import GroupScores


def score(chosen: Namespace) -> None:
    """The panel for each system; with --by for each of its groups."""
    check_output(chosen)
    if chosen.engine != "duckdb":
        _score_by_engine(chosen)
        return
    if chosen.by is not None and chosen.interval is not None:
        raise UsageError(
            f"groups by {chosen.by!r} have no intervals yet; leave out ", Option("interval", bare=True), "."
        )
    ev = _read(chosen, by=chosen.by, keep=False)
    if ev.groups is not None and chosen.interval is not None:
        raise FileError(f"groups by {ev.by!r} have no intervals yet; leave out ", Option("interval", bare=True), ".")
    scores = karat.score(ev, measures=_measures(chosen), **_sampling(chosen))
    _show_scores(chosen, scores, ev)
    _check_thresholds(chosen, ev)


def _check_thresholds(chosen: Namespace, ev: Any) -> None:
    """Refuse scores that are worse than --fail-under; of groups the macro means."""
    if chosen.fail_under:
        found = karat.score(ev, measures=[name for name, _ in chosen.fail_under])
        means = found.macro if isinstance(found, GroupScores) else found
        by_system = means if ev.named else {ev.systems[0]: means}
        macro = " (macro)" if isinstance(found, GroupScores) else ""
        check_thresholds(chosen, {f"{name}{macro}": scores for name, scores in by_system.items()})


def _measures(chosen: Namespace) -> str | None:
    """The measures asked for, as score() takes them."""
    return None if chosen.measures is None else ",".join(chosen.measures)


def _show_scores(chosen: Namespace, scores: Any, ev: Any) -> None:
    """Scores of one system, of several, or of groups."""
    if isinstance(scores, GroupScores):
        several = len(scores.systems) > 1
        document = (lambda: scores.to_dict()) if several else (lambda: {"systems": [_with_name(scores)]})
        show(chosen, lambda: scores.layouts(chosen.digits), scores.records, document, ev.notes)
        return
    board = scores if isinstance(scores, Board) else Board({ev.systems[0]: scores})
    show(chosen, lambda: board.layouts(chosen.digits), board.records, board.to_dict, ev.notes)


def _with_name(scores: GroupScores) -> dict[str, Any]:
    return {"system": scores.systems[0], **scores.to_dict()}


def _score_by_engine(chosen: Namespace) -> None:
    """Columns of one table, or of two matched on an id, counted by Polars or Spark."""
    from contextlib import ExitStack

    from karat.sources.engines.paths import opened_by

    if not chosen.gold or not chosen.pred or len(chosen.gold) > 1 or len(chosen.files) > 2:
        raise UsageError(
            f"--engine {chosen.engine} takes one table or two, and the columns: ", Option("gold"), " ", Option("pred")
        )
    if chosen.by is not None or chosen.interval is not None:
        raise UsageError(f"--by and --interval are not for --engine {chosen.engine}; leave them out.")
    options = {
        "gold": chosen.gold[0], "pred": chosen.pred, "id": chosen.id if len(chosen.files) == 2 else None,
        "count": chosen.count, "weights": chosen.weights, "missing": chosen.missing, "noise": chosen.noise,
        "noise_as": chosen.noise_as, "ignore": chosen.ignore,
    }  # fmt: skip
    with ExitStack() as stack:
        numbers = [name for name in (chosen.count, chosen.weights) if name is not None]
        engine = {"numbers": numbers, "master": chosen.master, "memory": chosen.memory}
        frames = [stack.enter_context(opened_by(chosen.engine, path, **engine)) for path in chosen.files]
        ev = karat.Evaluation.from_frame(*frames, **options)
        _show_scores(chosen, karat.score(ev, measures=_measures(chosen)), ev)
        _check_thresholds(chosen, ev)


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
    board = Board({"merged": karat.score(found, measures=_measures(chosen))})
    show(chosen, lambda: [board.layout(chosen.digits)], board.records, board.to_dict)


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
    ev = _read(chosen, by=chosen.by, keep=True)
    if chosen.pairwise:
        _show_pairwise(chosen, ev)
        return
    if len(ev.systems) < 2 and ev.groups is None:
        raise FileError("there is one system; add another file or --pred column, or use karat score.")
    made = karat.compare(ev, measures=_measures(chosen), **_sampling(chosen))
    if isinstance(made, GroupScores):
        _show_scores(chosen, made, ev)
        return
    layouts = [
        *made.layouts(chosen.digits),
        *([made.table_of_differences(chosen.digits)] if chosen.differences else []),
    ]
    records = made.differences if chosen.differences else made.records
    show(chosen, lambda: layouts, records, made.to_dict, ev.notes)


def _show_pairwise(chosen: Namespace, ev: Any) -> None:
    """Gold and all systems among themselves."""
    first = os.path.splitext(os.path.basename(chosen.files[0]))[0]
    name = chosen.gold[0] if len(chosen.files) == 1 and chosen.gold else first
    between = karat.comparisons.agreement.agreement_of(ev, _measures(chosen) or "vi", gold=name)
    show(chosen, lambda: [between.layout(chosen.digits)], between.records, between.to_dict)


def report(chosen: Namespace) -> None:
    """A page to look at."""
    import shlex

    check_output(chosen)
    if os.path.splitext(chosen.output)[1].lower() not in (".html", ".htm"):
        raise UsageError(f"{chosen.output!r} does not look like a page; name it .html.")
    options = {"measure": chosen.measure, "title": chosen.title, "command": shlex.join(chosen.line)}
    counted = chosen.weights is not None or chosen.count is not None
    ev = _read(chosen, by=chosen.by, keep=None if counted else True, ids=not counted)
    notes = tuple(map(in_words_of_the_terminal, ev.notes))
    page = karat.report(ev, measures=_measures(chosen), notes=notes, **_sampling(chosen), **options)
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

    from karat.reports.app.serving import serve

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
    ev = _read(chosen, by=chosen.by)
    found = karat.explain(ev, measure=chosen.measure, top=chosen.top)
    show(chosen, lambda: found.layouts(chosen.digits), found.records, found.to_dict, ev.notes)


def match(chosen: Namespace) -> None:
    """The best one-to-one map of clusters to classes."""
    check_output(chosen)
    ev = _read(chosen)
    found = karat.match(ev)
    show(chosen, lambda: found.layouts(chosen.digits), found.records, found.to_dict, ev.notes)


def _read(chosen: Namespace, by: str | None = None, keep: bool | None = None, ids: bool = False) -> Any:
    """The evaluation of the files that were named."""
    from karat.scoring.read import evaluation_of_files

    return evaluation_of_files(chosen.files, _reading(chosen, by, keep, ids))


def _reading(chosen: Namespace, by: str | None, keep: bool | None, ids: bool) -> Any:
    """The options of read()."""
    from karat.labels.policy import Policy
    from karat.sources.files.options import Reading, columns_of

    policy = Policy.of(chosen.missing, chosen.noise, chosen.noise_as, chosen.ignore)
    return Reading(
        columns_of(chosen.gold or None), tuple(chosen.pred), chosen.id, by, chosen.weights, chosen.count, policy,
        chosen.input, chosen.encoding, not chosen.no_header, chosen.delimiter, chosen.memory, chosen.threads,
        not chosen.quiet and watched(), keep, ids,
    )  # fmt: skip


def table(chosen: Namespace) -> None:
    """The cells, largest first; or the whole table, to be kept."""
    check_output(chosen)
    reading = _read(chosen, keep=False)
    tables, notes = dict(reading.tables), reading.notes
    if reading.groups is not None:  # a Senseval key has its words apart; here they are taken together
        groups = reading.groups.values()
        tables = {name: karat.Table.from_batches([g[name] for g in groups]) for name in reading.systems}
        notes = (*notes, f"all groups by {reading.by!r} are taken together")
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
        notes,
    )


def _saved(found: Any) -> str:
    """The table as JSON, as save() would write it."""
    from karat.machine.temporary import new_folder

    with new_folder() as folder:
        path = f"{folder}/table.json"
        found.save(path)
        with open(path, encoding="utf-8") as file:
            return file.read().rstrip("\n")


def _cells(found: Any, cells: list[tuple[Any, Any, Any]]) -> Layout:
    from karat.tables.table import number, several

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
    from karat.tables.table import several

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
    from karat.measures import cards

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
    ev = _read(chosen, by=chosen.by, keep=False)
    found = karat.relate(ev, measures=_measures(chosen), resamples=chosen.resamples, seed=chosen.seed)
    digits = min(chosen.digits, 2)
    show(chosen, lambda: [found.layout(digits)], found.records, found.to_dict, ev.notes)


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
    from karat.papers import datasets
    from karat.papers.datasets.catalogue import find

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
