"""One function per command, by way of karat's public functions."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable
from typing import Any

import karat
import karat.comparisons.agreement
import karat.scoring.read  # here, so that it is loaded before garbage collection is enabled
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
from karat.cli.usage import UsageError, check_thresholds, of_usage, reading_of
from karat.errors import FileError, KaratError, Option
from karat.output.bars import say, watched
from karat.output.layout import Layout, decimals, shortened, shown
from karat.scoring.boards import Board
from karat.scoring.groups import GroupScores
from karat.uncertainty.sampling import OPTIONS


def score(chosen: Namespace) -> None:
    """Score each system; with --by each group."""
    check_output(chosen)
    if chosen.engine != "duckdb":
        _score_by_engine(chosen)
        return
    ev = _read(chosen, by=chosen.by, keep=False)
    scores = karat.score(ev, measures=_measures(chosen), **_sampling(chosen))
    _show_scores(chosen, scores, ev)
    _check_thresholds(chosen, ev)


def _check_thresholds(chosen: Namespace, ev: Any) -> None:
    """Refuse scores worse than --fail-under; with groups, macro means."""
    if chosen.fail_under:
        scores = karat.score(ev, measures=[name for name, _ in chosen.fail_under])
        means = scores.macro if isinstance(scores, GroupScores) else scores
        by_system = means if ev.named else {ev.systems[0]: means}
        macro = " (macro)" if isinstance(scores, GroupScores) else ""
        check_thresholds(chosen, {f"{name}{macro}": values for name, values in by_system.items()})


def _measures(chosen: Namespace) -> str | None:
    """The value of --measures, as score() takes it."""
    return None if chosen.measures is None else ",".join(chosen.measures)


def _show_scores(chosen: Namespace, scores: Any, ev: Any) -> None:
    """Show the scores of one system, of several, or of groups."""
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
    """Score columns of one table, or of two matched on an id, counted by Polars or Spark."""
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
    """Add up saved tables, and save or score the sum."""
    check_output(chosen)
    total = karat.Table.from_batches(karat.Table.load(path) for path in chosen.files)
    for path in chosen.without:
        total = total - karat.Table.load(path)
    if chosen.save is not None:
        total.save(chosen.save)
        if chosen.measures is None:
            return
    board = Board({"merged": karat.score(total, measures=_measures(chosen))})
    show(chosen, lambda: [board.layout(chosen.digits)], board.records, board.to_dict)


def _sampling(chosen: Namespace) -> dict[str, Any]:
    """The options of intervals, as score() and compare() take them."""
    return {"interval": chosen.interval, **{option.name: getattr(chosen, option.name) for option in OPTIONS}}


def compare(chosen: Namespace) -> None:
    """Compare systems: scores with confidence intervals and paired tests."""
    check_output(chosen)
    if chosen.pairwise and (chosen.differences or chosen.interval != 0.95 or chosen.unit != "items"):
        raise UsageError("--differences, --interval and --unit are for comparing with gold; leave out --pairwise.")
    ev = _read(chosen, by=chosen.by, keep=True)
    if chosen.pairwise:
        _show_pairwise(chosen, ev)
        return
    if len(ev.systems) < 2 and ev.groups is None:
        raise FileError("there is one system; add another file or --pred column, or use karat score.")
    compared = karat.compare(ev, measures=_measures(chosen), **_sampling(chosen))
    if isinstance(compared, GroupScores):
        _show_scores(chosen, compared, ev)
        return
    layouts = [
        *compared.layouts(chosen.digits),
        *([compared.table_of_differences(chosen.digits)] if chosen.differences else []),
    ]
    records = compared.differences if chosen.differences else compared.records
    show(chosen, lambda: layouts, records, compared.to_dict, ev.notes)


def _show_pairwise(chosen: Namespace, ev: Any) -> None:
    """Show the agreement of all pairs of gold and systems."""
    first = os.path.splitext(os.path.basename(chosen.files[0]))[0]
    name = chosen.gold[0] if len(chosen.files) == 1 and chosen.gold else first
    between = karat.comparisons.agreement.agreement_of(ev, _measures(chosen) or "vi", gold=name)
    show(chosen, lambda: [between.layout(chosen.digits)], between.records, between.to_dict)


def report(chosen: Namespace) -> None:
    """Write an HTML report."""
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
    """Serve the app until it is interrupted."""
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
    """Explain the errors of a system."""
    check_output(chosen)
    ev = _read(chosen, by=chosen.by)
    explanation = karat.explain(ev, measure=chosen.measure, top=chosen.top)
    show(chosen, lambda: explanation.layouts(chosen.digits), explanation.records, explanation.to_dict, ev.notes)


def match(chosen: Namespace) -> None:
    """The best one-to-one map of clusters to classes."""
    check_output(chosen)
    ev = _read(chosen)
    matching = karat.match(ev)
    show(chosen, lambda: matching.layouts(chosen.digits), matching.records, matching.to_dict, ev.notes)


def _read(chosen: Namespace, by: str | None = None, keep: bool | None = None, ids: bool = False) -> Any:
    """Read the files into an Evaluation; keep: the labels of items, not only tables; ids: their ids too."""
    from karat.scoring.read import evaluation_of_files

    reading = reading_of(vars(chosen))
    progress = not chosen.quiet and watched()
    return evaluation_of_files(chosen.files, reading.replaced(by=by, items=keep, ids=ids, progress=progress))


def table(chosen: Namespace) -> None:
    """Show the cells, largest first, or save the whole table."""
    check_output(chosen)
    reading = _read(chosen, keep=False)
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
        return
    whole = chosen.output is not None and chosen.format is None
    if whole and chosen.output.lower().endswith((".parquet", ".json")):
        counts.save(chosen.output)
        return
    if form(chosen) == "json":
        write(chosen, _saved(counts))
        return
    cells = counts.top_cells(chosen.top or (20 if form(chosen) == "text" else None))
    layout = _matrix(counts) if chosen.matrix else _cells(counts, cells)
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


def measures(chosen: Namespace) -> None:
    """List all measures, or describe the named ones."""
    from karat.measures import cards

    check_output(chosen)
    asked = [karat.parse(name) for name in chosen.names]
    if asked and form(chosen) == "text":
        columns = terminal_columns() if sys.stdout.isatty() else 80
        write(chosen, "\n\n\n".join(cards.card(m, min(columns, 100)) for m in asked))
        return
    listed = asked or list(karat.list_measures())
    show(
        chosen,
        lambda: [cards.catalogue(listed)],
        lambda: cards.records(listed),
        lambda: {"measures": cards.records(listed)},
    )


def relate(chosen: Namespace) -> None:
    """Correlate measures on the user's systems."""
    check_output(chosen)
    ev = _read(chosen, by=chosen.by, keep=False)
    relations = karat.relate(ev, measures=_measures(chosen), resamples=chosen.resamples, seed=chosen.seed)
    digits = min(chosen.digits, 2)
    show(chosen, lambda: [relations.layout(digits)], relations.records, relations.to_dict, ev.notes)


