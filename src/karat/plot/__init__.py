"""Plots of karat's results, drawn with matplotlib on the axes given, or on a new figure.

pictures/        the pictures, a module for each
registry.py      what a picture declares; the list of pictures
lines.py         curves(): values of one's own, with bands, and names at the ends
saving.py        save(): PNG, SVG or PDF
svg.py           pictures as SVG for pages, in light and dark variants
notebooks.py     the pictures below a result in a notebook
overviews.py     a table reduced to its largest rows and columns, and their order
canvas.py        axes and colours; lettering.py: text and its size; placing.py: labels that do not overlap
"""

from typing import TYPE_CHECKING, Any

from karat.plot.lines import curves as curves
from karat.plot.registry import Picture as Picture
from karat.plot.registry import find_picture as find_picture
from karat.plot.registry import list_pictures as list_pictures
from karat.plot.registry import picture as picture
from karat.plot.saving import save as save

if TYPE_CHECKING:  # so that type checkers see the parameters; other pictures are found by __getattr__
    from karat.plot.pictures.comparison import comparison as comparison
    from karat.plot.pictures.composition import composition as composition
    from karat.plot.pictures.dendrogram import dendrogram as dendrogram
    from karat.plot.pictures.flow import flow as flow
    from karat.plot.pictures.heatmap import heatmap as heatmap
    from karat.plot.pictures.plane import plane as plane
    from karat.plot.pictures.sweep import sweep as sweep


def __getattr__(name: str) -> Any:
    """The function that draws the picture of this name."""
    if name.startswith("_") or name not in {picture.name for picture in list_pictures()}:
        raise AttributeError(f"module 'karat.plot' has no attribute {name!r}")
    return find_picture(name).draw


def __dir__() -> list[str]:
    return sorted([*globals(), *(picture.name for picture in list_pictures())])
