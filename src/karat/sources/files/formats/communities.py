"""Communities: one cluster per line, its items separated by white space."""

from __future__ import annotations

from karat.errors import FileError, listed
from karat.sources.files.inputs import Input
from karat.sources.files.registry import Columns, Format, add


def read_communities(source: Input) -> Columns:
    """Read the cluster of each item; lines that begin with # are comments."""
    from karat.sources.files.text import decoded

    community_of: dict[str, int] = {}
    repeated: dict[str, None] = {}
    number = 0
    for line in decoded(source).split("\n"):
        if line.lstrip().startswith("#") or not line.strip():
            continue
        number += 1
        for item in line.split():
            if community_of.setdefault(item, number) != number:
                repeated[item] = None
    if repeated:
        raise FileError(
            f"{source.name!r} has {len(repeated):,} items in more than one community: {listed(repeated, 3)}; "
            "karat scores partitions, so keep each item in one."
        )
    return Columns.of(["item", "community"], [list(community_of), list(community_of.values())])


add(
    Format(
        "communities", "communities", "a cluster per line, its members separated by white space; # begins a comment",
        "items are matched by name; each in one cluster", (".cmty", ".communities"), read=read_communities,
        item="item", label="community", example="a b c\nd e f\n# no\ng\n",
    )
)  # fmt: skip
