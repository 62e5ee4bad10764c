"""Papers as one-line citations, from BibTeX entries: those of references.bib, or one declared with a measure."""

from __future__ import annotations

import re
from functools import cache
from inspect import cleandoc

_ENTRY = re.compile(r"^@\w+\{([^\s,]+),(.*?)\n\}", flags=re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"(\w+)\s*=\s*\{(.*?)\},?\s*\n")  # one field a line


@cache
def references() -> dict[str, str]:
    """The citations of references.bib by key, each as one line."""
    from importlib.resources import files

    return citations((files("karat") / "references.bib").read_text(encoding="utf-8"))


def citations(bibtex: str) -> dict[str, str]:
    """The citations of BibTeX entries by key, each as one line; fields and closing braces must be on separate lines."""
    return {key: _citation(dict(_FIELD.findall(f"{body}\n"))) for key, body in _ENTRY.findall(cleandoc(bibtex))}


def _citation(entry: dict[str, str]) -> str:
    plain = {key: re.sub(r"[{}]", "", value).replace("--", "–") for key, value in entry.items()}
    names = [author.split(",")[0].strip() for author in plain.get("author", "").split(" and ")]
    who = ", ".join(names[:-1]) + " & " + names[-1] if len(names) > 1 else names[0]
    where = plain.get("journal") or plain.get("booktitle") or plain.get("publisher") or plain.get("institution", "")
    volume = " ".join(part for part in (where, plain.get("volume", "")) if part)
    source = ", ".join(part for part in (volume, plain.get("pages", "")) if part)
    return f"{who} ({plain.get('year', '')}). {plain.get('title', '')}. {source}".rstrip(". ") + "."
