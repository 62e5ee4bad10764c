"""Pictures as SVG for pages, in light and dark variants.

The page's Content-Security-Policy forbids style attributes, so matplotlib's styles are rewritten as the equivalent
SVG presentation attributes.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from functools import partial
from io import StringIO
from typing import Any, NamedTuple

from karat.plot.canvas import need_matplotlib
from karat.plot.registry import Picture

INK = {"light": "#1d2430", "dark": "#e4e8ee"}
FONTS = "'DejaVu Sans', Verdana, sans-serif"  # of similar widths, as the reader may lack some

_STYLE = re.compile(r' style="([^"]*)"')
_FONT = re.compile(r"^(?:(italic|oblique) )?(?:(bold|\d+) )?([\d.]+)px .*$")


class Drawing(NamedTuple):
    """A picture in its light and dark variants, with caption and text alternative."""

    light: str
    dark: str
    caption: str
    alternative: str  # for screen readers


def drawing(picture: Picture, result: object, key: str, **options: Any) -> Drawing:
    """A picture of a result for a page; key makes ids unique among the pictures of the page."""
    chosen = {**picture.page, **options}
    size = picture.size(result, **chosen)
    light, dark = (svg(partial(picture.draw, result, **chosen), size, key, tone) for tone in INK)
    return Drawing(light, dark, picture.caption(result, **chosen), picture.alternative(result, **chosen))


def svg(draw: Callable[..., Any], size: tuple[float, float], key: str, tone: str = "light") -> str:
    """What draw(ax=axes) draws at this width and height in inches; tone: "light" or "dark"."""
    need_matplotlib()
    from matplotlib import rc_context, rcParamsDefault
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    ink = INK[tone]
    colours = dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), ink)
    faces = dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor", "legend.facecolor"), "none")
    salt = {"svg.hashsalt": f"karat-{key}-{tone}", "svg.fonttype": "none", "hatch.color": ink}
    # not the user's matplotlibrc, so that the page looks the same everywhere
    defaults = {key: value for key, value in rcParamsDefault.items() if key != "backend"}
    settings: Any = {**defaults, **colours, **faces, **salt}
    with rc_context(settings), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of missing glyphs, which the browser may have
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasSVG(figure)
        draw(ax=figure.subplots())
        text = StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    return _plain(text.getvalue(), f"{key}-{tone}")


def _plain(svg: str, key: str) -> str:
    """The SVG without prologue, size and styles, its ids prefixed with key."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = re.sub(r'<style type="text/css">.*?</style>', "", svg, flags=re.DOTALL)
    svg = re.sub(r"<\w[^>]*>", lambda tag: _tag(tag[0], key), _head(svg))  # only tags, not the text of the drawing
    return re.sub(r"\n\s*", "\n", svg)


def _tag(tag: str, key: str) -> str:
    """A tag with attributes instead of styles, prefixed ids and rounded paths."""
    tag = _STYLE.sub(lambda match: _attributes(match[1]), tag)
    tag = re.sub(r'\bid="([^"]+)"', rf'id="{key}-\1"', tag)
    tag = re.sub(r"url\(#([^)]+)\)", rf"url(#{key}-\1)", tag)
    tag = re.sub(r'href="#([^"]+)"', rf'href="#{key}-\1"', tag)
    return re.sub(r' d="([^"]*)"', lambda match: f' d="{_short(match[1])}"', tag)


def _short(path: str) -> str:
    """Path data rounded to a tenth of a pixel, on one line."""
    path = re.sub(r"-?\d+\.\d+", lambda number: f"{float(number[0]):.1f}".removesuffix(".0"), path)
    return re.sub(r"\s*([A-Za-z])\s*", r"\1", " ".join(path.split()))


def _head(svg: str) -> str:
    """Reduce the svg tag to its view box, so that the drawing scales to its container."""
    view = re.search(r'viewBox="[^"]*"', svg)
    end = svg.index(">") + 1
    box = view[0] if view else ""
    return f'<svg {box} stroke-linejoin="round" stroke-linecap="butt" aria-hidden="true">{svg[end:]}'


def _attributes(style: str) -> str:
    """Rewrite the declarations of a style as presentation attributes."""
    attributes = []
    for declaration in style.replace("&quot;", "'").split(";"):
        name, _, value = (part.strip() for part in declaration.partition(":"))
        if name == "font":
            kind = _FONT.match(value)
            slant, weight, size = kind.groups() if kind else (None, None, "10")
            attributes += [f'font-size="{size}px"', f'font-family="{FONTS}"']
            attributes += [f'font-style="{slant}"'] if slant else []
            attributes += [f'font-weight="{weight}"'] if weight else []
        elif name == "font-family":
            attributes.append(f'font-family="{FONTS}"')
        elif name and name not in ("mix-blend-mode", "text-rendering", "image-rendering"):
            attributes.append(f'{name}="{value}"')
    return f" {' '.join(attributes)}" if attributes else ""
