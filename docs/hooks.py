"""What mkdocs adds to the pages in this folder: pages and pictures that are made when the site is built.

A page for each measure, the papers' claims beside what karat computes, README as the front page, CONTRIBUTING, and the
pictures of plots.md, drawn by the code that the page shows. The lists of pictures in plots.md and of papers in
papers.md are made from what pictures and papers declare.
"""

from __future__ import annotations

import doctest
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import chdir
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from build import title_of
from measure_pages import measure_page

import karat
from karat.papers.registry import Declared, described
from karat.uncertainty.registry import list_methods

ROOT = Path(__file__).resolve().parent.parent
STUDIES = [study for study in described() if not study.experiment]
PAPERS = [study.paper for study in STUDIES if not study.is_simulation]  # simulations take minutes
LARGEST_SVG = 100_000  # bytes; a scatter of more is shown as PNG
MEASURES = {m.name: m for m in karat.list_measures()}
WIDE = ("measures.md", "audit.md")  # tables of all measures, which need the room
LINK = re.compile(r"\[([^]]+)\]\((?!https?:)([^)]+)\)")
EXAMPLES = re.compile(r"```python\n(>>>.*?)```(?:\n+!\[[^]]*\]\((pictures/[^)]+)\))?", flags=re.DOTALL)


def on_config(config: Any) -> Any:
    """Put the pages that are made into the navigation."""
    sections = {name: pages for entry in config.nav for name, pages in entry.items() if isinstance(pages, list)}
    for family, group in groupby(MEASURES.values(), key=lambda m: m.family):
        sections["Measures"].append({title_of(family): [{m.name: f"measures/{m.name}.md"} for m in group]})
    sections["Papers"].extend({reproduced(paper).title.split(":")[0]: f"papers/{paper}.md"} for paper in PAPERS)
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add what is made."""
    from mkdocs.structure.files import File

    for path, content in made():
        files.append(File.generated(config, path, content=content))
    return files


def made() -> Iterator[tuple[str, str | bytes]]:
    """Every page and picture that is made, by its path in the site's sources."""
    yield "index.md", from_the_root("README.md")
    yield "contributing.md", from_the_root("CONTRIBUTING.md")
    for m in MEASURES.values():
        yield f"measures/{m.name}.md", measure_page(m)
    for paper in PAPERS:
        yield from paper_files(paper)
    yield "example-report.html", example_report()
    page = (ROOT / "docs" / "plots.md").read_text(encoding="utf-8")
    yield from pictures(page)
    yield from other_pictures(page)


@cache
def reproduced(paper: str) -> Any:
    """A paper's claims, computed again."""
    return karat.reproduce(paper)


def from_the_root(name: str) -> str:
    """A page from above this folder, with links that lead where they should; what is not in the site is named only."""

    def moved(link: re.Match[str]) -> str:
        text, target = link[1], link[2]
        if target.startswith("docs/") and target.endswith(".png"):
            return f"[{text}]({target.removeprefix('docs/')})"
        if target.startswith("docs/") and target.split("#")[0].endswith(".md"):
            return f"[{text.removeprefix('docs/')}]({target.removeprefix('docs/')})"
        if target.startswith("CONTRIBUTING.md"):
            return f"[{text}]({target.lower()})"
        return f"`{text}`"

    return LINK.sub(moved, (ROOT / name).read_text(encoding="utf-8"))


def paper_files(paper: str) -> Iterator[tuple[str, str | bytes]]:
    """A paper's claims, printed beside computed, and its figures."""
    figures = []
    with tempfile.TemporaryDirectory() as folder:
        reproduced(paper).write(folder)
        for figure in sorted(Path(folder).glob("*.svg")):
            shown = figure if figure.stat().st_size < LARGEST_SVG else figure.with_suffix(".png")
            figures.append(shown.name)
            yield f"papers/{shown.name}", shown.read_bytes()
    yield f"papers/{paper}.md", paper_page(paper, figures)


def paper_page(paper: str, figures: list[str]) -> str:
    """Figures, claims, and each note once."""
    found = reproduced(paper)
    notes = list(dict.fromkeys(claim.note for claim in found if claim.note))
    counted = Counter(claim.verdict for claim in found)
    rows = [
        [c.place, c.claim, c.printed, c.shown, c.verdict, f"{notes.index(c.note) + 1}" if c.note else ""] for c in found
    ]
    parts = [
        f"# {found.title}",
        f"{len(found)} claims: {', '.join(f'{number} {verdict}' for verdict, number in counted.items())}. "
        f"`karat reproduce {paper}` computes them again; [Papers reproduced](../papers.md) tells how they are read.",
        *(f"![{Path(name).stem}]({name})" for name in figures),
        markdown_table(["place", "claim", "printed", "computed", "verdict", "note"], rows),
        "\n".join(f"{number}. {note[:1].upper()}{note[1:]}." for number, note in enumerate(notes, 1)),
    ]
    return "\n\n".join(parts) + "\n"


def markdown_table(headings: list[str], rows: list[list[str]]) -> str:
    """A table in which a bar is not the end of a cell."""
    cells = [[text.replace("|", "\\|") for text in row] for row in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in [headings, ["---"] * len(headings), *cells])


