"""Which columns hold item ids, gold and predicted labels: named by the user, or guessed from their names."""

from __future__ import annotations

import fnmatch
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from karat.errors import FileError, Option, Part, listed
from karat.sources.files.options import Name
from karat.sources.files.sources import Source

ITEM = (
    "id", "item", "item_id", "itemid", "doc", "doc_id", "docid", "document", "document_id", "instance", "instance_id",
    "record", "record_id", "key", "uid", "uuid", "guid", "node", "node_id", "cell", "cell_id", "barcode", "mention",
    "mention_id", "index", "row", "row_id", "filename", "file", "path", "url", "name", "unnamed: 0", "", "_index",
    "__index_level_0__", "word", "token",
)  # fmt: skip
GOLD = (
    "gold", "gold_label", "gold_class", "gold_standard", "class", "true", "truth", "y_true", "label_true",
    "labels_true",
    "true_label", "true_labels", "true_class", "ground_truth", "groundtruth", "gt", "reference", "target", "category",
    "topic", "cell_type", "celltype", "entity", "sense", "community", "label", "labels",
)  # fmt: skip
PRED = (
    "pred", "predicted", "prediction", "predictions", "predicted_label", "y_pred", "label_pred", "labels_pred",
    "pred_label", "cluster", "clusters", "cluster_id", "clusterid", "cluster_label", "clustering", "induced", "system",
    "leiden", "louvain", "kmeans", "hdbscan", "dbscan", "community", "label", "labels",
)  # fmt: skip


class ColumnRef(NamedTuple):
    """A column of labels, and the column of item ids if items are matched on it."""

    source: Source
    label: Name
    item: str | None = None

    def __str__(self) -> str:
        only = len(self.source.columns) == 1 and not self.source.input.format.tabular
        return f"{self.source.input.name!r}" + ("" if only else f", column {self.column}")

    @property
    def column(self) -> str:
        """The quoted name of the column, or of several combined ones: 'a' × 'b'."""
        return repr(self.label) if isinstance(self.label, str) else " × ".join(map(repr, self.label))


class Pairing(NamedTuple):
    """A system: its name, the gold column and the predicted column."""

    name: str
    gold: ColumnRef
    pred: ColumnRef
    guessed: tuple[str, ...] = ()  # roles that the user did not name

    @property
    def together(self) -> bool:
        """Whether both sides are columns of the same rows."""
        return self.gold.source is self.pred.source

    @property
    def matched(self) -> str:
        """How the items of both sides are matched, for messages."""
        if self.together:
            return "row by row"
        gold, pred = self.gold.item, self.pred.item
        if gold is None:
            return "by position"
        return f"on {gold!r}" if gold == pred else f"on {gold!r} and {pred!r}"


def pair(
    sources: Sequence[Source], gold: Name | None, preds: Sequence[str], item: str | None, others: Iterable[str]
) -> list[Pairing]:
    """The systems in some files: columns of one file, or gold in the first file and systems in the others.

    others are columns with another role, such as weights.
    """
    taken = {name for name in others if name is not None}
    if len(sources) == 1:
        return _in_one_file(sources[0], gold, preds, item, taken)
    pairings = []
    names = _names(sources[1:])
    for source, name in zip(sources[1:], names, strict=True):
        items = _items(sources[0], source, item)
        left = ColumnRef(sources[0], _label(sources[0], gold, "gold", GOLD, items[0], taken), items[0])
        chosen = _matching(source, preds, {*taken, str(items[1])})
        chosen = chosen or [str(_label(source, None, "pred", PRED, items[1], taken))]
        guessed = tuple(r for r, given in (("gold", gold), ("pred", preds or None), ("id", item)) if given is None)
        for column in chosen:
            right = ColumnRef(source, source.check(column, "pred"), items[1])
            system = name if len(chosen) == 1 else column if len(names) == 1 else f"{name}:{column}"
            pairings.append(Pairing(system, left, right, guessed))
    return pairings


def _names(sources: Sequence[Source]) -> list[str]:
    """A name for each system: the stem of its file, or the whole path where stems are not unique."""
    stems = [source.input.stem for source in sources]
    full = [source.input.name for source in sources]
    unique = [stem if stems.count(stem) == 1 else name for stem, name in zip(stems, full, strict=True)]
    names = [name if short == "gold" else short for short, name in zip(unique, full, strict=True)]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise FileError(f"{twice!r} is given more than once; give each system's file once.")
    return names


def _matching(source: Source, preds: Sequence[str], taken: set[str]) -> list[str]:
    """The named columns; a pattern such as 'run_*' stands for all columns that match it and are not taken."""
    chosen: list[str] = []
    free = [name for name in source.columns if name not in taken]
    for name in preds:
        fits = [name] if name in source.columns or "*" not in name else fnmatch.filter(free, name)
        if not fits:
            raise FileError(f"{source.input.name!r} has no column like {name!r}; it has {listed(source.columns, 12)}.")
        chosen += fits
    return chosen


