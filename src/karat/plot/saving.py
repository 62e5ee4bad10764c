"""save(): write a figure to a file atomically."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from karat.errors import KaratError
from karat.output.files import atomic_file
from karat.plot.canvas import need_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DATES: dict[str, dict[str, Any]] = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
FINE = 150  # least resolution of PNG, in dots per inch


def save(drawn: Axes | Figure, path: str | PathLike[str]) -> None:
    """Write a figure, or that of some axes, as PNG, SVG or PDF by suffix; output is reproducible."""
    need_matplotlib()
    from matplotlib import rc_context

    figure: Any = getattr(getattr(drawn, "figure", None), "figure", None)  # the top-level figure, also for a subfigure
    if not hasattr(figure, "savefig"):
        raise KaratError(f"{type(drawn).__name__} is not a plot; give the axes that one returned, or a figure.")
    kind = Path(path).suffix.lower().removeprefix(".")
    if kind not in DATES:
        raise KaratError(f"{str(path)!r} does not say its format; name it .png, .svg or .pdf.")
    # without a layout engine, labels may extend beyond the figure
    edge = None if figure.get_layout_engine() else "tight"
    with atomic_file(path) as temporary, rc_context({"svg.hashsalt": "karat"}):
        figure.savefig(
            temporary, format=kind, dpi=max(figure.dpi, FINE), metadata=DATES[kind], bbox_inches=edge
        )  # fmt: skip
