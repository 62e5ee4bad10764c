"""Write docs/measures.md from the declarations; a test checks that it is fresh."""

from __future__ import annotations

import math
from itertools import groupby
from pathlib import Path

import karat

PAGE = Path(__file__).parent / "measures.md"

HEAD = """# The measures

This page is made from the declarations in `src/karat/measures/` by `python docs/build.py`.

C are the gold classes, K the predicted clusters, n the number of items. Natural logarithms, unless the unit is bits.
*Exchanged* is what a measure becomes when gold and predicted change places. *Breaks* are the constraints of Amigó et
al. (2009) that it does not meet in every case: a cluster of two classes is better split (homogeneity), two clusters of
one class are better merged (completeness), an odd item does less harm among odd ones (rag bag), one item lost from a
large cluster is better than many small clusters broken (size versus quantity); greedy matching also depends on the
names of the labels (relabelling). Measures marked * are in the default panel of `karat.score()`.
"""


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for family, group in groupby(karat.list_measures(), key=lambda m: m.family):
        parts.append(f"\n## {family.capitalize()}\n")
        parts.append("| measure | meaning | better | range | perfect | exchanged | breaks | paper |")
        parts.append("|---|---|---|---|---|---|---|---|")
        parts.extend(row(m) for m in group)
    return "\n".join(parts) + "\n"


def row(m: karat.Measure) -> str:
    """One measure as a row of the table."""
    low, high = (("-∞" if x < 0 else "∞") if math.isinf(x) else f"{x:g}" for x in m.bounds)
    cells = [
        f"`{m.full_text}`{' *' if m.panel else ''}",
        m.summary.replace("|", "\\|"),
        m.better or "",
        f"{low} to {high}{f' {m.unit}' if m.unit else ''}",
        "" if m.perfect is None else f"{m.perfect:g}",
        f"`{m.swapped}`" if m.swapped else "",
        ", ".join(m.breaks).replace("_", " "),
        ", ".join(part for part in (m.paper, m.equation) if part),
    ]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
