"""Axes and colours of plots, distinct also for colour-blind readers, in greyscale and on black."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karat.errors import KaratError, brief
from karat.foreign import first_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's palette; colours that look alike in greyscale have different hatches or markers
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#f0e442", "#56b4e9", "#d55e00", "#cc79a7")
HATCHES = (
    "",
    "",
    "//",
    "",
    "////",
    "||||",
    "xxxx",
    "\\\\\\\\",
    "++++",
    "----",
    "xx",
    "\\\\",
    "||",
    "++",
)  # no circles: each such area takes 100 kB of SVG
LINES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")  # without yellow, faint on white
MARKERS = ("o", "s", "^", "D", "v", "P")
STYLES: tuple[Any, ...] = ("-", "--", "-.", (0, (5, 1)), (0, (3, 1, 1, 1, 1, 1)), ":")
GREY = "#888888"  # for the remaining classes and clusters; contrasts equally with white and black


def need_matplotlib() -> None:
    """Raise KaratError if matplotlib is not installed or cannot be loaded."""
    try:
        _load()
    except ImportError:
        raise KaratError("plots need matplotlib, which is not installed; pip install 'karat[plot]'.") from None
    except Exception as problem:
        reason = first_line(problem, 100)
        raise KaratError(
            f"matplotlib cannot be loaded ({reason}); check its settings in matplotlibrc and MPLBACKEND."
        ) from problem


def _load() -> None:
    """Import matplotlib without its log of a cache that cannot be written: a temporary one does as well."""
    import logging

    logger = logging.getLogger("matplotlib")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        import matplotlib.font_manager  # noqa: F401
    finally:
        logger.setLevel(before)


def axes(ax: Axes | None, width: float, height: float) -> Axes:
    """Return ax, or the axes of a new figure of this width and height in inches."""
    need_matplotlib()
    if ax is None:
        from matplotlib import pyplot

        return pyplot.subplots(figsize=(width, height), layout="constrained")[1]
    if not hasattr(ax, "get_window_extent") or not hasattr(ax, "plot"):
        raise KaratError(
            f"ax={brief(ax)} is not a matplotlib Axes; leave it out, or give one such as plt.subplots()[1]."
        )
    return ax


def size_after_layout(ax: Axes) -> tuple[float, float]:
    """Run the figure's layout engine, then return the width and height of the axes in pixels."""
    figure: Any = ax.figure.figure  # the top-level figure, also for axes in a subfigure
    layout = figure.get_layout_engine()
    if layout is not None:
        layout.execute(figure)
    return extent(ax)


def extent(ax: Axes) -> tuple[float, float]:
    """The current width and height of the axes in pixels."""
    box = ax.get_window_extent()
    return max(float(box.width), 1.0), max(float(box.height), 1.0)


def allotted(ax: Axes) -> tuple[float, float]:
    """The approximate width and height in pixels of the axes with their labels."""
    spec = ax.get_subplotspec()
    if spec is None:
        return extent(ax)
    share, figure = spec.get_position(ax.figure), ax.figure.bbox  # type: ignore[arg-type]
    return float(share.width * figure.width), float(share.height * figure.height)


def ink(ax: Axes) -> Any:
    """The colour of the axis labels."""
    return ax.xaxis.label.get_color()


def paper(ax: Axes) -> Any:
    """The background colour; if transparent, black or white, whichever contrasts with the axis labels."""
    from matplotlib.colors import to_rgba

    for face in (ax.get_facecolor(), ax.figure.figure.get_facecolor()):
        if to_rgba(face)[3] > 0:
            return to_rgba(face)
    return "black" if luminance(ink(ax)) > 0.5 else "white"


def luminance(colour: Any) -> float:
    """The relative luminance of a colour, from 0 to 1 (WCAG 2)."""
    from matplotlib.colors import to_rgb

    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def readable_on(colour: Any) -> str:
    """Black or white, whichever contrasts more with a background colour."""
    return "black" if luminance(colour) > 0.18 else "white"


def shades(ax: Axes) -> Any:
    """A colour map from near the background colour to high contrast, monotone in luminance."""
    from matplotlib.colors import LinearSegmentedColormap, to_rgb

    behind = to_rgb(paper(ax))
    steps = ["#0072b2", "#8fd0ff", "#f4fbff"] if dark(ax) else ["#7fb8dc", "#0072b2", "#00263f"]
    first: Any = [0.85 * b + 0.15 * s for b, s in zip(behind, to_rgb(steps[0]), strict=True)]
    return LinearSegmentedColormap.from_list("karat", [first, *steps])


def fill(index: int) -> dict[str, Any]:
    """The colour and hatch of the area with this index; grey if the index is negative."""
    if index < 0:
        return {"facecolor": GREY, "hatch": ""}
    return {"facecolor": COLOURS[index % len(COLOURS)], "hatch": HATCHES[index % len(HATCHES)]}


def stroke(index: int) -> dict[str, Any]:
    """The colour, line style and marker of the curve with this index."""
    turn = index // len(LINES)
    return {
        "color": LINES[index % len(LINES)],
        "linestyle": STYLES[(index + turn) % len(STYLES)],
        "marker": MARKERS[(index + 2 * turn) % len(MARKERS)],
    }


def dark(ax: Axes) -> bool:
    """Whether the background is dark."""
    return luminance(paper(ax)) < 0.18


def bare(ax: Axes, *sides: str) -> None:
    """Hide the spines of the axes except on these sides."""
    for side, spine in ax.spines.items():
        spine.set_visible(side in sides)
