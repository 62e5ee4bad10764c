"""karat: how close is a clustering to gold?

score(gold, pred) gives a panel of measures; every measure is also a function, such as karat.v_measure(gold, pred).
Everything is loaded by the first use of its name.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from karat.version import __version__ as __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    from karat import examples as examples
    from karat import meta as meta
    from karat import plot as plot
    from karat import sklearn as sklearn
    from karat.chance.adjusting import adjusted as adjusted
    from karat.chance.adjusting import standardized as standardized
    from karat.chance.p_values import Significance as Significance
    from karat.chance.p_values import p_value as p_value
    from karat.chance.p_values import significance as significance
    from karat.comparisons.agreement import Agreement as Agreement
    from karat.comparisons.agreement import agreement as agreement
    from karat.comparisons.comparing import compare as compare
    from karat.comparisons.results import Comparison as Comparison
    from karat.errors import FileError as FileError
    from karat.errors import KaratError as KaratError
    from karat.errors import LabelError as LabelError
    from karat.errors import MeasureError as MeasureError
    from karat.errors import TableError as TableError
    from karat.explanations.explaining import explain as explain
    from karat.explanations.explanation import Explanation as Explanation
    from karat.explanations.matching import Match as Match
    from karat.explanations.matching import match as match
    from karat.kernels import build_info as build_info
    from karat.labels.encoding import Labels as Labels
    from karat.labels.encoding import encode as encode
    from karat.labels.products import cross as cross
    from karat.measures.arithmetic import f_mean as f_mean
    from karat.measures.arithmetic import ratio as ratio
    from karat.measures.declared import *
    from karat.measures.parsing import parse as parse
    from karat.measures.parsing import wrap as wrap
    from karat.measures.registry import Measure as Measure
    from karat.measures.registry import list_measures as list_measures
    from karat.measures.registry import measure as measure
    from karat.meta.audit import Audit as Audit
    from karat.meta.audit import audit as audit
    from karat.meta.relate import Relation as Relation
    from karat.meta.relate import relate as relate
    from karat.output.result import Result as Result
    from karat.papers import datasets as datasets
    from karat.papers import synth as synth
    from karat.papers.pages import reproduce as reproduce
    from karat.reports.content import Report as Report
    from karat.reports.reporting import report as report
    from karat.scoring.boards import Board as Board
    from karat.scoring.evaluation import Evaluation as Evaluation
    from karat.scoring.groups import GroupScores as GroupScores
    from karat.scoring.read import read as read
    from karat.scoring.score import score as score
    from karat.scoring.scores import Scores as Scores
    from karat.scoring.table import table as table
    from karat.tables.counts import Counts as Counts
    from karat.tables.counts import Statistic as Statistic
    from karat.tables.profile import Profile as Profile
    from karat.tables.stack import Stack as Stack
    from karat.tables.table import Table as Table
    from karat.uncertainty.interval import Interval as Interval
else:  # type checkers are not shown it, so that they know which names there are not

    def __getattr__(name: str) -> Any:
        from importlib import import_module

        if name in _MODULES:
            return import_module(f"karat.{_MODULES[name]}")
        if name.startswith("_"):
            raise AttributeError(f"module 'karat' has no attribute {name!r}")
        measures = _measures()
        if name in _HOMES:
            return getattr(import_module(f"karat.{_HOMES[name]}"), name)
        if name in measures:
            return measures[name]
        raise AttributeError(f"module 'karat' has no attribute {name!r}")


@cache
def _measures() -> Mapping[str, Measure]:
    """All measures by name; loads every file that declares some, so that parse() and list_measures() know all."""
    from importlib import import_module

    for module in ("measures.declared", "chance.adjusting"):
        import_module(f"karat.{module}")
    from karat.measures.registry import _registry

    return _registry


_ROOMS = {
    "chance.adjusting": ("adjusted", "standardized"),
    "comparisons.agreement": ("Agreement", "agreement"),
    "comparisons.comparing": ("compare",),
    "comparisons.results": ("Comparison",),
    "errors": ("FileError", "KaratError", "LabelError", "MeasureError", "TableError"),
    "explanations.explaining": ("explain",),
    "explanations.explanation": ("Explanation",),
    "explanations.matching": ("Match", "match"),
    "kernels": ("build_info",),
    "labels.encoding": ("Labels", "encode"),
    "meta.audit": ("Audit", "audit"),
    "chance.p_values": ("Significance", "p_value", "significance"),
    "papers.pages": ("reproduce",),
    "labels.products": ("cross",),
    "tables.profile": ("Profile",),
    "measures.parsing": ("parse", "wrap"),
    "measures.registry": ("Measure", "list_measures", "measure"),
    "meta.relate": ("Relation", "relate"),
    "reports.content": ("Report",),
    "reports.reporting": ("report",),
    "output.result": ("Result",),
    "scoring.boards": ("Board",),
    "scoring.evaluation": ("Evaluation",),
    "scoring.groups": ("GroupScores",),
    "scoring.read": ("read",),
    "scoring.score": ("score",),
    "scoring.scores": ("Scores",),
    "scoring.table": ("table",),
    "tables.stack": ("Stack",),
    "measures.arithmetic": ("f_mean", "ratio"),
    "tables.counts": ("Counts", "Statistic"),
    "tables.table": ("Table",),
    "uncertainty.interval": ("Interval",),
}
_MODULES = {
    "datasets": "papers.datasets",
    "synth": "papers.synth",
    **{n: n for n in ("examples", "meta", "plot", "sklearn")},
}
_HOMES = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [*_HOMES, *_MODULES]


def __dir__() -> list[str]:
    import karat

    dunders = [name for name in globals() if name.startswith("__")]
    return sorted([*dunders, *__all__, *(m.name for m in karat.list_measures())])
