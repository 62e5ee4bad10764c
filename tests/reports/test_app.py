"""karat app: who may ask, what it answers, and that it keeps nothing."""

from __future__ import annotations

import gzip
import http.client
import json
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import karat
from app_server import GOLD, HOSTILE, PRED, TABLE, Server, body_of
from karat.cli import main
from karat.reports.app import answers
from karat.reports.app.questions import Arrival, Question


def question_of(body: bytes, folder: Path) -> Question:
    """The question of a body that comes in three parts."""
    arrival = Arrival(str(folder))
    try:
        for part in (body[:5], body[5:50], body[50:]):
            arrival.take(part)
        return arrival.question()
    finally:
        arrival.close()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    started = Server("--limit", "1")
    yield started
    assert started.end() == (0, "")


def test_the_page_is_under_a_strict_policy(server: Server) -> None:
    status, page, headers = server.ask("GET", server.home)
    assert status == 200
    assert "How close is a clustering to gold?" in page
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["cache-control"] == "no-store"
    assert headers["x-frame-options"] == "DENY"


def test_files_give_their_report(server: Server) -> None:
    files = {"both.csv": TABLE.encode()}
    status, page, headers = server.report(body_of(files, {"measures": "v_measure,ari", "beta": "2", "title": "Mine"}))
    assert status == 200
    assert headers["cache-control"] == "no-store"
    assert "<title>Mine</title>" in page
    assert f"{karat.v_measure(beta=2)(GOLD, PRED):.4f}" in page
    assert "karat report both.csv --title=Mine --measures &#39;v_measure(beta=2),ari&#39;" in page
    assert "/karat-" not in page  # no folder of ours


def test_pasted_labels_give_their_report(server: Server) -> None:
    texts = {"gold.labels": "\n".join(GOLD.values()), "pasted.labels": "\n".join(map(str, PRED.values()))}
    files = {name: text.encode() for name, text in texts.items()}
    status, page, _ = server.report(body_of(files, {"interval": "no"}))
    assert status == 200
    assert "17 items in 3 classes and 3 clusters" in page
    assert "95% interval" not in page


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"sec_fetch_site": "cross-site"}, 403),
        ({"x_karat_token": "guessed"}, 403),
        ({"x_karat_token": "ü"}, 403),
        ({"host": "evil.example"}, 421),
        ({"host": "127.0.0.1"}, 421),
    ],
)
def test_others_are_refused(server: Server, headers: dict[str, str], status: int) -> None:
    found, text, _ = server.report(body_of({"both.csv": TABLE.encode()}), **headers)
    assert found == status
    assert json.loads(text)["error"].endswith(".")


def test_other_hosts_do_not_see_the_page(server: Server) -> None:
    status, page, _ = server.ask("GET", server.home, host=f"evil.example:{server.port}")
    assert status == 421
    assert server.token not in page
    assert server.ask("GET", server.home, host=f"localhost:{server.port}")[0] == 200
    assert server.ask("GET", "/report")[0] == 405
    assert server.ask("GET", "/../../etc/passwd")[0] == 404


def test_too_much_is_refused(server: Server) -> None:
    status, text, _ = server.report(body_of({"big.csv": b"x" * 1_000_001}))
    assert status == 413
    assert "but 1,000,000 is the most" in text


@pytest.mark.parametrize(
    ("files", "options", "message"),
    [
        ({"one.csv": b"a,b,c\n1,2,3\n"}, {}, "say which is which"),
        ({"both.csv": TABLE.encode()}, {"measures": "os:system"}, "names a function"),
        ({"both.csv": TABLE.encode()}, {"improve": "os:getcwd"}, "names a function"),
        ({"both.csv": TABLE.encode()}, {"improve": "ari,vi"}, "give one to improve"),
        ({"a.csv.gz": gzip.compress(b"a,b\n" * 30_000_000, 1)}, {}, "more than 100,000,000 bytes once unpacked"),
        (
            {"a.csv.gz": gzip.compress(b"a,b\n") + gzip.compress(b"a,b\n" * 30_000_000, 1)},
            {},
            "more than 100,000,000 bytes once unpacked",
        ),
        ({"a.zip": b"PK"}, {}, "decompress it"),
        ({f"{i}.csv": b"x" for i in range(41)}, {}, "the question: 41 files, but 40 is the most"),
        ({"both.csv": TABLE.encode()}, {"measures": "no_such"}, "no_such"),
        ({"both.csv": TABLE.encode()}, {"beta": "-1"}, "give a number above 0"),
        ({"both.csv": TABLE.encode()}, {"missing": "rm -rf"}, "missing"),
        ({"bad.parquet": b"PAR1 no"}, {}, "cannot be read"),
        ({"gold.csv": b"id,class\n1,a\n", "pred.csv": b"id,cluster\n2,x\n"}, {}, "only 'pred.csv' has '2'"),
        ({}, {}, "there are no labels yet"),
    ],
)
def test_mistakes_are_told_in_one_sentence(
    files: dict[str, bytes], options: dict[str, str], message: str, tmp_path: Path
) -> None:
    with pytest.raises(karat.KaratError, match=re.escape(message)) as told:
        answers.report_of(question_of(body_of(files, options), tmp_path))
    assert str(tmp_path) not in str(told.value)


