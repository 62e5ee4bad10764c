"""Options that several commands have: files and how they are read, intervals, output."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from karat.cli.values import digits, positive, seed, size
from karat.sources.files.options import Parameter, parameters
from karat.uncertainty.sampling import LEVEL, OPTIONS, SamplingOption

FORMATS = ("text", "json", "csv", "markdown", "latex")
VALUES: dict[str, Callable[[str], Any]] = {"text": str, "number": positive, "size": size}  # parsers by kind of value


def add_files(command: argparse.ArgumentParser) -> None:
    """Add the files, and the options of reading them."""
    command.add_argument("files", nargs="+", metavar="FILES", help="files; - is standard input").complete = {  # type: ignore[attr-defined]
        "bash": "_shtab_compgen_files", "zsh": "add_files", "tcsh": "f"
    }  # fmt: skip
    groups: dict[str, Any] = {}
    for name, parameter in parameters().items():
        if parameter.flag:
            group = groups.get(parameter.group) or command.add_argument_group(parameter.group)
            groups[parameter.group] = group
            _reading_flag(group, name, parameter)


def _reading_flag(group: Any, name: str, parameter: Parameter) -> None:
    """Add the flag of an option of reading, as it is declared."""
    flag = name.replace("_", "-")
    if isinstance(parameter.default, bool):  # a flag without a value, which selects the opposite of the default
        no = "no-" if parameter.default else ""
        action = "store_false" if parameter.default else "store_true"
        group.add_argument(f"--{no}{flag}", dest=name, action=action, help=parameter.help)
        return
    default = parameter.default
    note = f" (default: {default})" if default is not None and "(default:" not in parameter.help else ""
    options: dict[str, Any] = {"metavar": parameter.metavar, "help": f"{parameter.help}{note}".replace("%", "%%")}
    if parameter.repeated:
        options |= {"action": "append", "default": []}
    else:
        options |= {"type": VALUES[parameter.kind], "default": default}
    if parameter.choices is not None:
        options["choices"] = _Choices(parameter.choices)
    group.add_argument(f"--{flag}", **options)


class _Choices:
    """Choices that are computed when a value is checked or help is shown, not when the parser is built."""

    def __init__(self, make: Callable[[], Sequence[str]]) -> None:
        self.make = make

    def __iter__(self) -> Iterator[str]:
        return iter(self.make())

    def __contains__(self, value: object) -> bool:
        return value in self.make()


def add_output(command: argparse.ArgumentParser) -> None:
    """Add the options of output."""
    output = command.add_argument_group("output")
    output.add_argument("--format", choices=FORMATS, help="default: text, or what FILE's ending says")
    output.add_argument(
        "-o", "--output", metavar="FILE", help="write to a file; if that fails, the file is left unchanged"
    )
    output.add_argument("--digits", type=digits, default=4, metavar="N", help="decimals (default: 4)")
    output.add_argument("-q", "--quiet", action="store_true", help="no notes, no progress bar: the numbers only")


def add_intervals(command: argparse.ArgumentParser, default: float | None) -> None:
    """Add the options of confidence intervals; default: the level if --interval is not given."""
    intervals = command.add_argument_group("intervals")
    intervals.add_argument(
        "--interval", type=float, nargs="?", const=LEVEL, default=default, metavar="LEVEL",
        help=f"confidence level (default: {LEVEL})" if default else f"show confidence intervals (level: {LEVEL})",
    )  # fmt: skip
    for option in OPTIONS:
        intervals.add_argument(option.flag, dest=option.name, help=option.help, **_kind(option))


def _kind(option: SamplingOption) -> dict[str, Any]:
    """The arguments of add_argument() for an option of intervals: a choice, a whole number, or a switch."""
    if option.choices is not None:
        return {"choices": option.choices(), "default": option.default}
    if option.least is not None:
        return {"type": seed if option.least == 0 else positive, "default": option.default, "metavar": "N"}
    return {"action": "store_false" if option.default else "store_true"}
