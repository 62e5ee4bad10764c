"""Pictures declare themselves: name, results they are of, size, caption; everything else is derived from that.

karat.plot.NAME, Result.plot("NAME"), notebooks, the report's pages and the list in the documentation all read the
pictures declared here by @picture.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from karat.errors import KaratError, brief, contains, either
from karat.machine.modules import module_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Draw = TypeVar("Draw", bound=Callable[..., Any])
Section: TypeAlias = Literal["comparison", "system"]  # of the report: all systems together, or one of them


@dataclass(frozen=True)
class Picture:
    """A kind of picture. Functions take the result and the options of draw(), but for applies()."""

    name: str
    draw: Callable[..., Axes]
    of: tuple[type, ...]  # the results that it can be drawn of
    size: Callable[..., tuple[float, float]]  # width and height in inches
    caption: Callable[..., str]
    alternative: Callable[..., str]  # text for those who cannot see the picture
    applies: Callable[[Any], bool]  # whether a result of these types has what is drawn
    section: Section | None = None  # of the report, if the picture is in it
    first: tuple[type, ...] = ()  # the results whose plot() draws it by default
    notebook: tuple[type, ...] = ()  # the results below which a notebook shows the picture
    page: Mapping[str, Any] = field(default_factory=dict)  # options in reports and notebooks

    @property
    def module(self) -> str:
        """The module that declares the picture."""
        return self.draw.__module__

    @property
    def summary(self) -> str:
        """What the picture shows: the first line of the docstring."""
        return (self.draw.__doc__ or "").partition("\n")[0]

    def is_of(self, result: object) -> bool:
        """Whether the picture can be drawn of a result."""
        return isinstance(result, self.of) and self.applies(result)


_pictures: dict[str, Picture] = {}


def picture(
    *,
    of: type | tuple[type, ...],
    size: Callable[..., tuple[float, float]],
    caption: str | Callable[..., str],
    alternative: str | Callable[..., str] | None = None,
    applies: Callable[[Any], bool] | None = None,
    section: Section | None = None,
    first: type | tuple[type, ...] = (),
    notebook: type | tuple[type, ...] = (),
    page: Mapping[str, Any] | None = None,
) -> Callable[[Draw], Draw]:
    """Declare a picture; the name of the function is that of the picture, the first line of its docstring explains it.

    The function takes a result, then ax=, then options; size, caption and alternative, if they are functions, take the
    result and the options.

    of: the results that it can be drawn of. size: width and height in inches. caption: of the picture, in sentences.
    alternative: text for those who cannot see it; by default, the caption. applies: whether a result has what is drawn;
    by default, all have. section: of the report in which the picture is shown: "comparison", of all systems, or
    "system", of each; by default it is in none. first: the results whose plot() draws it if no name is given; a
    notebook shows it below them. notebook: other results below which a notebook shows it. page: options for reports and
    notebooks.
    """

    def declared(draw: Draw) -> Draw:
        name = draw.__name__
        captioned = _constant(caption)
        _pictures[name] = Picture(
            name, draw, _types(of), size, captioned, captioned if alternative is None else _constant(alternative),
            applies or (lambda result: True), section, _types(first), (*_types(first), *_types(notebook)),
            dict(page or {}),
        )  # fmt: skip
        return draw

    return declared


def _constant(text: str | Callable[..., str]) -> Callable[..., str]:
    return text if callable(text) else lambda *_, **__: text


def _types(of: type | tuple[type, ...]) -> tuple[type, ...]:
    return of if isinstance(of, tuple) else (of,)


@cache
def _load() -> None:
    """Import the modules of pictures/, which declare theirs."""
    package = import_module("karat.plot.pictures")
    for name in module_names(package.__path__[0]):
        import_module(f"karat.plot.pictures.{name}")


def list_pictures() -> tuple[Picture, ...]:
    """All pictures, by name."""
    _load()
    return tuple(_pictures[name] for name in sorted(_pictures))


def find_picture(name: str) -> Picture:
    """The picture of this name."""
    _load()
    if not contains(_pictures, name):
        raise KaratError(
            f"there is no picture {brief(name)}; karat.plot has {either(p.name for p in list_pictures())}."
        )
    return _pictures[name]


def pictures_of(result: object) -> list[Picture]:
    """The pictures that can be drawn of a result: the default one, then others in notebooks, then the rest."""
    pictures = [picture for picture in list_pictures() if picture.is_of(result)]
    return sorted(
        pictures, key=lambda picture: [not isinstance(result, kinds) for kinds in (picture.first, picture.notebook)]
    )


def plot_of(result: object, name: str | None, ax: Any, options: Mapping[str, Any]) -> Any:
    """Draw a picture of a result, by default the first; return the axes."""
    pictures = {picture.name: picture for picture in pictures_of(result)}
    kind = type(result).__name__
    if not pictures:
        raise KaratError(f"{kind} has no picture; karat.plot has what can be drawn.")
    if name is not None and not (isinstance(name, str) and name in pictures):
        raise KaratError(f"{kind} has no picture {brief(name)}; choose {either(map(repr, pictures))}.")
    chosen = next(iter(pictures.values())) if name is None else pictures[name]
    return chosen.draw(result, ax=ax, **options)
