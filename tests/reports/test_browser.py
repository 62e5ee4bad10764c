"""Reports in a real browser: Chromium, without a window; run with -m browser."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect, sync_playwright

import karat
from app_server import GOLD, HOSTILE, OTHER, PRED, TABLE, Server

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [
    pytest.mark.browser,
    pytest.mark.xdist_group("browser"),  # one browser for all
]
PHONE = {"width": 390, "height": 844}
SCREENSHOTS = os.environ.get("KARAT_SCREENSHOTS")  # a folder for pictures to look at


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield opened
        opened.close()


class Opened:
    """A page, and what it asked for or complained of."""

    def __init__(self, browser: Any, path: Path, **options: Any) -> None:
        self.page = browser.new_page(**{"viewport": {"width": 1280, "height": 900}, **options})
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(path.as_uri())
        if SCREENSHOTS:
            number = sum(1 for _ in Path(SCREENSHOTS).iterdir())
            self.page.screenshot(path=Path(SCREENSHOTS) / f"{path.stem}-{number}.png", full_page=True)


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    rng = np.random.default_rng(0)
    many = {f"item {i}": f"class {c}" for i, c in enumerate(rng.integers(0, 150, 3000))}
    wrong = rng.random(3000) < 0.3
    mixed = {
        item: f"cluster {rng.integers(0, 400)}" if bad else label
        for (item, label), bad in zip(many.items(), wrong, strict=True)
    }
    hostile = {f"{item}{i}": label for i, (item, label) in enumerate(zip(HOSTILE * 3, HOSTILE[::-1] * 3, strict=True))}
    other = {item: HOSTILE[i % 4] for i, item in enumerate(hostile)}
    pages = {
        "toy": karat.report(GOLD, {"mine": PRED}, command="karat report gold.csv mine.csv"),
        "two": karat.report(GOLD, {"mine": PRED, "other": OTHER}),
        "many": karat.report(many, {"many": mixed}, ["v_measure", "ari"]),
        "hostile": karat.report(
            hostile, {HOSTILE[0]: other, HOSTILE[2]: hostile}, ["ari"], title=HOSTILE[1], notes=HOSTILE
        ),
    }  # fmt: skip
    for name, page in pages.items():
        page.save(folder / f"{name}.html")
    return {name: folder / f"{name}.html" for name in pages}


@pytest.fixture
def toy(browser: Any, paths: dict[str, Path]) -> Iterator[Opened]:
    opened = Opened(browser, paths["toy"])
    yield opened
    assert opened.complaints == []
    assert opened.requests == [paths["toy"].as_uri()]
    opened.page.close()


@pytest.fixture
def many(browser: Any, paths: dict[str, Path]) -> Iterator[Any]:
    opened = Opened(browser, paths["many"])
    yield opened.page
    assert opened.complaints == []
    opened.page.close()


def column(page: Any, place: int) -> list[str]:
    return list(page.locator(f".list tbody td:nth-child({place})").all_inner_texts())


def numbers(texts: list[str]) -> list[float]:
    return [float(text.replace(",", "").rstrip("%").lstrip("<>")) for text in texts]


def test_a_score_is_explained_where_one_points(toy: Opened) -> None:
    toy.page.hover("a.term >> nth=2")
    tip = toy.page.locator("#tip")
    assert tip.is_visible()
    assert "harmonic mean" in tip.inner_text()
    toy.page.keyboard.press("Escape")
    assert tip.is_hidden()
    toy.page.focus("a.term >> nth=0")
    assert "H(C|K)" in tip.inner_text()


def test_a_cell_tells_its_items(toy: Opened) -> None:
    cell = toy.page.locator(".heat td[data-tip]").first
    cell.hover()
    told = toy.page.locator("#tip").inner_text()
    assert told.startswith("class a, cluster 1: 5 items, 83% of the class, 71% of the cluster")
    assert "d0, d1" in told
    cell.click()
    detail = toy.page.locator(".detail")
    assert detail.is_visible()
    assert "cluster 1: 7 items in 3 classes" in detail.inner_text()
    detail.get_by_role("button", name="close").click()
    assert detail.is_hidden()


def test_arrow_keys_walk_the_table(toy: Opened) -> None:
    toy.page.focus(".heat td[tabindex='0']")
    toy.page.keyboard.press("ArrowRight")
    toy.page.keyboard.press("ArrowDown")
    assert toy.page.evaluate("document.activeElement.innerText") == "4"
    assert "class b, cluster 2" in toy.page.locator("#detail-line-0").inner_text()
    toy.page.keyboard.press("Enter")
    assert "cluster 2" in toy.page.locator(".detail h3").inner_text()


def test_lines_are_sorted_by_any_column(many: Any) -> None:
    many.get_by_role("button", name="clusters").click()
    many.get_by_role("button", name="items").click()
    sizes = numbers(column(many, 2))
    assert sizes == sorted(sizes, reverse=True)
    assert many.locator("th[aria-sort=descending]").inner_text().startswith("items")
    many.get_by_role("button", name="items").click()
    sizes = numbers(column(many, 2))
    assert sizes == sorted(sizes)
    many.locator(".list thead button").first.click()
    names = column(many, 1)
    assert names[:2] == ["class 0", "class 1"]


def test_lines_are_searched_and_filtered(many: Any) -> None:
    many.get_by_role("button", name="clusters").click()
    many.get_by_role("searchbox").fill("cluster 39")
    names = column(many, 1)
    assert names
    assert all(name.startswith("cluster 39") for name in names)
    many.get_by_role("searchbox").fill("")
    many.locator(".controls select").select_option("alone")
    assert set(column(many, 2)) == {"1"}
    many.get_by_role("searchbox").fill("no such label")
    assert column(many, 1) == []
    assert many.locator(".explore [role=status]").inner_text().startswith("0 of ")


def test_many_lines_come_in_parts(many: Any) -> None:
    many.get_by_role("button", name="clusters").click()
    assert len(column(many, 1)) == 100
    many.get_by_role("button", name="show more").click()
    assert len(column(many, 1)) > 300


def test_a_line_opens_its_parts(many: Any) -> None:
    many.get_by_role("button", name="classes").click()
    many.locator(".list tbody tr").first.click()
    parts = many.locator(".detail li")
    assert parts.count() > 2
    assert "item " in parts.first.inner_text()
    shares = numbers([text.rsplit("·", 1)[1].split("\n")[0] for text in parts.all_inner_texts()])
    assert shares == sorted(shares, reverse=True)


def test_one_of_several_systems_is_seen(browser: Any, paths: dict[str, Path]) -> None:
    opened = Opened(browser, paths["two"])
    assert opened.page.locator(".part:visible h2.who").all_inner_texts() == ["other"]  # the better one
    opened.page.select_option("#system", label="mine")
    assert opened.page.locator(".part:visible h2.who").all_inner_texts() == ["mine"]
    assert opened.page.get_by_text("Which system is better?").is_visible()
    assert opened.complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark(browser: Any, paths: dict[str, Path], scheme: str) -> None:
    page = Opened(browser, paths["toy"], color_scheme=scheme).page

    def seen() -> tuple[bool, int]:
        light = page.locator(".drawing.light").first.is_visible()
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return light, int(colour.removeprefix("rgb(").split(",")[0])

    first = seen()
    assert first[0] == (scheme == "light")
    assert (first[1] > 128) == (scheme == "light")
    page.click("#tone")
    assert seen()[0] != first[0]
    assert (seen()[1] > 128) != (first[1] > 128)


@pytest.mark.parametrize("name", ["toy", "two", "many", "hostile"])
def test_nothing_stands_out_of_a_phone(browser: Any, paths: dict[str, Path], name: str) -> None:
    page = Opened(browser, paths[name], viewport=PHONE, has_touch=True, is_mobile=True).page
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    sizes = page.evaluate(
        "[...document.querySelectorAll('p, li, td')].map(e => parseFloat(getComputedStyle(e).fontSize))"
    )
    assert min(sizes) >= 11


def test_on_paper_there_are_no_controls(browser: Any, paths: dict[str, Path]) -> None:
    page = Opened(browser, paths["toy"], color_scheme="dark").page
    page.emulate_media(media="print")
    assert page.locator(".controls").is_hidden()
    assert page.locator("#tone").is_hidden()
    assert page.locator(".drawing.light").first.is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_hostile_labels_run_nothing(browser: Any, paths: dict[str, Path]) -> None:
    opened = Opened(browser, paths["hostile"])
    page = opened.page
    for button in page.locator("button:visible").all():
        button.click()
    for row in page.locator(".part:visible .list tbody tr").all():
        row.click()
    for cell in page.locator(".part:visible .heat td[data-tip]").all():
        cell.hover()
    page.select_option("#system", index=1)
    assert page.evaluate("window.hacked") is None
    assert page.locator("script").count() == 2
    assert page.locator("img, iframe, object").count() == 0
    assert page.title() == HOSTILE[1]
    assert HOSTILE[2] in page.locator("body").inner_text()
    assert opened.complaints == []
    assert opened.requests == [paths["hostile"].as_uri()]


def test_the_policy_stops_what_would_run(browser: Any, paths: dict[str, Path], tmp_path: Path) -> None:
    """Even if a label had got out of its place."""
    page = paths["toy"].read_text(encoding="utf-8")
    added = (
        "<script>window.hacked = 1</script><p style='color: red'>"
        "<img src='http://127.0.0.1:9/x.png' onerror='window.hacked = 2'>"
    )
    broken = tmp_path / "broken.html"
    broken.write_text(page.replace("</main>", f"{added}</main>"), encoding="utf-8")
    opened = Opened(browser, broken)
    assert opened.page.evaluate("window.hacked") is None
    assert len([text for text in opened.complaints if "Content Security Policy" in text]) >= 3
    assert any("x.png" in text for text in opened.complaints)


def test_everything_has_a_name_and_headings_are_in_order(toy: Opened) -> None:
    unnamed = toy.page.evaluate(
        "[...document.querySelectorAll('button, select, input')].filter(e => e.offsetParent && "
        "!(e.innerText.trim() || e.getAttribute('aria-label') || e.closest('label'))).map(e => e.outerHTML)"
    )
    assert unnamed == []
    assert toy.page.locator("h1").count() == 1
    assert toy.page.locator("main, header").count() == 2
    assert toy.page.locator("[role=img]:not([aria-label])").count() == 0


def test_a_page_opens_at_once(browser: Any, paths: dict[str, Path]) -> None:
    """Not timed, since machines differ: but few elements are made before somebody asks for more."""
    page = Opened(browser, paths["many"]).page
    assert page.evaluate("document.querySelectorAll('*').length") < 6000


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    started = Server("--limit", "1")
    yield started
    assert started.end() == (0, "")


@pytest.fixture
def app(browser: Any, server: Server) -> Iterator[Any]:
    page = browser.new_page(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(server.address)
    yield page
    assert [text for text in complaints if "status of 422" not in text] == []
    page.close()


def report_in(app: Any) -> Any:
    app.wait_for_selector("#status:has-text('done')", timeout=60_000)
    return app.frame_locator("#report")


def test_a_file_is_dropped_and_its_report_follows(app: Any, tmp_path: Path) -> None:
    path = tmp_path / "both.csv"
    path.write_text(TABLE)
    app.set_input_files("#files", path)
    report = report_in(app)
    assert report.locator("h1").inner_text() == "pred against gold"
    report.locator(".heat td[data-tip]").first.hover()
    assert "d0, d1" in report.locator("#tip").inner_text()  # its script runs
    before = report.locator(".scores").inner_text()
    app.fill("[name=beta]", "3")
    app.press("[name=beta]", "Tab")
    expect(report.locator(".scores a.term", has_text="v_measure(beta=3)")).to_be_visible(timeout=60_000)
    assert report.locator(".scores").inner_text() != before
    app.fill("[name=noise]", "3")
    app.select_option("[name=noise_as]", "drop")
    expect(report.locator(".sub").first).to_contain_text("13 items (4 dropped)", timeout=60_000)
    with app.expect_download() as started:
        app.click("#save")
    saved = tmp_path / "saved.html"
    started.value.save_as(saved)
    assert "v_measure(beta=3)" in saved.read_text(encoding="utf-8")
    if SCREENSHOTS:
        app.screenshot(path=Path(SCREENSHOTS) / "app.png", full_page=True)


def test_labels_are_pasted(app: Any) -> None:
    app.click("#paste summary")
    app.fill("#gold-text", "\n".join(GOLD.values()))
    app.fill("#pred-text", "\n".join(map(str, PRED.values())))
    app.click("#go")
    assert "17 items in 3 classes and 3 clusters" in report_in(app).locator(".sub").first.inner_text()


def test_what_is_wrong_is_told(app: Any, tmp_path: Path) -> None:
    app.click("#go")
    assert "There are no labels yet" in app.locator("#error").inner_text()
    path = tmp_path / "one.csv"
    path.write_text("only\n1\n2\n")
    app.set_input_files("#files", path)
    app.wait_for_selector("#error:visible")
    assert "has one column only" in app.locator("#error").inner_text()
    app.get_by_role("button", name="leave out one.csv").click()
    assert app.locator("#chosen li").count() == 0
    large = tmp_path / "large.csv"
    large.write_bytes(b"x" * 1_000_001)
    app.set_input_files("#files", large)
    assert "more than 1 MB" in app.locator("#error").inner_text()


def test_the_report_follows_after_a_mistake_too(app: Any, tmp_path: Path) -> None:
    path = tmp_path / "three.csv"
    path.write_text("key,a,b,c\n" + "".join(f"{i},{i % 2},{i % 3},{i % 2}\n" for i in range(12)))
    app.set_input_files("#files", path)
    app.wait_for_selector("#error:visible")
    assert "«gold column», «predicted columns»" in app.locator("#error").inner_text()
    app.fill("[name=gold]", "a")
    app.fill("[name=pred]", "b, c")
    app.press("[name=pred]", "Tab")
    assert report_in(app).locator("h1").inner_text() == "2 systems against gold"
    app.fill("[name=beta]", "none")
    app.press("[name=beta]", "Tab")
    app.wait_for_selector("#error:visible")
    assert app.locator("#report").is_hidden()
    assert app.locator("#save").is_disabled()


def test_gold_is_found_and_can_be_chosen(app: Any, tmp_path: Path) -> None:
    texts = {"agglo.csv": ("cluster", PRED), "dbscan.csv": ("cluster", OTHER), "truth.csv": ("class", GOLD)}
    for name, (column, labels) in texts.items():
        (tmp_path / name).write_text(f"id,{column}\n" + "".join(f"{item},{label}\n" for item, label in labels.items()))
    app.set_input_files("#files", [tmp_path / name for name in texts])
    assert app.locator("#chosen li").first.inner_text().startswith("truth.csv is gold")
    assert "17 items in 3 classes" in report_in(app).locator(".sub").first.inner_text()
    app.get_by_role("button", name="make it gold").first.click()
    assert app.locator("#chosen li").first.inner_text().startswith("agglo.csv is gold")


def test_hostile_files_run_nothing(app: Any, tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    rows = [{"id": f"{label}{i}", "gold": label, "pred": HOSTILE[i % 3]} for i, label in enumerate(HOSTILE * 3)]
    path.write_text("\n".join(map(json.dumps, rows)))
    app.set_input_files("#files", path)
    app.fill("[name=title]", HOSTILE[1])
    report = report_in(app)
    assert HOSTILE[2] in report.locator("body").inner_text()
    frames = app.frames
    assert [frame.evaluate("window.hacked ?? null") for frame in frames] == [None] * len(frames)
    assert frames[-1].evaluate("(() => { try { return parent.document.title } catch { return 'apart' } })()") == "apart"


def test_another_page_cannot_ask(browser: Any, server: Server) -> None:
    page = browser.new_page()
    page.goto("about:blank")
    asked = (
        "fetch(url, {method: 'POST', body: 'x', headers: {'x-karat-token': 'x'}}).then(r => r.status, () => 'refused')"
    )
    assert page.evaluate(f"url => {asked}", f"{server.origin}/report") == "refused"


def test_the_app_fits_a_phone(browser: Any, server: Server) -> None:
    page = browser.new_page(viewport=PHONE, has_touch=True, is_mobile=True)
    page.goto(server.address)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
