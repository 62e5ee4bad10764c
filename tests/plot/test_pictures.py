"""The list of pictures: what each declares holds, and results, reports and notebooks offer what is declared."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest

mpl.use("Agg")

from matplotlib import pyplot as plt

import karat
from karat.plot import Picture, find_picture, list_pictures
from karat.plot import pictures as folder

GOLD = {f"d{i}": "abc"[i % 3] for i in range(30)}
SYSTEMS = {
    "k=2": {item: i % 2 for i, item in enumerate(GOLD)},
    "k=3": {item: (i if i % 5 else i + 1) % 3 for i, item in enumerate(GOLD)},
    "k=5": {item: i % 5 for i, item in enumerate(GOLD)},
}
EXAMPLES: dict[str, Any] = {
    "Table": karat.Table.from_labels(GOLD, SYSTEMS["k=3"]),
    "Scores": karat.score(GOLD, SYSTEMS["k=3"]),
    "Explanation": karat.explain(GOLD, SYSTEMS["k=3"]),
    "Board": karat.score(GOLD, SYSTEMS),
    "Comparison": karat.compare(GOLD, SYSTEMS),
    "Relation": karat.relate(GOLD, SYSTEMS["k=3"], measures=["ari", "vi", "purity"], resamples=30),
    "GroupScores": karat.score(GOLD, SYSTEMS, by={item: item > "d15" for item in GOLD}),
    "Match": karat.match(GOLD, SYSTEMS["k=3"]),
    "Agreement": karat.agreement(SYSTEMS),
    "Audit": karat.audit("ari", "baseline", tries=5),
}
DRAWN = [(picture, kind) for picture in list_pictures() for kind, result in EXAMPLES.items() if picture.is_of(result)]


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    plt.close("all")


def test_every_module_of_pictures_declares_the_picture_of_its_name() -> None:
    modules = {path.stem for path in Path(folder.__file__ or "").parent.glob("*.py")} - {"__init__"}
    assert {picture.name for picture in list_pictures()} == modules
    for picture in list_pictures():
        assert getattr(karat.plot, picture.name) is picture.draw
        assert picture.name in dir(karat.plot)
        assert picture.summary.endswith(".")


@pytest.mark.parametrize("name", [picture.name for picture in list_pictures()])
def test_every_picture_has_a_result_to_be_drawn_of(name: str) -> None:
    assert [kind for picture, kind in DRAWN if picture.name == name]


@pytest.mark.parametrize(("picture", "kind"), DRAWN, ids=lambda value: getattr(value, "name", value))
def test_a_picture_has_the_size_it_declares_and_says_what_it_shows(picture: Picture, kind: str) -> None:
    result = EXAMPLES[kind]
    ax = picture.draw(result)
    assert ax.has_data()
    assert tuple(ax.figure.get_size_inches()) == pytest.approx(picture.size(result))
    smaller = plt.subplots()[1]
    assert picture.draw(result, ax=smaller, **picture.page) is smaller
    for text in (picture.caption(result, **picture.page), picture.alternative(result, **picture.page)):
        assert re.fullmatch(r"[A-Z].*\.", text)
        assert len(text) < 250


def test_results_draw_any_of_their_pictures_by_name() -> None:
    scores = EXAMPLES["Scores"]
    for name in ("composition", "flow", "heatmap"):
        assert scores.plot(name).has_data()
    assert scores.plot("heatmap", share="cluster").figure.axes[1].get_ylabel() == "share of the cluster"
    ax = plt.subplots()[1]
    assert EXAMPLES["Comparison"].plot("plane", ax=ax, zoom=True) is ax
    with pytest.raises(karat.KaratError, match="Scores has no picture 'plane'; choose 'heatmap', ") as refused:
        scores.plot("plane")
    assert all(repr(picture.name) in str(refused.value) for picture in list_pictures() if picture.is_of(scores))
    with pytest.raises(karat.KaratError, match=r"there is no picture 'pie'; karat.plot has .*comparison, "):
        find_picture("pie")
    with pytest.raises(AttributeError, match=r"'karat.plot' has no attribute 'pie'"):
        karat.plot.pie  # noqa: B018


def test_the_picture_that_says_most_of_a_result_comes_first() -> None:
    pictures = {kind: karat.plot.registry.pictures_of(result) for kind, result in EXAMPLES.items()}
    expected = {
        "Scores": "heatmap", "Explanation": "flow", "Board": "plane", "Comparison": "comparison",
        "Relation": "dendrogram",
    }  # fmt: skip
    assert {kind: pictures[kind][0].name for kind in expected} == expected
    for kind, result in EXAMPLES.items():  # not chosen by the alphabet
        assert len([picture for picture in list_pictures() if isinstance(result, picture.first)]) <= 1, kind


def test_a_new_picture_is_in_karat_plot_in_results_in_reports_and_in_notebooks() -> None:
    @karat.plot.picture(
        of=karat.Scores, size=lambda *_, **__: (4, 3), caption="Bars of a test.", section="system",
        notebook=karat.Scores,
    )  # fmt: skip
    def bars_of_a_test(scores: karat.Scores, *, ax: Any = None) -> Any:
        """A bar for each cluster."""
        ax = ax or plt.subplots(figsize=(4, 3))[1]
        ax.bar(range(scores.table.shape[1]), scores.table.cluster_sizes)
        return ax

    scores = EXAMPLES["Scores"]
    assert karat.plot.bars_of_a_test is bars_of_a_test
    assert len(scores.plot("bars_of_a_test").patches) == 3
    assert "bars_of_a_test" in scores._repr_html_()  # in the ids of its drawing
    one = karat.report(GOLD, {"mine": SYSTEMS["k=3"]}, ["v_measure"], interval=None).html()
    assert one.count("<figcaption>Bars of a test.</figcaption>") == 1
    assert one.index("Shares of the classes in the largest clusters.</figc") < one.index("<figcaption>Bars of a test")


def test_declared_pictures_are_forgotten_after_a_test() -> None:
    assert "bars_of_a_test" not in {picture.name for picture in list_pictures()}


def test_a_section_that_asks_for_a_picture_does_not_show_it_twice() -> None:
    page = karat.report(GOLD, SYSTEMS, ["v_measure", "ari"]).html()
    captions = re.findall("<figcaption>([^<]*)</figcaption>", page)
    assert len([text for text in captions if text.startswith("Homogeneity and completeness")]) == 1
    assert len([text for text in captions if text.startswith("Measures against k")]) == 1
    assert [text.split(",")[0] for text in captions if text.startswith("Systems by")] == [
        "Systems by v_measure", "Systems by ari",
    ]  # fmt: skip
    assert captions[0].startswith("Homogeneity and completeness")
    assert len([text for text in captions if text == "The clusters of each class."]) == len(SYSTEMS)


def test_curves_of_ones_own_are_named_at_their_ends() -> None:
    ax = karat.plot.curves(["MDL", "T", "P"], {"V": [0.4, 0.5, 0.6], "a$b": [1, 2, float("nan")]}, y_range=(0, 3))
    assert [text.get_text() for text in ax.texts] == ["V", r"a\$b"]
    assert sorted(tick.get_text() for tick in ax.get_xticklabels()) == ["MDL", "P", "T"]
    assert ax.get_ylim() == (0, 3)
    for wrong in ({}, {"V": [1, 2]}):
        with pytest.raises(karat.KaratError, match="a curve needs 3 values, one for each x"):
            karat.plot.curves([1, 2, 3], wrong)


@pytest.mark.parametrize("name", ["composition", "flow", "heatmap"])
def test_no_picture_draws_more_than_can_be_seen(name: str) -> None:
    table = karat.table(list(range(3000)), list(range(3000)))
    with pytest.raises(karat.KaratError, match=r"most: 100,000 classes or clusters.*draw the largest"):
        find_picture(name).draw(table, most=100_000)
