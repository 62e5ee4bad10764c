"""The options of reading files: each is declared once, here.

The parameters of read(), its docstring, the flags of the command line and the fields of the app's page are derived
from the declarations; readers get the values as `source.options["NAME"]`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias, TypedDict, Unpack, cast

from karat.errors import FileError, Option, nearest

if TYPE_CHECKING:
    from karat.labels.policy import Missing, NoiseAs, Policy

Name: TypeAlias = str | tuple[str, ...]  # one column, or several whose labels are combined
Columns: TypeAlias = str | Sequence[str]  # names of columns, as a user gives them

COLUMNS, POLICY, READING = "columns", "items without a label, and noise", "reading"  # groups of flags
SINGLETONS, ONE_CLUSTER = "singletons", "one cluster"  # the page's words for "singletons" and "cluster"


class Parameter(NamedTuple):
    """The declaration of an option: its default value, and how the command line, Python and the app show it."""

    help: str  # for the command line; the default value is added
    default: Any = None
    group: str = READING  # of flags in the help
    metavar: str | None = None
    kind: str = "text"  # of value: "text", "number" (a positive integer), "size" (bytes, as in 2GB)
    repeated: bool = False  # whether the flag may be given several times
    choices: Callable[[], Sequence[str]] | None = None  # the values that the command line accepts
    python: str = ""  # the explanation in the docstring of read(), if it differs from the help
    page: str = ""  # the label of its field on the app's page, which has none if this is empty
    example: str = ""  # a placeholder in that field
    words: Mapping[str, str] = {}  # the page's words for its choices; "" for the default
    flag: bool = True  # whether the command line has it
    internal: bool = False  # whether only karat's own code gives it

    @property
    def explanation(self) -> str:
        """The explanation in the docstring of read()."""
        text = self.python or self.help
        return f"{text[0].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"


def _texts() -> Sequence[str]:
    """The formats that input= may name on the command line."""
    from karat.sources.files.registry import text_formats

    return text_formats()


class ReadingOptions(TypedDict, total=False):
    """The options of reading files, with their declarations."""

    gold: Annotated[
        Columns | None,
        Parameter(
            "the gold classes; repeated, classes are the combinations of several columns",
            group=COLUMNS, metavar="COLUMN", repeated=True, page="gold column", example="guessed",
            python="The column of the gold classes; of several columns, classes are the combinations, as cross() makes "
            "them. Columns that are not named are guessed by their names, and the evaluation's notes say how.",
        ),
    ]  # fmt: skip
    pred: Annotated[
        Columns | None,
        Parameter(
            "predicted clusters; may be repeated, or a pattern: 'run_*'",
            group=COLUMNS, metavar="COLUMN", repeated=True, page="predicted columns", example="guessed",
            python='The columns of predicted clusters, one for each system, or a pattern such as "run_*".',
        ),
    ]  # fmt: skip
    id: Annotated[
        str | None,
        Parameter(
            "item ids, on which files are matched", group=COLUMNS, metavar="COLUMN", page="id column",
            example="guessed", python="The column of item ids, on which files are matched.",
        ),
    ]  # fmt: skip
    by: Annotated[
        str | None,
        Parameter(
            "a column of the gold file: each of its groups, such as a word, is scored separately, then means are given",
            group=COLUMNS, metavar="COLUMN",
            python="A column of the gold file, whose groups, such as words, are scored separately.",
        ),
    ]  # fmt: skip
    weights: Annotated[
        str | None,
        Parameter(
            "a weight for each item, in the gold file", group=COLUMNS, metavar="COLUMN",
            python="A column of the gold file, with a weight for each item.",
        ),
    ]  # fmt: skip
    count: Annotated[
        str | None,
        Parameter(
            "rows are cells of a table, and this is how many items they hold", group=COLUMNS, metavar="COLUMN",
            python="The column with the number of items of each row, if rows are cells of a table.",
        ),
    ]  # fmt: skip
    missing: Annotated[
        "Missing",
        Parameter(
            "drop such items, make each a singleton, or put all into one cluster (default: raise, which refuses them)",
            "raise", POLICY, choices=lambda: ("raise", "drop", "singletons", "cluster"), page="items without a label",
            python='What becomes of an item that gold or a system lacks: "raise", "drop" (for all systems), '
            '"singletons" or "cluster".',
            words={"": "refuse", "drop": "drop", "singletons": SINGLETONS, "cluster": ONE_CLUSTER},
        ),
    ]  # fmt: skip
    noise: Annotated[
        object,
        Parameter(
            "the predicted label that marks noise, such as -1", group=POLICY, metavar="LABEL", page="noise label",
            example="such as -1",
            python='The predicted label that marks noise, such as -1; text also stands for the number that it spells.',
        ),
    ]  # fmt: skip
    noise_as: Annotated[
        "NoiseAs | None",
        Parameter(
            "what noise counts as", group=POLICY, choices=lambda: ("cluster", "singletons", "drop"),
            page="noise counts as",
            words={"": "—", "singletons": SINGLETONS, "cluster": ONE_CLUSTER, "drop": "nothing: drop"},
            python='What noise counts as: "cluster", "singletons" or "drop" (for all systems).',
        ),
    ]  # fmt: skip
    ignore: Annotated[
        object,
        Parameter(
            "the gold label of items to leave out, such as void", group=POLICY, metavar="LABEL",
            python="The gold label of items to leave out; text also stands for the number that it spells.",
        ),
    ]  # fmt: skip
    input: Annotated[
        str | None,
        Parameter("the format of a text file, if its ending does not say it", choices=_texts),
    ]
    delimiter: Annotated[
        str | None, Parameter("between fields (default: a comma; in TSV files a tab)", metavar="C",
        python="The character between the fields of a line; by default a comma, in TSV files a tab."),
    ]  # fmt: skip
    encoding: Annotated[str, Parameter("of text files", "utf-8", python="The encoding of text files.")]
    header: Annotated[
        bool,
        Parameter(
            "the first line holds data; columns are called 1, 2, ...", True,
            python='Whether the first line names the columns; if not, they are called "1", "2", ...',
        ),
    ]  # fmt: skip
    memory: Annotated[
        str,
        Parameter(
            "limit for reading large files", "2GB", metavar="SIZE", kind="size",
            python="The memory of DuckDB, which reads Parquet, compressed files and text from 10 MB.",
        ),
    ]  # fmt: skip
    threads: Annotated[
        int | None,
        Parameter(
            "limit for reading large files (default: all)", metavar="N", kind="number",
            python="The threads of DuckDB; by default all.",
        ),
    ]  # fmt: skip
    progress: Annotated[bool, Parameter("Whether to show a progress bar while DuckDB reads.", False, flag=False)]
    items: Annotated[
        bool | None,
        Parameter(
            "Whether the labels and ids of items are kept, not only tables; by default labels are, if they are not "
            "too many.",
            flag=False,
        ),
    ]
    ids: Annotated[
        bool | None,
        Parameter("Whether the ids of items are kept too; by default if items is true.", flag=False, internal=True),
    ]


def parameters() -> dict[str, Parameter]:
    """The declarations of all options, by name."""
    return {name: kind.__metadata__[0] for name, kind in ReadingOptions.__annotations__.items()}


TEXTS = ("gold", "pred", "id", "by", "weights", "count", "input", "delimiter", "encoding")  # options that are text


class Reading(NamedTuple):
    """The options of reading files, with default values for those that were not given."""

    options: ReadingOptions

    @classmethod
    def of(cls, **given: Unpack[ReadingOptions]) -> "Reading":
        """The options with default values, columns in normal form; TypeError for an unknown option."""
        declared = parameters()
        for name in given:
            if name not in declared:
                raise TypeError(f"read() has no option {name!r}; {nearest(name, declared)}".removesuffix("; "))
        values: Any = {name: parameter.default for name, parameter in declared.items()} | given
        for name in TEXTS:
            _check_text(name, values[name])
        values |= {"gold": _columns(values["gold"]), "pred": _texts_of(values["pred"])}
        return cls(values)

    def replaced(self, **changes: Unpack[ReadingOptions]) -> "Reading":
        """The options with some changed."""
        return Reading(cast(ReadingOptions, {**self.options, **changes}))

    @property
    def policy(self) -> "Policy":
        """The treatment of items without a label, of noise, and of items to ignore."""
        from karat.labels.policy import Policy

        options = self.options
        return Policy.of(options["missing"], options["noise"], options["noise_as"], options["ignore"])

    @property
    def gold(self) -> Name | None:
        """The gold column, a tuple of several that are combined, or None if it was not named."""
        return cast("Name | None", self.options["gold"])

    @property
    def pred(self) -> tuple[str, ...]:
        """The predicted columns that were named."""
        return cast("tuple[str, ...]", self.options["pred"])

    @property
    def keeps_ids(self) -> bool:
        """Whether the ids of items are kept."""
        return bool(self.options["items"] if self.options["ids"] is None else self.options["ids"])

    @property
    def total(self) -> str | None:
        """The column of weights, or else of counts; None without either."""
        return self.options["count"] if self.options["weights"] is None else self.options["weights"]

    @property
    def others(self) -> list[str]:
        """The columns of groups and of weights or counts, if any."""
        return [name for name in (self.options["by"], self.total) if name is not None]

    def check(self) -> "Reading":
        """Return the options; refuse values that are invalid whatever the files are."""
        check_encoding(self.options["encoding"])
        delimiter = self.options["delimiter"]
        if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
            raise FileError(
                Option("delimiter", (delimiter,)), " cannot separate fields; give one character, such as ';'."
            )
        policy = self.policy
        if self.options["count"] is not None:
            uncountable = {
                "weights": self.options["weights"] is not None, "missing": policy.missing != "raise",
                "noise": policy.noise is not None, "ignore": policy.ignore is not None,
            }  # fmt: skip
            for name in (name for name, given in uncountable.items() if given):
                raise FileError(
                    Option("count", (self.options["count"],)), " says that the rows are counted already; leave out ",
                    Option(name, bare=True), ".",
                )  # fmt: skip
        return self


def _check_text(name: str, value: Any) -> None:
    """Refuse an option that is neither text nor None, nor for gold and pred a list of texts."""
    several = name in ("gold", "pred") and isinstance(value, (list, tuple))
    if not all(part is None or isinstance(part, str) for part in (value if several else (value,))):
        many = ", or several as a list" if name in ("gold", "pred") else ""
        raise FileError(Option(name, (value,)), f" is not text; give one name{many}.")


def _columns(names: Columns | None) -> Name | None:
    """Column names in normal form: one as a string, several as a tuple, none as None."""
    if names is None or isinstance(names, str):
        return names
    return names[0] if len(names) == 1 else tuple(names) or None


def _texts_of(names: Columns | None) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names or ())


def check_encoding(encoding: str) -> None:
    """Refuse an encoding unknown to Python, or not of texts."""
    import codecs

    try:
        "".encode(encoding)
        b"\xf7a-\xff".decode(encoding, "replace")  # those of domain names do not replace what they cannot decode
        known = codecs.lookup(encoding)._is_text_encoding
    except (LookupError, ValueError):  # a name with a zero byte raises the last
        known = False
    if not known:
        raise FileError(f"{encoding!r} is no encoding; use 'utf-8', 'latin-1', 'utf-16' or another of Python's.")
