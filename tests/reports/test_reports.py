"""Reports as text: what is in them, that they hold everything, and that labels stay text."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from app_server import GOLD, HOSTILE, OTHER, PRED
from karat.cli import main
from karat.plot.svg import svg
from karat.reports.explorer import in_script


class Tags(HTMLParser):
    """Every tag with its attributes, and what is in scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in ("meta", "input", "br", "path", "line", "circle", "rect", "use", "image"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.open:
            assert self.open.pop() == tag


def data_of(page: str) -> list[dict[str, object]]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, flags=re.DOTALL)
    assert found is not None
    return json.loads(found[1])  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def page() -> str:
    return karat.report(GOLD, {"mine": PRED, "other": OTHER}, command="karat report a b").html()


def test_a_page_holds_all_it_shows_and_asks_for_nothing(page: str) -> None:
    tags = Tags(page)
    assert not tags.open
    for tag, attributes in tags.found:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base", "form")
        assert not {"style", "src", "srcset", "action"} & set(attributes), (tag, attributes)
        assert not [name for name in attributes if name.startswith("on")]
        for name in ("href", "xlink:href"):
            assert (attributes.get(name) or "#").startswith("#")
    (policy,) = [a["content"] for _, a in tags.found if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy is not None
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert page.count("<script") == 2


def test_what_is_printed_is_on_the_page(page: str) -> None:
    compared = karat.compare(GOLD, {"mine": PRED, "other": OTHER})
    scores = karat.score(GOLD, PRED)
    for text in (scores["v_measure"], scores.baselines["v_measure"].singletons, compared["other"]["ari"]):
        assert f"{text:.4f}" in page
    explained = karat.explain(GOLD, PRED).problems[0]
    assert explained.replace("'", "&#39;") in page
    assert "karat report a b" in page
    for measure in scores.measures:
        assert f'id="term-{measure}"' in page


def test_ids_of_figures_are_their_own(page: str) -> None:
    ids = [attributes["id"] for _, attributes in Tags(page).found if "id" in attributes]
    assert len(ids) == len(set(ids))
    for reference in re.findall(r"url\(#([^)]+)\)", page):
        assert reference in ids


def test_cells_and_items_are_those_of_the_table(page: str) -> None:
    first = data_of(page)[0]
    table = karat.Table.from_labels(GOLD, PRED)
    names = {key: first[key]["names"] for key in ("classes", "clusters")}  # type: ignore[index]
    cells = zip(first["rows"], first["cols"], first["counts"], strict=True)  # type: ignore[call-overload]
    found = {(names["classes"][row], names["clusters"][col]): count for row, col, count in cells}
    assert found == {(c, str(k)): n for c, k, n in table.top_cells(None)}
    for place, items in first["items"].items():  # type: ignore[attr-defined]
        row, col = first["rows"][int(place)], first["cols"][int(place)]  # type: ignore[index]
        for item in items:
            assert (GOLD[item], str(PRED[item])) == (names["classes"][row], names["clusters"][col])


def sampled(gold: object, pred: object, items: list[str] | None = None, **policy: Any) -> dict[tuple[Any, str], Any]:
    """The items shown for each cell, by class and cluster."""
    (system,) = karat.report(gold, {"mine": pred}, "ari", id=items, interval=None, **policy).systems
    table = system.table
    cells = zip(table.rows.tolist(), table.cols.tolist(), strict=True)
    names = [(table.classes[row], str(table.clusters[col])) for row, col in cells]
    return {names[place]: some for place, some in system.examples.items()}


def test_samples_follow_the_policies() -> None:
    gold = {"a": 1, "b": 1, "c": 2, "d": None, "e": 2}
    pred = {"a": "x", "b": "y", "c": "y", "d": "x", "e": "noise"}
    found = sampled(gold, pred, missing="drop", noise="noise", noise_as="singletons")
    assert found == {(1, "x"): ("a",), (1, "y"): ("b",), (2, "y"): ("c",), (2, "<singleton: 'e'>"): ("e",)}
    assert sampled([1, 2], [1, 2]) == {}
    assert sampled([1, 2], [1, 2], ["p", "q"]) == {(1, "1"): ("p",), (2, "2"): ("q",)}


def test_items_apart_are_named_as_the_user_names_them() -> None:
    found = sampled([1, 1, 2, 2], ["x", "n", "y", "n"], ["d1", "d2", "d3", "d4"], noise="n", noise_as="singletons")
    assert sorted(some for some in found.values()) == [("d1",), ("d2",), ("d3",), ("d4",)]


def test_a_page_has_one_interval_for_each_score(page: str) -> None:
    made = karat.report(GOLD, {"mine": PRED, "other": OTHER}, ["purity", "v_measure"])
    assert made.comparison is not None
    for system in made.systems:
        for measure in made.comparison.measures:
            assert system.scores.intervals[str(measure)] == made.comparison.interval(system.name, measure)


def test_without_tests_systems_still_stand_side_by_side() -> None:
    page = karat.report(GOLD, {"mine": PRED, "other": OTHER}, ["ari"], interval=None).html()
    assert "Systems side by side" in page
    assert "Which system is better?" not in page
    many = karat.report(GOLD, {f"s{i}": PRED if i % 2 else OTHER for i in range(9)}, ["ari"], measure="vi").html()
    assert "Paired differences by ari" in many


def test_items_that_another_system_lacks_are_no_examples() -> None:
    gold = {"i1": "a", "i2": "a", "i3": "a", "i4": "b"}
    whole, part = {"i1": 1, "i2": 1, "i3": 1, "i4": 2}, {"i1": 1, "i2": 1, "i4": 2}
    noisy = {**whole, "i3": -1}
    for made in (
        karat.report(gold, {"A": whole, "B": part}, "ari", missing="drop"),
        karat.report(gold, {"A": whole, "B": noisy}, "ari", noise=-1, noise_as="drop"),
    ):
        assert made.systems[0].examples == {0: ("i1", "i2"), 1: ("i4",)}


def test_labels_that_can_be_read_once_only_are() -> None:
    made = karat.report(iter("aab"), {"m": (k for k in (1, 1, 2))}, "ari", id=iter(["x", "y", "z"]))
    assert made.systems[0].examples == {0: ("x", "y"), 1: ("z",)}


def test_one_system_need_not_have_a_name() -> None:
    gold = {"d1": ("a", 1), "d2": ("a", 1), "d3": ("b", 2)}
    assert (
        repr(karat.report(gold, {item: (label, 0) for item, (label, _) in gold.items()}, "ari"))
        == "<Report: clustering>"
    )
    clusters = {"c1": {"d1", "d2"}, "c2": {"d3"}}
    assert karat.report(gold, list(clusters.values()), "ari").systems[0].scores["ari"] == 1
    with pytest.raises(karat.LabelError, match="a dict of sets could be clusters or systems"):
        karat.report(gold, clusters, "ari")


def test_series_name_their_items() -> None:
    import pandas as pd

    gold, pred = pd.Series(GOLD), pd.Series(PRED)
    found = data_of(karat.report(gold, {"mine": pred.sample(frac=1, random_state=1)}, "ari").html())[0]
    named = data_of(karat.report(GOLD, {"mine": PRED}, "ari").html())[0]
    assert found["items"] == named["items"] != {}
    assert karat.report(gold.reset_index(drop=True), pred.reset_index(drop=True), "ari").html()


def test_items_that_a_policy_put_apart_are_shown_as_one() -> None:
    gold = {f"d{i}": "ab"[i % 2] for i in range(60)}
    pred = {item: "noise" if i % 3 else gold[item] for i, item in enumerate(gold)}
    page = karat.report(gold, {"mine": pred}, "ari", noise="noise", noise_as="singletons").html()
    heat = page[page.index('<table class="heat') : page.index("</table>", page.index('<table class="heat'))]
    assert "40 others" in heat
    assert "alone" not in heat
    assert "The last column: 40 other clusters, 67% of the items." in page


def test_items_left_out_are_told_at_once() -> None:
    gold = {**GOLD, "more": "a"}
    page = karat.report(gold, {"mine": PRED, "other": OTHER}, "ari", missing="drop").html()
    assert "17 items in 3 classes; 1 item left out, for all systems" in page


def test_curves_are_those_of_the_same_beta() -> None:
    page = karat.report(GOLD, {"mine": PRED}, ["v_measure(beta=2)"]).html()
    assert "V(β=2) = 0.9" in page


def test_hostile_labels_stay_text() -> None:
    gold = {f"{item}{i}": label for i, (item, label) in enumerate(zip(HOSTILE * 3, HOSTILE[::-1] * 3, strict=True))}
    systems = {HOSTILE[0]: {item: HOSTILE[i % 4] for i, item in enumerate(gold)}, HOSTILE[2]: dict(gold)}
    page = karat.report(gold, systems, ["ari"], title=HOSTILE[1], command=HOSTILE[3], notes=HOSTILE).html()
    tags = Tags(page)
    assert page.count("<script") == 2
    assert not [tag for tag, _ in tags.found if tag == "img"]
    assert not [name for _, attributes in tags.found for name in attributes if name.startswith("on")]
    assert "\u202e" not in page
    assert "\u2028" not in page
    assert data_of(page)


def test_labels_in_drawings_are_not_taken_for_attributes() -> None:
    label = ' style="fill:red" d="1.23456" id="x" url(#y)'
    page = karat.report([label, "b"], [1, 2], "ari", interval=None).html()
    assert '> style="fill:red" d="1.23456"…</text>' in page


def test_long_labels_are_cut_at_once() -> None:
    page = karat.report(["é" * 20_000, "a" + "\u0301" * 10_000, "b"], [1, 2, 10**3999], "ari", interval=None).html()
    assert len(page) < 300_000


def test_letters_that_no_font_has_are_no_news(recwarn: pytest.WarningsRecorder) -> None:
    karat.report(["日本", "語", "語"], ["😀", "b", "b"], "ari").html()
    assert not recwarn.list


def test_json_in_a_script_cannot_end_it() -> None:
    text = in_script({"a": "</script><!--&\u2028\u2029>"})
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == {"a": "</script><!--&\u2028\u2029>"}


def test_ten_thousand_clusters_fit_in_two_megabytes() -> None:
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 10_000, 60_000)
    pred = np.where(rng.random(60_000) < 0.7, gold, rng.integers(0, 10_000, 60_000))
    names = [f"item number {i}" for i in range(60_000)]
    made = karat.report(
        [f"class number {c}" for c in gold], [f"cluster number {k}" for k in pred], ["v_measure", "ari"], id=names
    )
    page = made.html()
    assert len(page.encode()) < 2_000_000
    (found,) = data_of(page)
    assert len(found["clusters"]["names"]) >= 9_000  # type: ignore[index]


