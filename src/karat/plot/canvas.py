"""The axes that plots are drawn on, and their colours: told apart by the colour-blind, in grey, and on black."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karat.errors import KaratError
from karat.foreign import first_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's; those that are alike in grey print differ in their patterns or markers
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
)  # circles take 100 kB of SVG each
LINES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")  # without yellow, faint on white
MARKERS = ("o", "s", "^", "D", "v", "P")
STYLES: tuple[Any, ...] = ("-", "--", "-.", (0, (5, 1)), (0, (3, 1, 1, 1, 1, 1)), ":")
GREY = "#888888"  # of what is left over; as far from white as from black


def need_matplotlib() -> None:
    """Refuse to go on without matplotlib, or with settings of which it cannot be loaded."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise KaratError("plots need matplotlib, which is not installed; pip install 'karat[plot]'.") from None
    except Exception as problem:
        reason = first_line(problem, 100)
        raise KaratError(
            f"matplotlib cannot be loaded ({reason}); mend its settings: matplotlibrc or MPLBACKEND."
        ) from problem


def axes(ax: Axes | None, width: float, height: float) -> Axes:
    """The axes that were passed in, or those of a new figure of so many inches."""
    need_matplotlib()
    if ax is None:
        from matplotlib import pyplot

        return pyplot.subplots(figsize=(width, height), layout="constrained")[1]
    if not hasattr(ax, "get_window_extent") or not hasattr(ax, "plot"):
        raise KaratError(f"ax={ax!r} is not a matplotlib Axes; leave it out, or give one such as plt.subplots()[1].")
    return ax


def settled(ax: Axes) -> tuple[float, float]:
    """The width and height of the axes in pixels, once there is room for all that has been drawn so far."""
    whole: Any = ax.figure.figure  # of axes in a part of a figure, the whole
    layout = whole.get_layout_engine()
    if layout is not None:
        layout.execute(whole)
    return extent(ax)


def extent(ax: Axes) -> tuple[float, float]:
    """The width and height of the axes in pixels, as they are."""
    box = ax.get_window_extent()
    return max(float(box.width), 1.0), max(float(box.height), 1.0)


def allotted(ax: Axes) -> tuple[float, float]:
    """The width and height in pixels that the axes have together with their labels, or nearly so."""
    spec = ax.get_subplotspec()
    if spec is None:
        return extent(ax)
    share, whole = spec.get_position(ax.figure), ax.figure.bbox  # type: ignore[arg-type]
    return float(share.width * whole.width), float(share.height * whole.height)


def ink(ax: Axes) -> Any:
    """The colour that the axes are labelled in."""
    return ax.xaxis.label.get_color()


def paper(ax: Axes) -> Any:
    """The colour behind the axes; where that is transparent, the one that their ink is made for."""
    from matplotlib.colors import to_rgba

    for face in (ax.get_facecolor(), ax.figure.figure.get_facecolor()):
        if to_rgba(face)[3] > 0:
            return to_rgba(face)
    return "black" if luminance(ink(ax)) > 0.5 else "white"


def luminance(colour: Any) -> float:
    """How light a colour is, from 0 to 1, as WCAG 2 defines it."""
    from matplotlib.colors import to_rgb

    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def readable_on(colour: Any) -> str:
    """Black or white, whichever can be read better on a colour."""
    return "black" if luminance(colour) > 0.18 else "white"


def shades(ax: Axes) -> Any:
    """A colour map from nearly the paper's colour to what stands out most against it, monotone in grey print."""
    from matplotlib.colors import LinearSegmentedColormap, to_rgb

    behind = to_rgb(paper(ax))
    steps = ["#0072b2", "#8fd0ff", "#f4fbff"] if dark(ax) else ["#7fb8dc", "#0072b2", "#00263f"]
    first: Any = [0.85 * b + 0.15 * s for b, s in zip(behind, to_rgb(steps[0]), strict=True)]
    return LinearSegmentedColormap.from_list("karat", [first, *steps])


def fill(place: int) -> dict[str, Any]:
    """The colour and the pattern of one of several areas; grey from -1 down, for what is left over."""
    if place < 0:
        return {"facecolor": GREY, "hatch": ""}
    return {"facecolor": COLOURS[place % len(COLOURS)], "hatch": HATCHES[place % len(HATCHES)]}


def stroke(place: int) -> dict[str, Any]:
    """The colour, the style and the marker of one of several lines."""
    turn = place // len(LINES)
    return {
        "color": LINES[place % len(LINES)],
        "linestyle": STYLES[(place + turn) % len(STYLES)],
        "marker": MARKERS[(place + 2 * turn) % len(MARKERS)],
    }


def dark(ax: Axes) -> bool:
    """Whether the axes are drawn on something dark."""
    return luminance(paper(ax)) < 0.18


def bare(ax: Axes, *sides: str) -> None:
    """Take the frame away, but for some sides."""
    for side, spine in ax.spines.items():
        spine.set_visible(side in sides)