def _in_one_file(
    source: Source, gold: Name | None, preds: Sequence[str], item: str | None, taken: set[str]
) -> list[Pairing]:
    if len(source.columns) == 1:
        semicolons = ";" in source.columns[0]
        remedy: tuple[Part, ...] = ("give the predicted labels too, in a second file or column",)
        if semicolons:
            remedy = ("say ", Option("delimiter", (";",)))
        raise FileError(f"{source.input.name!r} has one column only, {source.columns[0]!r}; ", *remedy, ".")
    chosen_item = source.check(item, "id") if item is not None else source.item
    if gold is not None:
        source.check_all(gold, "gold")
    golds = () if gold is None else (gold,) if isinstance(gold, str) else gold
    preds = _matching(source, preds, {*golds, *taken, str(chosen_item)})
    columns, given = Counter(source.columns), Counter(preds)  # counted once, since there may be very many
    for name in preds:
        if columns[name] != 1:
            source.check(name, "pred")
        if given[name] > 1:
            raise FileError(Option("pred", (name,)), " is given more than once; give each column once.")
    used = {*golds, *preds, chosen_item, *taken}
    free = [name for name in source.columns if name not in used]
    left: Name | None = _known(free, GOLD) if gold is None else gold
    rights = list(preds) or [name for name in [_known([n for n in free if n != left], PRED)] if name]
    sides = {left, *golds, *rights}
    rest = [name for name in free if name not in sides and name.lower() not in (*ITEM, *PRED)]
    if left is None and len(rest) == (1 if rights else 2):
        left = rest.pop(0)
    if left is not None and not rights and len(rest) == 1:
        rights = rest
    if left is None or not rights:
        lacking = "gold" if left is None else "pred"
        raise FileError(
            f"{source.input.name!r} has columns {listed(source.columns, 12)}; say which is which: ",
            Option("gold"),
            ", ",
            Option("pred"),
            f" ({lacking} is unclear), or ",
            Option("input", ("matrix",)),
            " if it is a contingency table.",
        )
    source.check_all(left, "gold")
    for name in rights:
        if columns[name] != 1:
            source.check(name, "pred")
    guessed = tuple(role for role, named in (("gold", gold), ("pred", preds or None)) if named is None)
    sides = {left, *golds, *rights}
    item_side = chosen_item or _known([n for n in source.columns if n not in sides], ITEM)
    return [
        Pairing(name, ColumnRef(source, left, item_side), ColumnRef(source, name, item_side), guessed)
        for name in rights
    ]


def _known(columns: Iterable[str], names: Sequence[str]) -> str | None:
    """The column whose name comes first in the list of names."""
    ranked = [(names.index(column.lower()), column) for column in columns if column.lower() in names]
    return min(ranked)[1] if ranked else None


def _items(gold: Source, pred: Source, item: str | None) -> tuple[str | None, str | None]:
    """The id columns on which two files are matched; (None, None) if matched by position."""
    if item is not None:
        own = [source.item if item not in source.columns else None for source in (gold, pred)]
        return own[0] or gold.check(item, "id"), own[1] or pred.check(item, "id")
    left, right = (source.item or _known(source.columns, ITEM) for source in (gold, pred))
    if len(gold.columns) > 1 and len(pred.columns) > 1:
        others = set(pred.columns)
        if left is None or right is None:
            shared = [name for name in gold.columns if name in others]
            if gold.columns[0] == pred.columns[0] and len(shared) == 1:
                return shared[0], shared[0]
        if left is not None and right is not None:
            shared = [name for name in gold.columns if name in others and name.lower() in ITEM]
            same = shared and not gold.item and not pred.item
            return (shared[0], shared[0]) if same else (left, right)
    if len(gold.columns) == 1 and len(pred.columns) == 1:
        return None, None
    for source, column in ((gold, left), (pred, right)):
        if column is None:
            raise FileError(
                f"{source.input.name!r} has columns {listed(source.columns, 12)}, none of which looks like item ids; "
                "say which is, as ",
                Option("id"),
                ", or give one label per line on both sides.",
            )
    return gold.check(str(left), "id"), pred.check(str(right), "id")


def _label(
    source: Source, given: Name | None, role: str, names: Sequence[str], item: str | None, taken: set[str]
) -> Name:
    if given is not None:
        return source.check_all(given, role)
    if source.label is not None:
        return source.label
    free = [name for name in source.columns if name != item and name not in taken]
    known = _known(free, names)
    if known is None and len(free) == 1:
        known = free[0]
    if known is None:
        raise FileError(
            f"{source.input.name!r} has columns {listed(source.columns, 12)}; say which holds the labels, as ",
            Option(role),
        )
    return source.check(known, role)