def test_many_systems_fit_in_two_megabytes() -> None:
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 200, 2000)
    systems = {f"s{i}": np.where(rng.random(2000) < 0.5, gold, rng.integers(0, 400, 2000)) for i in range(24)}
    assert len(karat.report(gold, systems, ["v_measure", "ari"]).html().encode()) < 2_000_000


def test_tables_without_items_have_pages_too(tmp_path: Path) -> None:
    tables = {"one": karat.Table.from_matrix([[5, 1], [0, 4]]), "two": karat.Table.from_matrix([[2.5, 1], [0, 4]])}
    made = karat.report(tables, measures="v_measure")
    assert made.comparison is None
    assert "Which system is better?" not in made.html()
    assert repr(made) == "<Report: one, two>"
    assert repr(karat.report(tables["one"])) == "<Report: clustering>"
    made.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == made.html()
    assert 'srcdoc="&lt;!doctype html&gt;' in made._repr_html_()


def test_a_perfect_clustering_and_one_class_have_pages() -> None:
    for gold, pred in (([1, 2, 3], [1, 2, 3]), ([1, 1, 1], [1, 1, 2]), ([1], [1])):
        assert "What to fix first" in karat.report(gold, pred).html()


def test_pages_are_always_the_same_bytes() -> None:
    pages = [karat.report(GOLD, {"mine": PRED}, ["ari"]).html() for _ in range(2)]
    assert pages[0] == pages[1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: karat.report([1, 2]), "pred is missing"),
        (lambda: karat.report(karat.Table.from_matrix([[1]]), [1]), "so there is no pred"),
        (lambda: karat.report([1, 2], [1, 2], id=["a"]), "there are 1 items but 2 labels"),
        (lambda: karat.report({"a": 1, "b": 2}, {"m": {"b": 2, "a": 1}}, id=["p", "q"]), "leave out id"),
        (lambda: karat.report(karat.Table.from_matrix([[1]]), id=["a"]), "leave out id"),
        (lambda: karat.report([1, 2], {1: [1, 2], "1": [2, 1]}), "two systems are called '1'"),
        (lambda: karat.report([1, 2], [1, 2]).save("page.pdf"), "name it .html"),
    ],
)
def test_mistakes_are_told(call: object, message: str) -> None:
    with pytest.raises(karat.KaratError, match=message):
        call()  # type: ignore[operator]


