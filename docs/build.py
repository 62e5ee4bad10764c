"""Write docs/measures.md, docs/audit.md and the tables of degenerate cases, rooms and file formats."""

from __future__ import annotations

import ast
import tomllib
from itertools import groupby
from pathlib import Path
from typing import Any

import karat
from karat.measures.cards import range_of
from karat.measures.constraints import CONSTRAINTS
from karat.sources.files.registry import Format
from karat.sources.files.registry import formats as declared_formats

PAGE = Path(__file__).parent / "measures.md"
AUDIT = Path(__file__).parent / "audit.md"

HEAD = """# The measures

C are the gold classes, K the predicted clusters, n the number of items, h(c), h(k) and h(c,k) the items in a class, a
cluster and a cell. Natural logarithms, unless the unit is bits. Of all M = n(n-1)/2 pairs, a00 are together in both,
a01 in gold only, a10 in the clustering only, a11 in neither; a0. = a00 + a01, a.0 = a00 + a10. *Swapped* is what a
measure becomes when gold and predicted are swapped. *Breaks* are the constraints of Amigó et al. (2009), and
relabelling, that it does not meet in every case: {constraints}. *Elsewhere* are
the names under which other libraries have a measure, and where they differ, as seen by running scikit-learn 1.9.1,
torchmetrics 1.9.0, NetworKit 11.2.2, igraph 1.0, graph-tool 2.45, genieclust 1.3, clusim 0.4, CDlib 0.4.1, permetrics
2.1, river 0.26, aricode 1.1, clue 0.3-64, mclustcomp 0.3.5, ClusterR 1.3.6, and by reading ELKI and Clustering.jl.
`karat measures NAME` prints the same on a terminal. Measures marked * are in the
default panel of `karat.score()`. The page is made from the declarations in `src/karat/measures/` by
`python docs/build.py`.
"""


def page() -> str:
    """The whole page."""
    constraints = "; ".join(f"{text} ({name.replace('_', ' ')})" for name, text in CONSTRAINTS.items())
    parts = [HEAD.format(constraints=constraints)]
    for family, group in groupby(karat.list_measures(), key=lambda m: m.family):
        parts.append(f"\n## {title_of(family)}\n")
        measures = list(group)
        parts.append("| measure | meaning | definition | better | range | perfect | swapped | breaks | paper |")
        parts.append("|---|---|---|---|---|---|---|---|---|")
        parts.extend(row(m) for m in measures)
        parts.append("")
        parts.extend(f"- `{m}` elsewhere: {'; '.join(m.elsewhere)}." for m in measures if m.elsewhere)
    return "\n".join(parts) + "\n"


def title_of(family: str) -> str:
    """The heading of a family."""
    return family[0].upper() + family[1:]


def row(m: karat.Measure) -> str:
    """One measure as a row of the table."""
    cells = [
        f"`{m.full_text}`{' *' if m.panel else ''}",
        m.summary.replace("|", "\\|"),
        m.definition.replace("|", "\\|").replace("*", "\\*"),
        m.better or "",
        range_of(m),
        "" if m.perfect is None else f"{m.perfect:g}",
        f"`{m.swapped}`" if m.swapped else "",
        ", ".join(m.breaks).replace("_", " "),
        ", ".join(part for part in (m.paper, m.equation) if part),
    ]
    return f"| {' | '.join(cells)} |"


AUDIT_HEAD = """# The measures on trial

This page is made by `python docs/build.py`; `karat audit NAME ... --examples` tries measures of your choice, your own
or another library's function (`karat audit sklearn.metrics:rand_score`), and shows the smallest table on which each
property fails. ✓: kept in everything tried; a number: the share of cases, in per cent, in which it was broken; –: does
not apply. What is kept here is kept on these cases: that is evidence, not proof.
"""


def audit_page(measures: list[karat.Measure] | None = None) -> str:
    """Every measure that has a better end, or those that are named, against every property."""
    audit = karat.audit(measures or [m for m in karat.list_measures() if m.better is not None])
    parts = [AUDIT_HEAD, "| property | what a good measure does | cases |", "|---|---|---|"]
    cases = {item.name: max(verdicts[item.name].tried for verdicts in audit.values()) for item in audit.properties}
    parts.extend(f"| `{item.name}` | {item.says} | {cases[item.name]:,} |" for item in audit.properties)
    names = [item.name for item in audit.properties]
    parts.extend(
        ["", f"| measure | {' | '.join(name.replace('_', ' ') for name in names)} |", "|---" * (len(names) + 1) + "|"]
    )
    for measure, verdicts in audit.items():
        parts.append(f"| `{measure}` | {' | '.join(verdict_cell(verdicts[name]) for name in names)} |")
    return "\n".join(parts) + "\n"