def example_report() -> str:
    """The report on the files that the tour scores."""
    files = [f"{name}.csv" for name in ("gold", "kmeans", "hdbscan")]
    with chdir(ROOT / "docs" / "examples"):
        return karat.report(karat.read(*files, items=True), command=f"karat report {' '.join(files)}").html()


def pictures(page: str) -> Iterator[tuple[str, bytes]]:
    """Run the examples of a page, and save `ax` wherever a picture is shown below one."""
    import matplotlib

    matplotlib.use("Agg")
    names: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, chdir(ROOT):
        for found in EXAMPLES.finditer(page):
            for example in doctest.DocTestParser().get_examples(found[1]):
                if example.exc_msg is None:
                    exec(compile(example.source, "plots.md", "single"), names)
            if found[2]:
                path = Path(folder) / Path(found[2]).name
                karat.plot.save(names["ax"], path)
                yield found[2], path.read_bytes()


def method_list() -> str:
    """The table of the methods of intervals."""
    rows = [[f"`{method.name}`", method.summary] for method in list_methods()]
    return markdown_table(["method", "interval"], rows)


def not_shown(page: str) -> list[karat.plot.Picture]:
    """The pictures of karat.plot that a page does not show."""
    return [picture for picture in karat.plot.list_pictures() if f"(pictures/{picture.name}.svg)" not in page]


def other_pictures(page: str) -> Iterator[tuple[str, bytes]]:
    """The pictures that a page does not show by an example, drawn of the files that the tour scores."""
    others = not_shown(page)
    if not others:
        return
    files = [str(ROOT / "docs" / "examples" / f"{name}.csv") for name in ("gold", "kmeans", "hdbscan")]
    read = karat.read(*files, items=True)
    table = read.tables["kmeans"]
    results = [karat.compare(read), karat.score(read), karat.score(table), karat.explain(table), table]
    results.append(karat.relate(table, resamples=50))
    with tempfile.TemporaryDirectory() as folder:
        for picture in others:
            path = Path(folder) / f"{picture.name}.svg"
            karat.plot.save(picture.draw(next(filter(picture.is_of, results))), path)
            yield f"pictures/{path.name}", path.read_bytes()


def picture_list(page: str) -> str:
    """The table of all pictures, and those that the page does not show by an example."""
    rows = [
        [f"`{picture.name}`", ", ".join(f"`{kind.__name__}`" for kind in picture.of), picture.summary]
        for picture in karat.plot.list_pictures()
    ]
    others = [
        f"### {picture.name}\n\n{picture.summary}\n\n![{picture.summary}](pictures/{picture.name}.svg)"
        for picture in not_shown(page)
    ]
    return "\n\n".join([markdown_table(["picture", "of", "what it shows"], rows), *others])


def paper_list() -> str:
    """The table of all papers: what is computed again, how many claims, and which are not reached."""
    rows = [paper_row(study) for study in STUDIES]
    return markdown_table(["paper", "what is computed again", "claims", "not reached"], rows)


def paper_row(study: Declared) -> list[str]:
    """A paper in the table of papers; a simulation is not run for it."""
    if study.paper not in PAPERS:
        return [f"`{study.paper}`", study.summary, "", f"`karat reproduce {study.paper}` tells"]
    missed = [claim for claim in reproduced(study.paper) if claim.verdict == "not reached"]
    reasons = "; ".join(dict.fromkeys(claim.note for claim in missed))
    name = f"[`{study.paper}`](papers/{study.paper}.md)"
    return [name, study.summary, str(len(reproduced(study.paper))), f"{len(missed)}: {reasons}" if missed else "0"]


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Show examples as such, and link measures to their pages."""
    markdown = re.sub(r"```python\n(?=>>>)", "```pycon\n", markdown)
    if page.file.src_uri in WIDE:
        page.meta["hide"] = ["toc"]
        rows = rf"^\| `({'|'.join(MEASURES)})(\([^`]*\))?`( \*)? \| (?=[✓–\d]|{'|'.join(map(re.escape, _meanings()))})"
        return re.sub(rows, r"| [`\1\2`](measures/\1.md)\3 | ", markdown, flags=re.MULTILINE)
    if page.file.src_uri == "comparing.md":
        markdown = markdown.replace("<!-- methods -->", method_list())
    if page.file.src_uri == "papers.md":
        markdown = markdown.replace("<!-- papers -->", paper_list())
    if page.file.src_uri == "plots.md":
        markdown = markdown.replace("<!-- pictures -->", picture_list(markdown))
    return _linked(markdown, page.file.src_uri)


def _meanings() -> list[str]:
    """How the second column of the table of measures begins, unlike other tables."""
    return [m.summary.replace("|", "\\|") for m in MEASURES.values()]


def _linked(markdown: str, place: str) -> str:
    """The first mention of each other measure on a page, outside code and headings, as a link."""
    seen, up = {Path(place).stem}, "../" * place.count("/")

    def link(mention: re.Match[str]) -> str:
        name = mention[2]
        if name is None or name in seen or f"measures/{name}.md" in markdown:
            return mention[0]
        seen.add(name)
        return f"{mention[1]}[`{name}`]({up}measures/{name}.md)"

    skipped = r"```.*?^```|^#.*?$|\[[^]]*\]\([^)]*\)|<div.*?</div>"
    return re.sub(
        rf"(?:{skipped})|(^|[^`\[])`({'|'.join(MEASURES)})`(?!`)", link, markdown, flags=re.DOTALL | re.MULTILINE
    )