def test_drawings_have_attributes_instead_of_styles() -> None:
    def draw(ax: object) -> None:
        ax.plot([0, 1], [0, 1], label="x")  # type: ignore[attr-defined]
        ax.set_title("title", fontweight="bold", fontstyle="italic")  # type: ignore[attr-defined]

    light, dark = (svg(draw, (3, 2), "key", tone) for tone in ("light", "dark"))
    assert " style=" not in light
    assert 'font-weight="' in light
    assert light != dark
    assert len(re.findall(r'id="key-light-', light)) > 3


def test_the_command_writes_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    both = tmp_path / "both.csv"
    rows = "\n".join(f"{item},{GOLD[item]},{PRED[item]}" for item in GOLD)
    both.write_text(f"id,gold,pred\n{rows}\n")
    out = tmp_path / "page.html"
    assert main(["report", str(both), "-o", str(out), "-m", "ari,v_measure", "--title", "Mine"]) == 0
    told = capsys.readouterr()
    assert told.out.startswith(f"{out}: ")
    assert "gold is column 'gold'" in told.err
    page = out.read_text(encoding="utf-8")
    assert "<title>Mine</title>" in page
    assert "karat report" in page
    assert "d16" in page  # an id of the file
    table = tmp_path / "table.json"
    karat.Table.from_labels(GOLD, PRED).save(table)
    assert main(["report", str(table), "-o", str(out), "-q"]) == 0
    assert capsys.readouterr() == ("", "")
    assert main(["report", str(both), "-o", str(tmp_path / "page.pdf")]) == 2
    assert "name it .html" in capsys.readouterr().err