def verdict_cell(verdict: Any) -> str:
    """A verdict in few letters."""
    if verdict.holds is None:
        return "–"
    return "✓" if verdict.holds else f"{max(1, round(100 * (1 - verdict.kept / verdict.tried)))}"


DEGENERATE = Path(__file__).parent / "degenerate.md"
SITUATIONS = {  # labels of six items: gold, predicted
    "one class, one cluster": ([0] * 6, [0] * 6),
    "one class, three clusters": ([0] * 6, [0, 0, 1, 1, 2, 2]),
    "three classes, one cluster": ([0, 0, 1, 1, 2, 2], [0] * 6),
    "three classes, singletons": ([0, 0, 1, 1, 2, 2], list(range(6))),
    "singletons in both": (list(range(6)), list(range(6))),
}


def degenerate() -> str:
    """docs/degenerate.md with its table made anew: every measure that has a better end, in each situation."""
    rows: dict[tuple[str, ...], list[str]] = {}  # measures with the same values share a row
    for m in karat.list_measures():
        if m.better is not None:
            values = tuple(f"{m(*labels):.4f}".rstrip("0").rstrip(".") for labels in SITUATIONS.values())
            rows.setdefault(values, []).append(f"`{m}`")
    lines = [f"| measure | {' | '.join(SITUATIONS)} |", "|---" * (len(SITUATIONS) + 1) + "|"]
    lines += [f"| {', '.join(names)} | {' | '.join(values)} |" for values, names in rows.items()]
    return between(DEGENERATE, "cases", "\n".join(lines))


def between(path: Path, name: str, content: str) -> str:
    """The text of a file with other content between the comments that mark where it goes."""
    start, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    before, _, rest = path.read_text(encoding="utf-8").partition(start)
    return f"{before}{start}{content}\n{end}{rest.partition(end)[2]}"


CONTRIBUTING = Path(__file__).parents[1] / "CONTRIBUTING.md"


def rooms() -> str:
    """CONTRIBUTING.md with its table of rooms made anew: each room, and the first sentence of its docstring."""
    project = tomllib.loads((CONTRIBUTING.parent / "pyproject.toml").read_text(encoding="utf-8"))
    source = CONTRIBUTING.parent / "src" / "karat"
    rows = []
    for name in project["tool"]["karat"]["rooms"]:
        folder = (source / name).is_dir()
        path = source / name / "__init__.py" if folder else source / f"{name}.py"
        docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        summary = " ".join(docstring.split("\n\n")[0].split())
        rows.append(f"| `{name}{'/' if folder else '.py'}` | {summary} |")
    return between(CONTRIBUTING, "rooms", "\n".join(["| room | what is in it |", "|---|---|", *rows]))


FILES = Path(__file__).parent / "files.md"
FORMATS, END_OF_FORMATS = "<!-- formats -->\n", "<!-- end of formats -->"


def formats() -> str:
    """docs/files.md with its table of file formats made anew from their declarations."""
    rows = ["| format | how it is recognised | what it holds | labels |", "|---|---|---|---|"]
    rows += [f"| {' | '.join(format_cells(form))} |" for form in declared_formats().values()]
    before, _, rest = FILES.read_text(encoding="utf-8").partition(FORMATS)
    return "\n".join([f"{before}{FORMATS}{rows[0]}", *rows[1:], f"{END_OF_FORMATS}{rest.partition(END_OF_FORMATS)[2]}"])


def format_cells(form: Format) -> list[str]:
    """One file format as the cells of its row."""
    signs = [*(f"`{ending}`" for ending in form.endings), *(["first bytes"] if form.magic else [])]
    signs += [f"`--input {form.name}`"] if form.text else []
    needs = f"; needs {form.needs}" if form.needs else ""
    return [form.title, ", ".join(signs), (form.about + needs).replace("|", "\\|"), form.labels.replace("|", "\\|")]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    AUDIT.write_text(audit_page(), encoding="utf-8")
    DEGENERATE.write_text(degenerate(), encoding="utf-8")
    CONTRIBUTING.write_text(rooms(), encoding="utf-8")
    FILES.write_text(formats(), encoding="utf-8")
