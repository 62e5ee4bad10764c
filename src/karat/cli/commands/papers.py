"""karat reproduce and karat data: papers, and the data sets they use."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

import karat
from karat.cli.output import (
    ENDINGS,
    check_output,
    form,
    in_json,
    show,
    write,
)
from karat.cli.streams import inform, put
from karat.cli.usage import UsageError, of_usage
from karat.errors import KaratError
from karat.output.layout import shown


def reproduce(chosen: Namespace) -> None:
    """Reproduce a paper's results, printed beside computed."""
    from karat.papers.pages import chosen_study, prepare

    taken = ("corpus", "gold", "text", "iterations", "variant", "processes")
    options: dict[str, Any] = {name: getattr(chosen, name) for name in taken}
    options["keep"] = None if chosen.keep is None else dict(chosen.keep)
    with of_usage():
        chosen_study(chosen.paper, chosen.experiment, options)
    folder = chosen.output is not None and chosen.format is None and not chosen.output.lower().endswith(tuple(ENDINGS))
    if folder:
        prepare(chosen.output)
    else:
        check_output(chosen)
    try:
        study = karat.reproduce(chosen.paper, chosen.experiment, **options, progress=not chosen.quiet)
    except KeyboardInterrupt:
        raise KaratError("interrupted; finished parts are cached, and the same command resumes.") from None
    if folder:
        names = study.write(chosen.output)
        if not chosen.quiet:
            inform(f"{study.layout().notes[0]} Written to {shown(chosen.output)}: {', '.join(names)}")
        return
    if form(chosen) == "json":
        write(chosen, in_json(study.records()))
        return
    show(chosen, study.layouts, study.records, dict)


def data(chosen: Namespace) -> None:
    """List, fetch or locate data sets."""
    from karat.papers import datasets
    from karat.papers.datasets.catalogue import find_dataset

    if chosen.action == "path":
        with of_usage():
            find_dataset(chosen.name)
        put(datasets.path(chosen.name))
        return
    if chosen.action == "list":
        check_output(chosen)
        records = datasets.records()
        show(chosen, lambda: [datasets.layout(records)], lambda: records, lambda: {"datasets": records})
        return
    if chosen.file is not None and len(chosen.names) > 1:
        raise UsageError(f"--from {shown(chosen.file)} is one package; fetch one data set with it.")
    with of_usage():
        names = [find_dataset(name).name for name in chosen.names]
    for name in names:
        folder = datasets.fetch(name, file=chosen.file, again=chosen.again)
        example = find_dataset(name).example.replace("FOLDER", folder)
        inform(f"{name} is in {folder}\n  try: {example}")
