"""Plots as SVG: one for light pages and one for dark ones, with attributes instead of styles.

A strict policy for the page's content lets no style attribute pass, so what matplotlib writes as styles becomes
attributes, which mean the same in SVG.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from io import StringIO
from typing import TYPE_CHECKING, Any, NamedTuple

from karat.plot.canvas import need_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK = {"light": "#1d2430", "dark": "#e4e8ee"}
FONTS = "'DejaVu Sans', Verdana, sans-serif"  # of about the same width, whichever the reader has

_STYLE = re.compile(r' style="([^"]*)"')
_FONT = re.compile(r"^(?:(italic|oblique) )?(?:(bold|\d+) )?([\d.]+)px .*$")


class Figure(NamedTuple):
    """A plot for both kinds of pages, and what it shows, in words."""

    light: str
    dark: str
    caption: str
    label: str  # for those who cannot see it


def figure(draw: Callable[[Axes], Any], width: float, height: float, caption: str, label: str, key: str) -> Figure:
    """What draw draws on axes of so many inches; key keeps the ids of a page's figures apart."""
    need_matplotlib()
    light, dark = (_svg(draw, width, height, tone, key) for tone in ("light", "dark"))
    return Figure(light, dark, caption, label)


def _svg(draw: Callable[[Axes], Any], width: float, height: float, tone: str, key: str) -> str:
    from matplotlib import rc_context, rcParamsDefault
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure as Drawing

    ink = INK[tone]
    colours = dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), ink)
    faces = dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor", "legend.facecolor"), "none")
    salt = {"svg.hashsalt": f"karat-{key}-{tone}", "svg.fonttype": "none", "hatch.color": ink}
    usual = {key: value for key, value in rcParamsDefault.items() if key != "backend"}  # whatever lies beside the data
    settings: Any = {**usual, **colours, **faces, **salt}
    with rc_context(settings), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # letters that its fonts lack, the browser's may have
        drawing = Drawing(figsize=(width, height), layout="constrained")
        FigureCanvasSVG(drawing)
        draw(drawing.subplots())
        text = StringIO()
        drawing.savefig(text, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    return _plain(text.getvalue(), f"{key}-{tone}")


def _plain(svg: str, key: str) -> str:
    """The drawing without prologue and styles; it fills the room it is given, and its ids are its own."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = re.sub(r'<style type="text/css">.*?</style>', "", svg, flags=re.DOTALL)
    svg = re.sub(r"<\w[^>]*>", lambda tag: _tag(tag[0], key), _head(svg))  # not what is written in the drawing
    return re.sub(r"\n\s*", "\n", svg)


def _tag(tag: str, key: str) -> str:
    """A tag with attributes for styles, ids of its own, and short paths."""
    tag = _STYLE.sub(lambda found: _attributes(found[1]), tag)
    tag = re.sub(r'\bid="([^"]+)"', rf'id="{key}-\1"', tag)
    tag = re.sub(r"url\(#([^)]+)\)", rf"url(#{key}-\1)", tag)
    tag = re.sub(r'href="#([^"]+)"', rf'href="#{key}-\1"', tag)
    return re.sub(r' d="([^"]*)"', lambda found: f' d="{_short(found[1])}"', tag)


def _short(path: str) -> str:
    """A path to a tenth of a pixel, on one line."""
    path = re.sub(r"-?\d+\.\d+", lambda number: f"{float(number[0]):.1f}".removesuffix(".0"), path)
    return re.sub(r"\s*([A-Za-z])\s*", r"\1", " ".join(path.split()))


def _head(svg: str) -> str:
    """The first tag with its view box only."""
    view = re.search(r'viewBox="[^"]*"', svg)
    end = svg.index(">") + 1
    box = view[0] if view else ""
    return f'<svg {box} stroke-linejoin="round" stroke-linecap="butt" aria-hidden="true">{svg[end:]}'


def _attributes(style: str) -> str:
    """Declarations of a style as attributes."""
    found = []
    for declaration in style.replace("&quot;", "'").split(";"):
        name, _, value = (part.strip() for part in declaration.partition(":"))
        if name == "font":
            kind = _FONT.match(value)
            slant, weight, size = kind.groups() if kind else (None, None, "10")
            found += [f'font-size="{size}px"', f'font-family="{FONTS}"']
            found += [f'font-style="{slant}"'] if slant else []
            found += [f'font-weight="{weight}"'] if weight else []
        elif name == "font-family":
            found.append(f'font-family="{FONTS}"')
        elif name and name not in ("mix-blend-mode", "text-rendering", "image-rendering"):
            found.append(f'{name}="{value}"')
    return f" {' '.join(found)}" if found else ""