def test_a_saved_table_is_not_taken_for_items(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "table.parquet"
    karat.Table.from_labels(GOLD, PRED).save(path)
    assert main(["report", str(path), "-o", str(tmp_path / "page.html")]) == 0
    assert "17 items" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert main(["compare", str(path), str(path)]) == 0
    assert "Differences were not tested" in capsys.readouterr().out


def test_notebooks_show_tables_and_plots() -> None:
    systems = {"k=2": PRED, "k=3": OTHER, "k=4": GOLD}
    tables = [karat.Table.from_labels(GOLD, pred) for pred in systems.values()]
    results = [
        (karat.score(GOLD, PRED), 1), (karat.explain(GOLD, PRED), 1), (karat.compare(GOLD, systems), 3),
        (karat.relate(tables, measures=["ari", "vi", "purity"]), 1), (karat.audit("ari", "baseline"), 0),
    ]  # fmt: skip
    pages = {type(result).__name__: (result._repr_html_(), pictures) for result, pictures in results}
    for name, (page, pictures) in pages.items():
        assert page.count("<table>") >= 1, name
        assert page.count("<svg") >= pictures, name
        assert ("<svg" in page) == (pictures > 0), name
    ids = re.findall(r'id="([^"]+)"', "".join(page for page, _ in pages.values()))
    assert len(ids) == len(set(ids))


def test_a_wrong_level_is_told_in_the_terminals_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "both.csv"
    path.write_text("gold,pred\na,1\nb,2\n")
    assert main(["report", str(path), "--interval", "2", "-o", str(tmp_path / "page.html")]) == 2
    assert capsys.readouterr().err == "karat: --interval 2.0 is not a confidence level; give a number such as 0.95.\n"


def test_encoded_labels_are_systems_as_large_files_give_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gold, pred = list(GOLD.values()), list(PRED.values())
    page = karat.report(karat.encode(gold), {"mine": karat.encode(pred)}, ["ari"])
    assert page.systems[0].name == "mine"
    assert f"{karat.ari(gold, pred):.4f}" in page.html()
    from karat.sources.files import sources

    monkeypatch.setattr(sources, "LARGE", 1)
    rows = "".join(f"{item},{GOLD[item]},{PRED[item]}\n" for item in GOLD)
    (tmp_path / "all.csv").write_text("id,gold,pred\n" + rows)
    assert main(["report", str(tmp_path / "all.csv"), "-o", str(tmp_path / "r.html"), "-m", "ari"]) == 0
    assert f"{karat.ari(gold, pred):.4f}" in (tmp_path / "r.html").read_text()


@pytest.mark.parametrize("name", ["a%b", "50 %", "%ff", "é#x?", "\ud800", 'a"b&c'])
def test_links_lead_to_measures_of_any_name(name: str) -> None:
    page = karat.report(GOLD, PRED, [karat.wrap(lambda gold, pred: 0.5, name=name), "ari"]).html()
    links = re.findall(r'class="term" href="#([^"]+)"', page)
    assert links
    for link in links:  # in which a lone % makes decodeURIComponent() fail
        assert "%" not in link
        assert page.count(f'id="{link}"') == 1


@pytest.mark.parametrize("option", [{"title": 5}, {"command": None}, {"notes": None}, {"notes": "one"}, {"notes": [1]}])
def test_what_is_printed_on_the_page_is_text(option: dict[str, Any]) -> None:
    with pytest.raises(karat.KaratError, match=f"^{next(iter(option))} is .*; give (text|a list of sentences)"):
        karat.report(list("aab"), [1, 1, 2], ["ari"], **option)