def audit(chosen: Namespace) -> None:
    """Test properties of measures, and show counterexamples."""
    check_output(chosen)
    names: Any = ",".join(chosen.names) or [m for m in karat.list_measures() if m.better is not None]
    properties = None if chosen.property is None else ",".join(chosen.property)
    say = _progress(chosen)
    try:
        audited = karat.audit(names, properties, tries=chosen.tries, progress=say)
    finally:
        if say is not None:
            say("")
    if chosen.examples and form(chosen) == "text":
        columns = terminal_columns() if chosen.output is None and sys.stdout.isatty() else None
        write(chosen, f"{audited.layout().text(columns, quiet=chosen.quiet)}\n\n{audited.examples()}")
        return
    show(chosen, lambda: [audited.layout()], lambda: list(map(_flat, audited.records())), audited.to_dict)


def _flat(record: dict[str, Any]) -> dict[str, Any]:
    """A record with its tables as JSON, for a field of CSV."""
    import json

    return {**record, "example": "" if record["example"] is None else json.dumps(record["example"])}


def _progress(chosen: Namespace) -> Callable[[str], None] | None:
    """A function that prints progress on one line of standard error; None if that is not a terminal."""
    if chosen.quiet or not watched() or os.environ.get("TERM") == "dumb":
        return None
    return lambda text: print(f"\r\x1b[K{shown(text)}", end="", file=sys.stderr, flush=True)


def reproduce(chosen: Namespace) -> None:
    """Reproduce a paper's results, printed beside computed."""
    from karat.papers.pages import chosen_study, prepare

    taken = ("corpus", "gold", "text", "iterations", "variant", "processes")
    options: dict[str, Any] = {name: getattr(chosen, name) for name in taken}
    options["keep"] = None if chosen.keep is None else dict(chosen.keep)
    with of_usage():
        chosen_study(chosen.paper, chosen.experiment, options)
    folder = chosen.output is not None and chosen.format is None and not chosen.output.lower().endswith(tuple(ENDINGS))
    if folder:
        prepare(chosen.output)
    else:
        check_output(chosen)
    try:
        study = karat.reproduce(chosen.paper, chosen.experiment, **options, progress=not chosen.quiet)
    except KeyboardInterrupt:
        raise KaratError("interrupted; what has been clustered is kept, and the same command goes on.") from None
    if folder:
        names = study.write(chosen.output)
        if not chosen.quiet:
            inform(f"{study.layout().notes[0]} Written to {shown(chosen.output)}: {', '.join(names)}")
        return
    if form(chosen) == "json":
        write(chosen, in_json(study.records()))
        return
    show(chosen, study.layouts, study.records, dict)


def data(chosen: Namespace) -> None:
    """List, fetch or locate data sets."""
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
    """Score the textbook's clustering of 17 documents."""
    board = Board({"textbook": karat.score(*karat.examples.textbook())})
    show(chosen, lambda: [board["textbook"].layout(chosen.digits)], board.records, board.to_dict)


def completion(chosen: Namespace) -> None:
    """Print a completion script for a shell."""
    import shtab

    from karat.cli.parser import parser

    put(shtab.complete(parser(), chosen.shell))
