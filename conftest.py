"""Settings that all tests share, the examples in README and docs included."""

from __future__ import annotations

import random
import sys
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

settings.register_profile("karat", deadline=None, max_examples=25, print_blob=True)
settings.register_profile("thorough", settings.get_profile("karat"), max_examples=200)
settings.load_profile("karat")  # --hypothesis-profile=thorough chooses the other


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --shuffle."""
    parser.addoption("--shuffle", type=int, metavar="SEED", help="run files, and the tests of a file, in random order")


def pytest_configure(config: pytest.Config) -> None:
    """Declare a mark for each group of pyproject.toml."""
    for name, group in _groups(config).items():
        config.addinivalue_line("markers", f"{name}: {group['about']}; run with -m {name}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the groups, unless marks were asked for with -m; shuffle if that was asked for."""
    if not config.option.markexpr:
        groups = _groups(config)
        left = [item for item in items if any(mark.name in groups for mark in item.iter_markers())]
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in set(left)]
    seed = config.getoption("--shuffle")
    if seed is not None:
        draw = random.Random(seed)
        order = {path: draw.random() for path in dict.fromkeys(item.path for item in items)}
        draw.shuffle(items)
        items.sort(key=lambda item: order[item.path])  # files stay together, since they share what fixtures make


def _groups(config: pytest.Config) -> dict[str, dict[str, str]]:
    """The groups of tests that need more than the README's test command installs."""
    with (config.rootpath / "pyproject.toml").open("rb") as file:
        groups: dict[str, dict[str, str]] = tomllib.load(file)["tool"]["karat"]["groups"]
    return groups


@pytest.fixture(autouse=True)
def _own_declarations() -> Iterator[None]:
    """What a test or an example declares is forgotten after it."""
    from karat.measures.registry import _registry as measures
    from karat.sources.files import registry as files
    from karat.uncertainty.methods import _methods
    from karat.uncertainty.registry import list_methods

    files.formats()  # loads those of karat, since a file is loaded only once
    list_methods()
    registries: list[dict[str, Any]] = [measures, files._registry, _methods]
    before = [(declared, dict(declared)) for declared in registries]
    yield
    for declared, entries in before:
        if entries:
            declared.clear()
            declared.update(entries)


DECLARED = {"karat.plot.registry": "_pictures", "karat.papers.registry": "_declared"}


@pytest.fixture(autouse=True)
def _own_pictures_and_papers() -> Iterator[None]:
    """Pictures and papers that a test or an example declares are forgotten after it."""
    before = {
        name: dict(getattr(sys.modules[name], entries)) for name, entries in DECLARED.items() if name in sys.modules
    }
    yield
    for name in DECLARED.keys() & sys.modules.keys():
        entries = getattr(sys.modules[name], DECLARED[name])
        loaded = {key: entry for key, entry in entries.items() if entry.module.startswith("karat.")}
        entries.clear()
        entries.update({**loaded, **before.get(name, {})})


@pytest.fixture(scope="session", autouse=True)
def _servers() -> Iterator[None]:
    """End the app, the data bases and the Spark that tests of this process have started."""
    yield
    if "doors" in sys.modules:
        sys.modules["doors"].close_doors()
    if "engines" in sys.modules:
        sys.modules["engines"].close_engines()