@pytest.mark.parametrize(
    "body",
    [
        b"", b"zzzzzzzz", b"00000002{}", b"ffffffff{}", b"00000005[1,2]", body_of({"a.csv": b"x"})[:-1],
        body_of({"a.csv": b"x"}) + b"y", body_of({"a.csv": b"x"}, {"memory": "9TB"}), b"00000fff" + b"[" * 4095,
    ],
)  # fmt: skip
def test_what_the_page_would_not_send_is_refused(body: bytes, tmp_path: Path) -> None:
    with pytest.raises(karat.KaratError, match=r"reload it|send them again|shorten them"):
        question_of(body, tmp_path)


def test_names_of_files_are_harmless(tmp_path: Path) -> None:
    names = [
        "../../etc/passwd",
        "..\\..\\boot.ini",
        "a*b?[c].csv",
        ".",
        "",
        "x" * 999 + ".csv",
        "a.csv",
        "a.csv",
        *HOSTILE,
    ]
    contents = [f"{place}\n".encode() for place in range(len(names))]
    sizes = [len(content) for content in contents]
    head = json.dumps({"files": [{"name": n, "size": s} for n, s in zip(names, sizes, strict=True)], "options": {}})
    kept = question_of(f"{len(head.encode()):08x}{head}".encode() + b"".join(contents), tmp_path).names
    assert [(tmp_path / name).read_bytes() for name in kept] == contents
    assert len(set(kept)) == len(kept)
    for name in kept:
        assert Path(name).name == name
        assert name not in ("", ".", "..")
        assert not set(name) & set("*?[]<>\"'/\\\n\x1b")
        assert len(name.encode()) <= 210
    assert "a.csv" in kept
    assert "a-2.csv" in kept


def test_what_nobody_thought_of_is_told_too(server: Server) -> None:
    status, text, _ = server.report(body_of({"one.csv": b"gold,pred\n1,1\n"}, {"title": "\ud800"}))
    assert status == 200
    assert "1 item in 1 class and 1 cluster" in text
    head = b'{"files":[{"name":"a","size":1e999}],"options":{}}'
    assert server.report(f"{len(head):08x}".encode() + head)[0] == 422


def test_it_ends_while_it_works() -> None:
    started = Server()
    rows = "".join(f"{i % 997},{i % 1009}\n" for i in range(300_000))
    body = body_of({"long.csv": f"gold,pred\n{rows}".encode()})
    connection = http.client.HTTPConnection("127.0.0.1", started.port, timeout=60)
    token = {"origin": started.origin, "x-karat-token": started.token}
    connection.request("POST", "/report", body, token)
    time.sleep(0.5)
    began = time.monotonic()
    assert started.end()[0] == 0
    assert time.monotonic() - began < 10
    connection.close()


def test_the_command_on_the_page_does_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = {"noise": "3", "noise_as": "singletons", "measures": "ari"}
    asked = Question(("both.csv",), options, str(tmp_path))
    command = answers.command_of(asked)
    assert command == "karat report both.csv --noise=3 --noise-as=singletons --measures ari"
    (tmp_path / "both.csv").write_text(TABLE)
    monkeypatch.chdir(tmp_path)
    assert main([*command.split()[1:], "-q"]) == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    ours = answers.report_of(asked).html()
    made = [[line for line in text.split("\n") if "measures:" in line] for text in (page, ours)]
    assert made[0] == made[1] != []


def test_a_port_that_is_taken_is_told(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["app", "--port", str(server.port), "--no-browser"]) == 1
    assert f"port {server.port} is not available" in capsys.readouterr().err


def test_without_its_libraries_the_app_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert main(["app"]) == 1
    assert "pip install 'karat[app]'" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="only Linux tells who listens")
def test_nobody_else_on_the_network_is_answered(server: Server) -> None:
    """It listens on this machine's own address only."""
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    places = [line.split()[1] for line in lines if line.split()[3] == "0A"]  # that listen
    assert [place for place in places if place.endswith(f":{server.port:04X}")] == [f"0100007F:{server.port:04X}"]


def test_another_user_of_this_machine_who_does_not_know_the_key_gets_nothing(server: Server) -> None:
    for path in ("/", "/?key=", "/?key=guessed", f"{server.home}x", "/?token=1"):
        status, page, headers = server.ask("GET", path)
        assert status == 403
        assert "data-token" not in page
        assert "open the address that karat app has printed" in page
        assert headers["cache-control"] == "no-store"
    other = Server()
    assert other.home != server.home
    assert other.end() == (0, "")


@pytest.mark.parametrize("path", ["/", "/report", "/report/", "/nowhere", "/%2e%2e/etc"])
@pytest.mark.parametrize("method", ["GET", "POST", "PUT"])
def test_every_answer_is_guarded(server: Server, path: str, method: str) -> None:
    for host in (f"127.0.0.1:{server.port}", f"evil.example:{server.port}", "evil.example"):
        status, page, headers = server.ask(method, path, host=host)
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert "location" not in headers
        assert "data-token" not in page
        if "evil" in host:
            assert status == 421


@pytest.mark.parametrize("value", ["x" * 50_000, "\x01" * 50_000, "'" * 50_000])
def test_messages_are_short_whatever_was_asked(value: str, server: Server) -> None:
    for option in ("noise", "noise_as", "missing", "gold", "pred", "id", "beta", "improve", "measures"):
        status, answer, _ = server.report(body_of({"both.csv": TABLE.encode()}, {option: value}))
        assert status == 422
        assert len(json.loads(answer)["error"]) < 300
