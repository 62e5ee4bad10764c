"""The command line."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, get_args

import pytest

import karat
from karat import cli
from karat.cli.output import in_words_of_the_terminal
from karat.cli.parser import parser as cli_parser
from karat.errors import Option, Sentence
from karat.examples import textbook
from karat.labels.policy import Missing, NoiseAs
from karat.output.files import atomic_file
from shared import ROOT

EXAMPLES = ROOT / "docs" / "examples"
GOLD, KMEANS, HDBSCAN = (str(EXAMPLES / f"{name}.csv") for name in ("gold", "kmeans", "hdbscan"))
KEYS = str(EXAMPLES / "words.key"), str(EXAMPLES / "induced.key")

Capture = pytest.CaptureFixture[str]


def run(capsys: Capture, *arguments: str) -> tuple[int, str, str]:
    status = cli.main(list(arguments))
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_the_example_prints_the_textbooks_scores(capsys: Capture) -> None:
    assert run(capsys, "example") == (0, f"{karat.score(*textbook())}\n", "")


def test_the_module_can_be_run() -> None:
    out = subprocess.run(
        [sys.executable, "-m", "karat", "--version"], check=True, capture_output=True, text=True
    ).stdout
    assert out == f"karat {karat.__version__}\n"


def test_one_system_gets_the_panel_as_python_prints_it(capsys: Capture) -> None:
    status, out, err = run(capsys, "score", GOLD, KMEANS)
    (table,) = karat.read(GOLD, KMEANS).tables.values()
    assert (status, err) == (0, "")
    assert out.endswith(f"\n\n{karat.score(table)}\n")
    note = " ".join(out.split("\n\n")[0].split())
    assert note.startswith(
        f"gold is {GOLD!r}, column 'class', predicted is {KMEANS!r}, column 'cluster', matched on 'id'"
    )


def test_several_systems_are_shown_side_by_side(capsys: Capture) -> None:
    _, out, _ = run(capsys, "score", GOLD, KMEANS, HDBSCAN, "-m", "ari", "-m", "vi,nmi(norm=max)", "--digits", "2")
    assert "measure          kmeans  hdbscan  one cluster  singletons\nari           ↑    0.40     0.54" in out
    assert "vi [nats]     ↓" in out
    assert out.count("measures:ari,vi,nmi(norm=max)|log:e") == 1


def test_groups_have_macro_and_micro_means(capsys: Capture) -> None:
    _, out, _ = run(capsys, "score", *KEYS, "-m", "ari", "--format", "json")
    (system,) = json.loads(out)["systems"]
    scores = {group["group"]: (group["n"], group["scores"]["ari"]) for group in system["groups"]}
    assert system["by"] == "lemma"
    assert system["macro"]["ari"] == pytest.approx(sum(ari for _, ari in scores.values()) / 3)
    assert system["micro"]["ari"] == pytest.approx(sum(n * ari for n, ari in scores.values()) / 21)
    _, out, _ = run(capsys, "score", *KEYS, "-m", "ari,vi")
    assert "lemma    items   ari ↑  vi [nats] ↓\n" in out
    _, out, _ = run(capsys, "score", *KEYS, "-m", "ari", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["group"] for row in rows] == ["bank.n", "plant.n", "run.v", "macro", "micro"]
    assert [row["kind"] for row in rows] == ["group"] * 3 + ["mean"] * 2


def test_groups_have_intervals_as_in_python(capsys: Capture) -> None:
    options = {"interval": 0.9, "method": "bootstrap", "resamples": 50, "seed": 4}
    flags = [part for name, value in options.items() for part in (f"--{name}", str(value))]
    _, out, _ = run(capsys, "score", *KEYS, "-m", "ari", "--format", "json", *flags)
    (system,) = json.loads(out)["systems"]
    scores = karat.score(karat.read(*KEYS), measures="ari", **options)  # type: ignore[arg-type]
    for group in system["groups"]:
        interval = scores[group["group"]].interval("ari")
        assert (group["intervals"]["ari"]["low"], group["intervals"]["ari"]["method"]) == (interval.low, "bootstrap")


def test_json_has_the_documented_form(capsys: Capture) -> None:
    _, out, _ = run(capsys, "score", GOLD, KMEANS, HDBSCAN, "--format", "json")
    document = json.loads(out)
    assert (document["karat"], document["schema"]) == (karat.__version__, 1)
    assert [set(system) for system in document["systems"]] == 2 * [
        {"system", "n", "classes", "clusters", "dropped", "scores", "omitted", "signature"}
    ]
    assert set(document["systems"][0]["scores"]["ari"]) == {
        "score", "error", "better", "one_cluster", "singletons", "shuffled"
    }  # fmt: skip
    assert document["notes"][-1].endswith("--gold ..., --pred ..., --id ...")
    (table,) = karat.read(GOLD, KMEANS).tables.values()
    assert document["systems"][0]["scores"]["ari"]["score"] == karat.ari(table)


@pytest.mark.parametrize("kind", ["json", "csv", "md", "tex", "txt"])
def test_the_ending_of_the_output_file_says_its_format(capsys: Capture, tmp_path: Path, kind: str) -> None:
    target = tmp_path / f"out.{kind}"
    assert run(capsys, "score", GOLD, KMEANS, "-o", str(target), "-m", "ari", "-q") == (0, "", "")
    starts = {"json": "{", "csv": "system,n,dropped,measure", "md": "28 items", "tex": "% 28 items", "txt": "measure"}
    assert target.read_text(encoding="utf-8").startswith(starts[kind])
    assert list(tmp_path.iterdir()) == [target]


def test_a_file_is_written_whole_or_not_at_all(capsys: Capture, tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    target.write_text("before")
    status, _, err = run(capsys, "score", GOLD, KMEANS, "-o", str(target), "-m", "nonsense")
    assert status == 2
    assert err.startswith("karat: there is no measure 'nonsense'; ")
    assert target.read_text() == "before"
    assert run(capsys, "score", GOLD, KMEANS, "-o", str(tmp_path / "no" / "x"))[0] == 1


def test_the_table_can_be_shown_kept_and_scored_again(capsys: Capture, tmp_path: Path) -> None:
    _, out, _ = run(capsys, "table", GOLD, KMEANS, "--top", "2")
    assert "28 items in 4 classes and 4 clusters: 11 cells with items" in out
    assert "\nsport     1" in out
    assert "9 more with 15 items; --top 11 shows all." in out
    expected = json.loads(run(capsys, "score", GOLD, KMEANS, "--format", "json")[1])["systems"][0]["scores"]
    for name in ("t.json", "t.parquet", "cells.csv"):
        path = str(tmp_path / name)
        assert run(capsys, "table", GOLD, KMEANS, "-o", path)[0] == 0
        options = ["--count", "count"] if name == "cells.csv" else []
        again = json.loads(run(capsys, "score", path, *options, "--format", "json")[1])["systems"][0]["scores"]
        assert again == expected
    (tmp_path / "u.json").write_text(run(capsys, "table", GOLD, KMEANS, "--format", "json")[1], encoding="utf-8")
    assert karat.Table.load(tmp_path / "u.json").n == 28
    (tmp_path / "m.csv").write_text(run(capsys, "table", GOLD, KMEANS, "--matrix", "--format", "csv")[1])
    again = json.loads(run(capsys, "score", str(tmp_path / "m.csv"), "--input", "matrix", "--format", "json")[1])
    assert again["systems"][0]["scores"] == expected
    assert "culture   ·  1  ·  4" in run(capsys, "table", GOLD, KMEANS, "--matrix")[1]
    assert "there are 2 systems, 'kmeans', 'hdbscan'" in run(capsys, "table", GOLD, KMEANS, HDBSCAN)[2]
    assert run(capsys, "table", *KEYS, "--format", "csv")[0] == 0


def test_measures_are_listed_and_described(capsys: Capture) -> None:
    _, out, _ = run(capsys, "measures")
    assert out.startswith(f"{len(karat.list_measures())} measures\n")
    _, out, _ = run(capsys, "measures", "nmi(norm=max)", "purity")
    assert out.startswith("nmi(norm=max): Normalised mutual information\n")
    assert "purity: Purity" in out
    assert max(map(len, out.split("\n"))) <= 80
    _, out, _ = run(capsys, "measures", "--format", "json")
    cards = {card["measure"]: card for card in json.loads(out)["measures"]}
    assert cards["ari"]["reference"].startswith("Hubert & Arabie (1985). Comparing partitions.")
    assert cards["vi"]["high"] is None
    assert all(card["definition"] and card["reference"] for card in cards.values())
    assert run(capsys, "measures", "arri")[2] == "karat: there is no measure 'arri'; did you mean ari?\n"
    assert run(capsys, "measures", "--format", "csv")[0] == 0


def test_every_measure_says_how_it_is_defined() -> None:
    assert not [m.name for m in karat.list_measures() if not m.definition]


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_completion(capsys: Capture, shell: str) -> None:
    status, out, _ = run(capsys, "completion", shell)
    assert status == 0
    assert "measures" in out
    assert "--noise-as" in out or "noise-as" in out


def test_options_that_contradict_each_other_are_one_line(capsys: Capture) -> None:
    status, out, err = run(capsys, "score", GOLD, HDBSCAN, "--noise", "-1")
    assert (status, out) == (2, "")
    assert err == "karat: --noise -1 needs --noise-as cluster, singletons or drop: the score depends on it.\n"


def test_messages_name_the_options_of_the_command_line() -> None:
    said = Sentence("say ", Option("missing", ("drop", "singletons", "cluster")), ".")
    assert str(said) == "say missing='drop', 'singletons' or 'cluster'."
    assert in_words_of_the_terminal(said) == "say --missing drop, singletons or cluster."
    assert in_words_of_the_terminal(Sentence("leave out ", Option("noise_as", bare=True))) == "leave out --noise-as"
    assert in_words_of_the_terminal("a column named 'missing' is \x1b[0m") == r"a column named 'missing' is \x1b[0m"


def test_wrong_usage_is_status_2(capsys: Capture) -> None:
    for arguments in (["nonsense"], ["score"], ["score", GOLD, "--digits", "many"], ["table", GOLD, "--top", "0"]):
        with pytest.raises(SystemExit) as stopped:
            cli.main(arguments)
        assert stopped.value.code == 2
    assert "'0' is not a number from 1 to" in capsys.readouterr().err


def test_hostile_labels_do_not_reach_the_terminal(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text('gold,"p\x1b[2J",w\n"\x1b[31mred\a","\u202eevil","x\x1b"\nb,c,y\n', encoding="utf-8")
    for arguments in (["score"], ["table"], ["table", "--matrix"], ["score", "--by", "w"]):
        command, *options = arguments
        for form in ("text", "markdown", "latex"):
            _, out, _ = run(
                capsys, command, str(path), "--gold", "gold", "--pred", "p\x1b[2J", *options, "--format", form
            )
            assert "\x1b" not in out
            assert "\u202e" not in out
            assert "\a" not in out
    _, _, err = run(capsys, "score", str(path), "--gold", "\x1b[0m")
    assert "\x1b" not in err
    _, _, err = run(capsys, "score", "\x1b[0m\n.csv")
    assert err.count("\n") == 1
    assert "\x1b" not in err


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "karat", *arguments]


def test_a_terminal_without_arrows_still_shows_the_numbers() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    out = subprocess.run(command("example"), check=True, capture_output=True, env=environment).stdout
    assert b"v_measure    ^  0.3646" in out


def test_a_reader_that_stops_early_is_no_error() -> None:
    line = f"{sys.executable} -m karat example | head -n 1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", line], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(("extra", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_colour_is_for_terminals_that_want_it(extra: dict[str, str], coloured: bool) -> None:
    screen, terminal = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "40", **extra}
    subprocess.run(command("example"), check=True, stdout=terminal, env=environment)
    os.close(terminal)
    seen = os.read(screen, 1 << 16).decode()
    os.close(screen)
    assert ("\x1b[1m" in seen) == coloured
    assert "measure" in seen
    assert "singletons\r\n" not in seen.split("\r\n\r\n")[1]  # 40 columns hold a part of the table


@pytest.mark.parametrize(
    ("number", "status", "message"),
    [
        (signal.SIGINT, 130, "karat: interrupted; nothing was written.\n"),
        (signal.SIGTERM, 143, ""),
        (signal.SIGHUP, 129, ""),
    ],
)
def test_a_read_that_a_signal_ends_leaves_nothing_behind(
    tmp_path: Path, number: int, status: int, message: str
) -> None:
    import duckdb

    path = tmp_path / "d.parquet"
    query = "SELECT hash(i) % 1000000 AS gold, hash(i + 7) % 1000000 AS pred FROM range(6000000) t(i)"
    duckdb.sql(f"COPY ({query}) TO '{path}' (FORMAT PARQUET)")
    work, spill = tmp_path / "work", tmp_path / "spill"
    work.mkdir()
    spill.mkdir()
    arguments = command("score", str(path), "-o", "out.json", "--threads", "1")
    started = subprocess.Popen(
        arguments, cwd=work, env={**os.environ, "TMPDIR": str(spill)}, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 30
    while not list(spill.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.2)
    started.send_signal(number)
    _, err = started.communicate(timeout=60)
    assert started.returncode == status
    assert err == message
    assert not list(work.iterdir())
    assert not list(spill.iterdir())


def test_a_device_is_written_into_and_not_replaced(capsys: Capture, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True)
    assert run(capsys, "example", "-o", str(pipe))[0] == 0
    assert reader.communicate()[0].startswith("17 items")
    assert pipe.is_fifo()
    assert (
        "is a device or a pipe" in run(capsys, "table", GOLD, KMEANS, "-o", "/dev/null")[2]
        or Path("/dev/null").is_char_device()
    )
    assert Path("/dev/null").is_char_device()


def test_a_full_disk_is_one_line() -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = subprocess.run(command("example"), stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("karat: standard output cannot be written (No space left on device)")


def test_what_the_user_typed_is_not_reworded(capsys: Capture) -> None:
    assert "'id=3.csv'" in run(capsys, "score", "id=3.csv")[2]
    assert run(capsys, "score", "-", "-")[2].startswith("karat: standard input ")
    with pytest.raises(SystemExit):
        cli.main(["score", GOLD, "--fo\x1b[31mo"])
    assert "\x1b" not in capsys.readouterr().err


def test_a_narrow_terminal_and_one_measure_in_markdown(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "-5")
    assert run(capsys, "measures", "ari")[0] == 0
    assert run(capsys, "measures", "ari", "--format", "markdown")[1].count("\n") == 5


def test_every_format_has_the_signature_and_says_what_was_guessed(capsys: Capture) -> None:
    for form in ("csv", "markdown", "latex"):
        _, out, err = run(capsys, "score", GOLD, KMEANS, "-m", "ari", "--format", form)
        assert "measures:ari|log:any|n:28" in out
        assert "columns were guessed" in err


def test_an_ending_that_tells_nothing_is_refused(capsys: Capture, tmp_path: Path) -> None:
    assert "does not say its format by '.xyz'" in run(capsys, "score", GOLD, KMEANS, "-o", str(tmp_path / "o.xyz"))[2]
    assert run(capsys, "score", GOLD, KMEANS, "-m", "f1")[2].endswith("karat measures list them all.\n")


def test_audits_name_the_smallest_counterexample(capsys: Capture) -> None:
    arguments = ("audit", "purity", "v_measure", "--property", "singletons", "--property", "symmetry")
    _, out, _ = run(capsys, *arguments, "--examples")
    assert "singletons        NO 4/4     NO 3/4" in out
    assert "purity breaks symmetry" in out
    _, out, _ = run(capsys, *arguments, "--format", "json")
    verdicts = {(v["measure"], v["property"]): v for v in json.loads(out)["verdicts"]}
    assert verdicts["v_measure", "symmetry"]["holds"] is True
    assert verdicts["purity", "symmetry"]["example"][0]["table"]
    assert (
        "there is no property 'symetry'; did you mean symmetry?"
        in run(capsys, "audit", "ari", "--property", "symetry")[2]
    )


def test_a_paper_is_reproduced_into_a_directory(capsys: Capture, tmp_path: Path) -> None:
    _, out, _ = run(capsys, "reproduce", "manning2008")
    assert "Table 16.2     purity" in out
    _, out, _ = run(capsys, "reproduce", "manning2008", "--format", "json")
    assert set(json.loads(out)[0]) == {"paper", "place", "claim", "printed", "computed", "verdict", "note"}
    folder = tmp_path / "out"
    assert run(capsys, "reproduce", "reichart2009", "-o", str(folder))[0] == 0
    assert sorted(path.name for path in folder.iterdir()) == [
        "reichart2009-table-3.png", "reichart2009-table-3.svg", "reichart2009.json", "reichart2009.md"
    ]  # fmt: skip


def test_several_columns_of_gold_are_taken_together(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("topic,lang,cluster\na,en,1\na,de,2\nb,en,3\nb,de,4\n")
    _, out, _ = run(capsys, "score", str(path), "--gold", "topic", "--gold", "lang", "--pred", "cluster", "-m", "ari")
    assert "gold is column 'topic' × 'lang'" in " ".join(out.split())
    assert "4 items in 4 classes and 4 clusters" in out


def test_the_choices_are_those_of_the_library() -> None:
    options = {a.dest: a for a in cli_parser()._subparsers._group_actions[0].choices["score"]._actions}  # type: ignore[union-attr, index, call-overload]
    assert tuple(options["missing"].choices) == get_args(Missing)
    assert tuple(options["noise_as"].choices) == get_args(NoiseAs)


def test_true_and_one_are_two_groups_on_the_terminal_too(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    path.write_text("\n".join(json.dumps({"gold": 1, "pred": 2, "word": word}) for word in (True, 1, 1)))
    _, out, _ = run(capsys, "score", str(path), "--by", "word", "-m", "ari", "--format", "csv")
    assert [(row["group"], row["items"]) for row in csv.DictReader(io.StringIO(out))][:2] == [("1", "2"), ("True", "1")]


@pytest.mark.parametrize("how", ["itself", "link", "hard link", "another system", "pattern", "relative"])
@pytest.mark.parametrize("command", ["score", "compare", "table", "report"])
def test_no_command_overwrites_what_it_reads(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str, command: str
) -> None:
    gold, pred = tmp_path / "a.csv", tmp_path / "b.csv"
    gold.write_text("id,gold\n1,x\n2,y\n")
    pred.write_text("id,pred\n1,x\n2,y\n")
    monkeypatch.chdir(tmp_path)
    output, names = gold, [str(gold), str(pred)]
    if how == "link":
        output = tmp_path / "link.csv"
        output.symlink_to(gold)
    elif how == "hard link":
        output = tmp_path / "hard.csv"
        output.hardlink_to(gold)
    elif how == "another system":
        output = pred
    elif how == "pattern":
        names = [str(tmp_path / "[a].csv"), str(pred)]
    elif how == "relative":
        output = Path("b.csv")
    before = gold.read_text(), pred.read_text()
    status, _, err = run(capsys, command, *names, "-o", str(output))
    assert status == 1
    assert "is one of the files that are read; name another" in err
    assert (gold.read_text(), pred.read_text()) == before


def test_a_file_that_only_its_owner_may_read_is_never_readable_by_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, seen = tmp_path / "t.json", []
    target.touch(0o600)
    replace = Path.replace

    def watched(self: Path, other: Any) -> Any:
        seen.append(self.stat().st_mode & 0o777)
        return replace(self, other)

    monkeypatch.setattr(Path, "replace", watched)
    with atomic_file(target) as temporary:
        assert Path(temporary).stat().st_mode & 0o777 == 0o600
    assert seen == [0o600]
    before = os.umask(0o027)
    try:
        with atomic_file(tmp_path / "new.json"):
            pass
    finally:
        os.umask(before)
    assert (tmp_path / "new.json").stat().st_mode & 0o777 == 0o640


EVIL = "a\x1b[31m\x07\x9b\u202e\U000e0041\u180e\U0001d173\u3164z"


def on_terminal(*command: str) -> str:
    """What a command prints on a terminal."""
    leader, follower = pty.openpty()
    with subprocess.Popen(command, stdout=follower, stderr=follower, stdin=subprocess.DEVNULL) as running:
        os.close(follower)
        parts = []
        with suppress(OSError):  # which is how a closed terminal ends
            while part := os.read(leader, 1 << 16):
                parts.append(part)
        os.close(leader)
    assert running.returncode == 0, parts
    return b"".join(parts).decode()


@pytest.mark.parametrize("kind", ["text", "json", "csv", "markdown", "latex"])
@pytest.mark.parametrize("command", ["score", "table"])
def test_nothing_that_a_terminal_obeys_is_printed_on_one(tmp_path: Path, kind: str, command: str) -> None:
    path = tmp_path / "a.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["gold", EVIL], [EVIL, "x"], ["b", "y"], ["b", EVIL]])
    columns = ["--gold", "gold", "--pred", EVIL, "--format", kind, "--missing", "drop"]
    environment_free = [sys.executable, "-m", "karat", command, str(path), *columns]
    seen = on_terminal(*environment_free)
    assert not set(seen) & set(EVIL[1:-1].replace("[31m", "")) - {"\x1b"}
    assert "\x1b[31m" not in seen
    piped = subprocess.run(environment_free, capture_output=True, check=True).stdout.decode()
    if (kind, command) == ("csv", "table"):
        assert EVIL in piped  # a file for programs has the labels as they are
    if kind == "json":
        json.loads(piped)


@pytest.mark.parametrize("kind", ["text", "json", "csv", "markdown"])
def test_labels_stay_apart_whatever_the_encoding_of_the_output(tmp_path: Path, kind: str) -> None:
    (tmp_path / "a.csv").write_text("gold,pred\né,1\nè,2\né,1\n", encoding="utf-8")
    command = [sys.executable, "-m", "karat", "table", str(tmp_path / "a.csv"), "--format", kind, "-q"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run(command, capture_output=True, env=environment, check=True)
    text = done.stdout.decode("ascii" if kind == "text" else "utf-8")
    assert "?" not in text
    assert all(label in text for label in ([r"\xe9", r"\xe8"] if kind == "text" else ["é", "è"]))


def test_an_output_that_is_no_file_is_refused_and_kept(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    (tmp_path / "broken").symlink_to("no/where")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    for name, why in {
        "loop": "is a symbolic link that leads back to itself", "one": "is a symbolic link that leads back to itself",
        "broken": "cannot be written (No such file", "folder": "is a directory", "link": "is a directory",
        "new.csv/": "is a directory", "/dev/full": "cannot be written (No space left on device)",
    }.items():  # fmt: skip
        target = name if name.startswith("/") else f"{tmp_path}/{name}"
        status, _, err = run(capsys, "example", "-o", target)
        assert (status, err.count("\n")) == (1, 1)
        assert err.startswith(f"karat: {target!r} {why}")
    assert all((tmp_path / name).is_symlink() for name in ("loop", "one", "two", "broken", "link"))
    assert len(list(tmp_path.iterdir())) == 6
    (tmp_path / "dangling.csv").symlink_to("new.csv")
    assert run(capsys, "example", "-o", f"{tmp_path}/dangling.csv")[0] == 0
    assert (tmp_path / "dangling.csv").is_symlink()
    assert (tmp_path / "new.csv").is_file()


def test_messages_that_name_several_long_paths_are_short(capsys: Capture, tmp_path: Path) -> None:
    folder = tmp_path / ("d" * 200) / ("e" * 200)
    folder.mkdir(parents=True)
    for number in range(4):
        (folder / f"{number}.csv").write_text(f"id,label\n{number},a\n")
    for count in (2, 3, 4):
        status, _, err = run(capsys, "score", *(str(folder / f"{number}.csv") for number in range(count)))
        assert status == 1
        assert err.count("0.csv") + err.count("1.csv") >= 2
        assert len(err) < 300


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-x", "@SUM(A1)"])
def test_cells_that_a_spreadsheet_would_run_are_noted(capsys: Capture, tmp_path: Path, cell: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"gold,pred\n{cell}x,1\nb,2\n")
    _, out, err = run(capsys, "table", str(path), "--format", "csv")
    assert f"{cell}x" in out
    assert f"{cell + 'x'!r} begins like a formula, which a spreadsheet runs" in err


def test_no_output_replaces_another_or_is_left_out(capsys: Capture, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("d.csv").write_text("class,cluster\na,1\na,2\nb,2\n")
    assert run(capsys, "table", "d.csv", "-q", "--save", "t.json", "-o", "cells.csv")[0] == 0
    assert Path("cells.csv").read_text().startswith("class,cluster,count")
    assert karat.Table.load("t.json").n == 3
    assert run(capsys, "merge", "t.json", "t.json", "--save", "sum.json", "-o", "scores.csv")[0] == 0
    assert karat.Table.load("sum.json").n == 6
    assert "ari" in Path("scores.csv").read_text()
    for asked in (["merge", "t.json", "-m", "ari"], ["table", "d.csv"]):
        status, _, told = run(capsys, *asked, "--save", "x.json", "-o", "./x.json")
        assert status == 1
        assert "--save and by --output" in told
        assert not Path("x.json").exists()
