"""Communities: one cluster per line, its items separated by white space."""

from __future__ import annotations

from karat.errors import FileError, listed
from karat.sources.files.inputs import Input
from karat.sources.files.registry import Columns, Format, add


def read_communities(source: Input) -> Columns:
    """Read the cluster of each item; lines that begin with # are comments."""
    from karat.sources.files.text import lines_of

    community_of: dict[str, int] = {}
    repeated: dict[str, None] = {}
    number = comments = 0
    for line in lines_of(source):
        if line.lstrip().startswith("#"):
            comments += 1
            continue
        items = line.split()
        number += bool(items)
        if len(set(items)) < len(items):
            twice = next(item for item in items if items.count(item) > 1)
            raise FileError(f"{source.name!r} has {twice!r} twice in community {number}; list each item once.")
        repeated.update(dict.fromkeys(item for item in items if item in community_of))
        community_of.update(dict.fromkeys(items, number))
    if repeated:
        raise FileError(
            f"{source.name!r} has {len(repeated):,} items in more than one community: {listed(repeated, 3)}; "
            "karat scores partitions, so keep each item in one."
        )
    columns = Columns.of(["item", "community"], [list(community_of), list(community_of.values())])
    lines = "1 line begins" if comments == 1 else f"{comments:,} lines begin"
    return columns._replace(note=f"{lines} with #, taken for a comment" if comments else "")


add(
    Format(
        "communities", "communities", "a cluster per line, its members separated by white space; # begins a comment",
        "items are matched by name; each in one cluster", (".cmty", ".communities"), read=read_communities,
        item="item", label="community", example="a b c\nd e f\n# no\ng\n",
    )
)  # fmt: skip
