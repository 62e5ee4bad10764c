"""load(): a data set as gold labels, with its systems, texts or features."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from karat.errors import KaratError
from karat.papers.datasets.catalogue import find_dataset
from karat.papers.datasets.fetching import fetch

LEFT_OUT = ("earn", "acq")  # the two topics of Reuters-21578 that outweigh all others
TOPICS = 12
SHORTEST = 200  # characters of a text, at least


@dataclass(frozen=True)
class Collection:
    """Items with gold, and their systems, texts or features; fields that do not apply are empty."""

    name: str
    ids: Sequence[str]
    gold: Sequence[Any]  # None where unknown
    systems: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    texts: Sequence[str] = ()
    features: Any = None  # an array, a row for each item

    def __len__(self) -> int:
        return len(self.gold)

    def __repr__(self) -> str:
        return f"<{self.name}: {len(self):,} items, {len(set(self.gold) - {None})} classes>"


def load(name: str) -> Collection:
    """Load a data set, fetching it if needed: its gold, and its systems, texts or features.

    karat.score(data.gold, data.systems["louvain"]) scores one of the systems that come with it.
    """
    loaders = {"reuters": _reuters, "vowels": _vowels, "patents": _patents, "cells": _cells}
    dataset = find_dataset(name)
    if name == "potsdam":
        raise KaratError(
            "'potsdam' is a treebank, not labels; karat.datasets.fetch('potsdam') says where its trees are."
        )
    folder = fetch(dataset.name)
    try:
        return loaders.get(name, _orange)(name, folder)
    except Exception as problem:  # damaged data may raise anything
        reason = str(problem).split("\n", 1)[0].rstrip(".")[:200]
        raise KaratError(
            f"what the cache has of {name!r} cannot be read ({reason}); fetch it again: karat data fetch {name} --again"
        ) from None


def _reuters(name: str, folder: str) -> Collection:
    documents = []
    for part in sorted(os.listdir(folder)):
        if part.endswith(".json"):
            with open(os.path.join(folder, part), encoding="utf-8") as file:
                documents += json.load(file)
    usable = [d for d in documents if _single_topic(d) and len(d.get("body") or "") > SHORTEST]
    largest = {topic for topic, _ in Counter(d["topics"][0] for d in usable).most_common(TOPICS)}
    kept = [d for d in usable if d["topics"][0] in largest]
    return Collection(
        name, [str(d["id"]) for d in kept], [d["topics"][0] for d in kept], texts=[d["body"] for d in kept]
    )


def _single_topic(document: dict[str, Any]) -> bool:
    topics = document.get("topics") or []
    return len(topics) == 1 and topics[0] not in LEFT_OUT


def _orange(name: str, folder: str) -> Collection:
    """Tab-separated files with three header rows: the class, then the text."""
    gold, texts, ids = [], [], []
    for part in ("train", "test"):
        (file_name,) = [n for n in os.listdir(folder) if n.endswith(f"-{part}.tab")]
        with open(os.path.join(folder, file_name), encoding="utf-8") as file:
            for number, line in enumerate(file.read().split("\n")[3:], 1):
                category, _, text = line.partition("\t")
                if text:
                    gold.append(category)
                    texts.append(text)
                    ids.append(f"{part}-{number}")
    return Collection(name, ids, gold, texts=texts)


def _vowels(name: str, folder: str) -> Collection:
    """The first three columns are the part, the speaker and the sex; then ten features and the vowel."""
    rows = np.loadtxt(os.path.join(folder, "vowel.dat"), delimiter=",")
    ids = [f"vowel-{index}" for index in range(len(rows))]
    return Collection(name, ids, rows[:, -1].astype(int).tolist(), features=rows[:, 3:-1])


def _patents(name: str, folder: str) -> Collection:
    import duckdb

    parts = [os.path.join(folder, f"pv-{part}.parquet") for part in ("reference", "predictions")]
    with duckdb.connect() as database:
        joined = database.execute(
            "SELECT * EXCLUDE (patent_id, sequence) FROM read_parquet(?) AS gold "
            "JOIN read_parquet(?) AS systems USING (mention_id) ORDER BY mention_id",
            parts,
        )
        names = [column[0] for column in joined.description]
        columns = dict(zip(names, zip(*joined.fetchall(), strict=True), strict=True))
    ids, gold = columns.pop("mention_id"), columns.pop("unique_id")
    return Collection(name, ids, gold, {key.removeprefix("disamb_inventor_id_"): c for key, c in columns.items()})


def _cells(name: str, folder: str) -> Collection:
    from karat.sources.files.inputs import find_input
    from karat.sources.files.observations import Observations

    cells = Observations(find_input(os.path.join(folder, "10x_pbmc68k_reduced.h5ad")))

    return Collection(
        name, cells.column(cells.index), cells.column("bulk_labels"), {"louvain": cells.column("louvain")}
    )
