"""Plots: what is drawn is what the results say, on the axes that were passed in, whatever the labels."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.patches import PathPatch, Rectangle

import karat
import karat.plot
from karat import Table
from karat.errors import KaratError
from karat.plot.canvas import luminance, paper, shades
from karat.plot.lettering import brief, name, percent
from karat.plot.overviews import crossings, overview
from karat.plot.placing import Box, around, spread

HOSTILE = ["$x^2$", "a\x1b[31m\n", "very " * 4000, "שלום עולם", "_hidden", "", "a$b", "\\frac{", "\u202eabc", "%s&#_^"]


def table_of(matrix: list[list[int]]) -> Table:
    return Table.from_matrix(matrix, list("abcdefgh")[: len(matrix)], list(range(len(matrix[0]))))


def random_table() -> Table:
    rng = np.random.default_rng(0)
    return Table.from_labels(rng.permutation(6000) % 2000, rng.zipf(1.4, 6000) % 3000)


TABLES: dict[str, Callable[[], Table]] = {
    "three": lambda: table_of([[5, 1, 0], [0, 4, 1], [2, 0, 3]]),
    "textbook": lambda: Table.from_labels(*karat.examples.textbook()),
    "large": random_table,
    "one class": lambda: Table.from_labels(["a"] * 9, [0, 0, 0, 1, 1, 1, 2, 2, 2]),
    "one cluster": lambda: Table.from_labels([0, 0, 0, 1, 1, 2], ["k"] * 6),
    "one cell": lambda: Table.from_labels(["a"], ["k"]),
    "all apart": lambda: Table.from_labels(list("aaabbbcc"), range(8)),
    "hostile": lambda: Table.from_labels(HOSTILE * 6, (HOSTILE[:4] * 15)),
    "weighted": lambda: Table.from_cells(list("aab"), list("xyx"), [0.5, 1.25, 1e6]),
}
OF_TABLES = {"heatmap": karat.plot.heatmap, "flow": karat.plot.flow, "composition": karat.plot.composition}


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def compared() -> karat.Comparison:
    rng = np.random.default_rng(1)
    gold = rng.integers(0, 4, 300)
    systems = {
        f"k={k}": np.where(rng.random(300) < share, rng.integers(0, k, 300), gold % k)
        for k, share in ((2, 0.1), (4, 0.1), (30, 0.6), (8, 0.4))
    }
    return karat.compare(gold, systems, ["v_measure", "nvi", "homogeneity", "completeness"])


@pytest.fixture(scope="module")
def relation() -> karat.Relation:
    return karat.relate(TABLES["textbook"](), measures=["ari", "rand", "v_measure", "purity", "nvi"], resamples=50)


def drawn(ax: Any) -> None:
    """Lay out and draw everything; a warning is an error."""
    ax.figure.canvas.draw()


def written(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.texts if text.get_text()]


@pytest.mark.parametrize("kind", OF_TABLES)
@pytest.mark.parametrize("of", TABLES)
def test_tables_of_every_shape_are_drawn_on_the_axes_passed_in(kind: str, of: str) -> None:
    ax = plt.subplots(figsize=(4, 3), layout="constrained")[1]
    assert OF_TABLES[kind](TABLES[of](), ax=ax) is ax
    drawn(ax)


@pytest.mark.parametrize("kind", OF_TABLES)
def test_without_axes_a_figure_is_made_in_which_nothing_is_clipped(kind: str) -> None:
    ax = OF_TABLES[kind](TABLES["hostile"]())
    drawn(ax)
    box, figure = ax.get_tightbbox(), ax.figure.bbox
    assert box.x0 >= -1
    assert box.x1 <= figure.width + 1
    assert box.y0 >= -1
    assert box.y1 <= figure.height + 1


def test_a_heatmap_has_a_cell_for_each_class_and_cluster_and_writes_the_counts() -> None:
    ax = karat.plot.heatmap(table_of([[5, 1, 0], [0, 4, 1], [2, 0, 8]]))
    (mesh,) = ax.collections
    assert mesh.get_array().shape == (3, 3)
    assert sorted(written(ax)) == ["1", "1", "2", "4", "5", "8"]
    # classes by size, c a b; clusters beside the class that most of their items are of
    assert [t.get_text() for t in ax.get_yticklabels()] == ["c", "a", "b"]
    assert [t.get_text() for t in ax.get_xticklabels()] == ["2", "0", "1"]
    assert mesh.get_array()[0].tolist() == [0.8, 0.2, None]


def test_a_heatmap_can_show_shares_of_clusters() -> None:
    mesh = karat.plot.heatmap(table_of([[3, 0], [1, 4]]), share="cluster").collections[0]
    assert np.ma.filled(mesh.get_array(), 0).sum(axis=0).tolist() == [1, 1]
    with pytest.raises(KaratError, match=r"share='row' is not supported; use 'class' or 'cluster'"):
        karat.plot.heatmap(table_of([[1]]), share="row")


def test_what_is_left_over_is_one_line_whose_share_is_told() -> None:
    gold = ["a"] * 60 + ["b"] * 28 + [f"c{i}" for i in range(12)]
    ax = karat.plot.heatmap(Table.from_labels(gold, range(100)), most=2)
    assert ax.collections[0].get_array().shape == (3, 3)
    assert ax.get_ylabel().replace("\n", " ") == "class last row: 12 other classes, 12% of the items"
    assert "98 other clusters, 98% of the items" in ax.get_xlabel().replace("\n", " ")
    assert [t.get_text() for t in ax.get_yticklabels()] == ["a", "b", "other"]
    assert "60" not in written(ax)
    assert sum(int(text) for text in written(ax)) == 100


def test_one_that_would_be_left_over_alone_is_drawn() -> None:
    view = overview(table_of([[3, 0, 0], [0, 2, 0], [0, 0, 1]]), 2, 1)
    assert view.classes.names == ("a", "b", "c")
    assert view.clusters.labels == (0, "other")
    assert view.clusters.rest == "2 other clusters, 50% of the items"


def test_all_of_ten_thousand_classes_and_clusters_are_in_the_overview() -> None:
    codes = np.arange(10_000)
    table = Table.from_cells(np.r_[codes, codes], np.r_[codes, (7 * codes) % 10_000], np.r_[codes + 1, codes + 1])
    view = overview(table, 40, 40)
    assert view.counts.shape == (41, 41)
    assert view.counts.sum() == table.n
    assert view.classes.others == 9960


@pytest.mark.parametrize("most", [0, -1, 2.5, True, "all"])
def test_a_number_of_lines_that_is_none_is_refused(most: Any) -> None:
    for plot in OF_TABLES.values():
        with pytest.raises(KaratError, match=r"is not a number of classes or clusters; give an integer from 1 on\."):
            plot(table_of([[1]]), most=most)


def test_a_flow_has_a_band_for_each_cell_and_blocks_as_high_as_their_sizes() -> None:
    table = TABLES["textbook"]()
    ax = karat.plot.flow(table)
    bands = [p for p in ax.patches if isinstance(p, PathPatch)]
    blocks = [p for p in ax.patches if isinstance(p, Rectangle)]
    assert len(bands) == table.counts.size
    left, right = ([p.get_height() for p in blocks if (p.get_x() > 0.5) == side] for side in (False, True))
    assert np.allclose(sorted(np.array(left) / sum(left)), [4 / 17, 5 / 17, 8 / 17])
    assert np.isclose(sum(left), sum(right))
    assert {"x", "o", "◇", "1", "2", "3"} == set(written(ax))


def test_flows_cross_less_than_in_the_order_of_sizes() -> None:
    view = overview(table_of([[0, 0, 9], [0, 8, 0], [7, 0, 1]]), 9, 9)
    assert crossings(view.untangled().counts) == 0
    assert crossings(view.counts) > 0


def test_the_remainder_of_a_flow_is_told() -> None:
    ax = karat.plot.flow(Table.from_labels(["a"] * 9 + ["b"] + ["c"], list("xxxxxxxxxyz")), most=1)
    assert "2 other classes,\n18% of the items" in written(ax)


def test_the_parts_of_each_bar_add_up_to_one_and_the_largest_cluster_is_on_top() -> None:
    ax = karat.plot.composition(random_table(), most=10)
    totals: dict[float, float] = {}
    for bar in ax.patches:
        centre = round(bar.get_y() + bar.get_height() / 2, 6)
        totals[centre] = totals.get(centre, 0) + bar.get_width()
    assert sorted(totals) == list(range(11))
    assert np.allclose(list(totals.values()), 1)
    sizes = [int(text.replace(",", "")) for text in written(ax)]
    assert sizes[:10] == sorted(random_table().cluster_sizes.tolist(), reverse=True)[:10]
    assert sum(sizes) == 6000
    assert "grey: 1,988 other classes, 99% of the items" in ax.get_xlabel().replace("\n", " ")


def test_no_class_is_missing_from_the_legend() -> None:
    ax = karat.plot.composition(TABLES["hostile"]())
    assert {"_hidden", r"\$x^2\$", "''"} <= {text.get_text() for text in ax.get_legend().get_texts()}


def test_systems_are_points_at_their_scores_and_crosses_end_where_intervals_do(compared: karat.Comparison) -> None:
    ax = karat.plot.plane(compared)
    points = [line.get_xydata()[0] for line in ax.lines if line.get_marker() == "o"]
    expected = [(compared[s]["homogeneity"], compared[s]["completeness"]) for s in compared]
    assert np.allclose(points, expected)
    ends = [tuple(line.get_xdata()) for line in ax.lines if len(line.get_xdata()) == 2]
    for system in compared:
        interval = compared.interval(system, "homogeneity")
        assert (interval.low, interval.high) in ends
    assert {"one cluster", "singletons", "k=2", "k=30", "V = 0.9", "0.1"} <= set(written(ax))
    trivial = next(line for line in ax.lines if line.get_marker() == "X")
    assert np.allclose(trivial.get_xydata(), [(0, 1), (1, karat.completeness(*zip(*_apart(compared), strict=True)))])
    drawn(ax)


def _apart(compared: karat.Comparison) -> list[tuple[int, int]]:
    sizes = next(iter(compared.values())).table.class_sizes.tolist()
    gold = [label for label, size in enumerate(sizes) for _ in range(size)]
    return list(zip(gold, range(len(gold)), strict=True))


def test_v_is_the_same_all_along_its_curve() -> None:
    for beta, zoom in ((1, False), (2, False), (0.5, True)):
        ax = karat.plot.plane({"a": TABLES["textbook"]()}, beta=beta, zoom=zoom)
        curves = [line.get_xydata() for line in ax.lines if len(line.get_xdata()) == 200]
        assert curves
        for h, c in (curve.T for curve in curves):
            v = (1 + beta) * h * c / (beta * h + c)
            assert np.ptp(v) < 1e-9
        plt.close("all")


def test_names_in_the_plane_do_not_overlap() -> None:
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 5, 200)
    systems = {f"system {i}": np.where(rng.random(200) < 0.3, 9, gold) for i in range(12)}
    ax = karat.plot.plane({key: Table.from_labels(gold, pred) for key, pred in systems.items()})
    drawn(ax)
    boxes = [t.get_window_extent() for t in ax.texts if t.get_text().startswith("system")]
    assert len(boxes) >= 6
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_a_plane_takes_scores_with_intervals_and_refuses_what_has_no_names() -> None:
    gold, pred = karat.examples.textbook()
    scores = karat.score(gold, pred, ["homogeneity", "completeness"], interval=0.9)
    ax = karat.plot.plane({"a": scores, "b": Table.from_labels(gold, gold)})
    low, high = scores.intervals["completeness"].low, scores.intervals["completeness"].high
    assert (low, high) in [tuple(line.get_ydata()) for line in ax.lines]
    for wrong in (scores, Table.from_labels(gold, pred), {}, [scores]):
        with pytest.raises(KaratError, match="plane takes a Comparison, or several systems by name"):
            karat.plot.plane(wrong)
    with pytest.raises(KaratError, match="float has no cells to draw"):
        karat.plot.plane({"a": 0.5})
    with pytest.raises(KaratError, match="beta=0 is not a weight of completeness"):
        karat.plot.plane({"a": scores}, beta=0)


def test_singletons_are_not_marked_where_gold_differs_or_items_are_weighted() -> None:
    ax = karat.plot.plane({"a": TABLES["textbook"](), "b": TABLES["three"]()})
    assert not {"one cluster", "singletons"} & set(written(ax))
    ax = karat.plot.plane({"w": TABLES["weighted"]()})
    assert "one cluster" in written(ax)
    assert "singletons" not in written(ax)


def test_a_sweep_draws_each_measure_against_the_number_with_a_band(compared: karat.Comparison) -> None:
    ax = plt.subplots()[1]
    assert karat.plot.sweep(compared, ["nvi", "v_measure"], ax=ax) is ax
    curve = compared.curve("nvi")
    line = next(line for line in ax.lines if len(line.get_xdata()) == 4)
    assert line.get_xydata().tolist() == [[x, y] for x, y, _, _ in curve]
    band = ax.collections[0].get_paths()[0].vertices
    assert np.isclose(band[:, 1].min(), min(low for _, _, low, _ in curve))
    assert np.isclose(band[:, 1].max(), max(high for _, _, _, high in curve))
    rings = [line for line in ax.lines if len(line.get_xdata()) == 1]
    assert rings[0].get_ydata()[0] == min(y for _, y, _, _ in curve)  # lower is better
    assert set(written(ax)) == {"nvi ↓", "v_measure ↑"}
    assert next(t.get_text() for t in ax.get_xticklabels()) == "30"


def test_the_axis_of_a_sweep_is_logarithmic_where_numbers_are_far_apart(compared: karat.Comparison) -> None:
    assert karat.plot.sweep(compared, "nvi").get_xscale() == "linear"  # 30 is less than 20 times 2
    assert karat.plot.sweep(compared, "nvi", log=True).get_xscale() == "log"
    with pytest.raises(KaratError, match="v_measure\\(beta=2\\) was not compared"):
        karat.plot.sweep(compared, "v_measure(beta=2)")
    with pytest.raises(KaratError, match="measures is empty"):
        karat.plot.sweep(compared, [])
    gold = [0, 0, 1, 1]
    ends = karat.compare(gold, {f"x={x}": gold for x in (-1, 0, 1)}, "ari")
    with pytest.raises(KaratError, match="-1 cannot be drawn on a logarithmic axis; omit log"):
        karat.plot.sweep(ends, log=True)


@pytest.mark.parametrize("measure", ["v_measure", "nvi"])
def test_the_best_system_is_on_top_whichever_end_is_better(compared: karat.Comparison, measure: str) -> None:
    ax = karat.plot.comparison(compared, measure)
    ranks = compared.verdicts[measure].ranks
    order = sorted(compared.systems, key=lambda s: ranks[compared.systems.index(s)])
    assert [t.get_text().split()[0] for t in ax.get_yticklabels()] == order
    scores = next(line for line in ax.lines if line.get_label() == "score")
    assert np.allclose(scores.get_xdata(), [compared[s][measure] for s in order])
    spans = [tuple(segment[:, 0]) for segment in ax.collections[0].get_segments()]
    found = [compared.interval(s, measure) for s in order]
    assert np.allclose(spans, [(i.low, i.high) for i in found])
    letters = compared.letters
    assert [t.get_text().split()[1] for t in ax.get_yticklabels()] == [letters[s] for s in order]
    beats = compared.verdicts[measure].beats
    told = ["".join(letters[compared.systems[o]] for o in beats[compared.systems.index(s)]) for s in order]
    assert [t.get_text() for t in ax.texts][:4] == told
    estimates = next(line for line in ax.lines if line.get_label() == "estimate")
    assert set(estimates.get_xdata()) <= {i.estimate for i in found}
    assert "higher is better" in ax.get_xlabel() or measure == "nvi"


def test_an_estimate_that_is_the_score_is_not_marked() -> None:
    gold = [0, 1] * 20
    ax = karat.plot.comparison(karat.compare(gold, {"a": gold, "b": gold}, "purity"))
    assert [line.get_label() for line in ax.lines] == ["score"]
    assert ax.get_legend() is None


def test_a_tree_has_a_join_for_each_two_branches_at_its_height(relation: karat.Relation) -> None:
    ax = karat.plot.dendrogram(relation)
    assert sorted(max(line.get_xdata()) for line in ax.lines) == pytest.approx(sorted(relation.linkage[:, 2]))
    names = {t.get_text() for t in ax.get_yticklabels()}
    assert names == {"ari", "rand", "v_measure", "purity", "nvi ↓"}
    bold = {t.get_text() for t in ax.get_yticklabels() if t.get_fontweight() == "bold"}
    assert bold == {f"{m}{' ↓' if m.better == 'lower' else ''}" for m in relation.advice()}


def test_what_is_no_result_is_refused_with_a_remedy() -> None:
    for plot in (karat.plot.sweep, karat.plot.comparison):
        with pytest.raises(KaratError, match=r"list is not a comparison; give karat\.compare\(gold, systems\)\."):
            plot([1])
    with pytest.raises(KaratError, match=r"list is not a relation of measures; give karat\.relate\(tables\)\."):
        karat.plot.dendrogram([1])
    for plot in OF_TABLES.values():
        with pytest.raises(KaratError, match="list has no cells to draw; give a Table"):
            plot([1])
        with pytest.raises(KaratError, match="ax=3 is not a matplotlib Axes"):
            plot(table_of([[1]]), ax=3)


def everything(compared: karat.Comparison, relation: karat.Relation) -> list[Callable[..., Any]]:
    table = TABLES["hostile"]()
    return [
        lambda **kw: karat.plot.heatmap(table, **kw),
        lambda **kw: karat.plot.flow(table, **kw),
        lambda **kw: karat.plot.composition(table, **kw),
        lambda **kw: karat.plot.plane(dict.fromkeys(HOSTILE, table), **kw),
        lambda **kw: karat.plot.plane(compared, **kw),
        lambda **kw: karat.plot.sweep(compared, **kw),
        lambda **kw: karat.plot.comparison(compared, **kw),
        lambda **kw: karat.plot.dendrogram(relation, **kw),
    ]


def test_on_black_all_text_can_be_read(compared: karat.Comparison, relation: karat.Relation) -> None:
    with plt.style.context("dark_background"):
        for place, plot in enumerate(everything(compared, relation)):
            ax = plot()
            texts = [*ax.get_xticklabels(), *ax.get_yticklabels(), ax.xaxis.label, ax.yaxis.label]
            texts += ax.texts if place else []  # those of a heatmap stand on cells
            assert all(luminance(text.get_color()) > 0.2 for text in texts)
            plt.close("all")


def test_counts_can_be_read_on_their_cells() -> None:
    for style in ("default", "dark_background"):
        with plt.style.context(style):
            ax = karat.plot.heatmap(TABLES["textbook"]())
            mesh = ax.collections[0]
            colours = mesh.to_rgba(mesh.get_array())
            for text in ax.texts:
                x, y = text.get_position()
                light = sorted((luminance(text.get_color()), luminance(colours[int(y), int(x), :3])))
                assert (light[1] + 0.05) / (light[0] + 0.05) >= 4.5  # as WCAG 2 asks of text


def test_colours_grow_away_from_the_paper_in_grey_print() -> None:
    for style, towards in (("default", -1), ("dark_background", 1)):
        with plt.style.context(style):
            ax = plt.subplots()[1]
            grey = [luminance(shades(ax)(share)[:3]) for share in np.linspace(0, 1, 50)]
            assert (towards * np.diff(grey) > 0).all()
            assert abs(grey[0] - luminance(paper(ax))) < 0.25


def test_a_plot_stays_in_its_own_part_of_a_figure(compared: karat.Comparison, relation: karat.Relation) -> None:
    figure = plt.figure(figsize=(12, 10), layout="constrained")
    plots = everything(compared, relation)
    for part, plot in zip(figure.subfigures(2, 2).ravel(), (plots[0], plots[2], plots[3], plots[6]), strict=True):
        ax = part.subplots()
        assert plot(ax=ax) is ax
    figure.canvas.draw()


def test_axes_that_are_not_in_a_grid_or_see_through_are_drawn_on() -> None:
    figure = plt.figure(facecolor="none")
    ax = figure.add_axes((0.3, 0.2, 0.6, 0.7), facecolor="none")
    for plot in OF_TABLES.values():
        assert plot(TABLES["textbook"](), ax=ax) is ax
    assert paper(ax) == "white"
    drawn(ax)


def test_labels_lose_control_characters_formulas_and_length() -> None:
    assert name("a\x1b[31m") == r"a\x1b[31m"
    assert name("$x$") == r"\$x\$"
    assert name("  ") == "'  '"
    assert len(name("x" * 10**6)) == 30
    figure = plt.figure()
    text = figure.text(0, 0, name("$x^2$"))
    assert text.get_window_extent().width > 30  # five letters, not a formula of two
    figure.canvas.draw()


def test_counts_and_shares_are_told_in_few_letters() -> None:
    counts = (0.25, 3, 9.96, 17, 999, 12_345, 999_600, 2_500_000, 10**12, 4 * 10**18)
    assert list(map(brief, counts)) == ["0.25", "3", "10", "17", "999", "12k", "1M", "2.5M", "1T", "4e+18"]
    shares = (0, 0.0001, 0.004, 0.123, 0.9999, 1)
    assert list(map(percent, shares)) == ["0%", "under 0.1%", "0.4%", "12%", "over 99%", "100%"]


def test_labels_are_moved_apart_as_little_as_can_be() -> None:
    assert spread([5, 5], [2, 2], 0, 10) == [4, 6]
    assert spread([0, 0, 10], [2, 2, 2], 0, 10) == [1, 3, 9]
    assert spread([], [], 0, 1) == []
    places = around([(50, 50), (51, 50), (500, 50)], [(20, 10)] * 3, Box(0, 0, 100, 100), 5)
    assert places[2] is None
    assert not places[0].overlaps(places[1])


def test_without_matplotlib_plots_say_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ax = karat.plot.heatmap(table_of([[1]]))
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for call in (lambda: karat.plot.heatmap(table_of([[1]])), lambda: karat.plot.save(ax, tmp_path / "a.png")):
        with pytest.raises(
            KaratError, match=r"^plots need matplotlib, which is not installed; pip install 'karat\[plot\]'\.$"
        ):
            call()


def test_files_are_written_whole_and_always_the_same(tmp_path: Path) -> None:
    starts = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
    for kind, start in starts.items():
        paths = [tmp_path / f"{place}.{kind}" for place in (0, 1)]
        for path in paths:
            ax = karat.plot.flow(TABLES["three"]())
            karat.plot.save(ax if kind == "svg" else ax.figure, path)
        first, second = (path.read_bytes() for path in paths)
        assert first.startswith(start)
        assert first == second
    assert sorted(p.name for p in tmp_path.iterdir()) == ["0.pdf", "0.png", "0.svg", "1.pdf", "1.png", "1.svg"]


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ax = karat.plot.flow(TABLES["three"](), ax=plt.subplots()[1])
    for wrong in ("a.jpg", "a", ".png"):
        with pytest.raises(KaratError, match=r"does not say its format; name it \.png, \.svg or \.pdf\."):
            karat.plot.save(ax, tmp_path / wrong)
    with pytest.raises(KaratError, match="int is not a plot"):
        karat.plot.save(3, tmp_path / "a.png")
    path = tmp_path / "a.svg"
    path.write_text("old")

    def fail(*args: object, **options: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(type(ax.figure), "savefig", fail)
    with pytest.raises(KaratError, match=r"cannot be written \(disk full\)"):
        karat.plot.save(ax, path)
    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_letters_that_the_font_lacks_do_not_stop_a_plot() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # matplotlib's, about the font
        drawn(karat.plot.heatmap(Table.from_labels(["中文", "日本語"], ["한국어", "🙂"])))


@pytest.mark.parametrize("settings", [b"backend: \xff", None], ids=["a file that is no text", "a variable"])
def test_settings_of_which_matplotlib_fails_are_named(settings: bytes | None, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("gold,pred\na,1\nb,2\n")
    if settings is not None:
        (tmp_path / "matplotlibrc").write_bytes(settings)
    done = subprocess.run(
        [sys.executable, "-P", "-m", "karat", "report", "a.csv", "-q"], cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, **({} if settings else {"MPLBACKEND": "nonsense"})}, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "karat: matplotlib cannot be loaded" in done.stderr
    assert "Traceback" not in done.stderr


def test_names_around_very_many_points_are_placed_in_time() -> None:
    points = [(place * 7919 % 500, place * 104729 % 400) for place in range(600)]
    start = time.perf_counter()
    boxes = [box for box in around(points, [(40, 10)] * 600, Box(0, 0, 500, 400), 6) if box is not None]
    assert time.perf_counter() - start < 5
    assert not any(a.overlaps(b) for place, a in enumerate(boxes) for b in boxes[:place])
