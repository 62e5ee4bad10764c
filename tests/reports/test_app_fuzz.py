"""karat app asked at random: whatever arrives, an answer of a documented status, and the next question is answered."""

from __future__ import annotations

import gzip
import http.client
import json
import random
import socket
from collections.abc import Iterator

import pytest

from app_server import TABLE, Server, body_of
from shared import enough

STATUSES = {200, 400, 403, 404, 405, 408, 413, 421, 422, 503, 504, 507}
NAMES = [
    "both.csv",
    "a.parquet",
    "x.npy",
    "t.json",
    "h.h5ad",
    "f.arrow",
    "g.csv.gz",
    "l.labels",
    "k.key",
    "../\0",
    "é" * 300,
    "",
    "-",
    "*",
]
WORDS = [
    "",
    "gold",
    "pred",
    "id",
    "\0",
    "\ud800",
    "../../etc/passwd",
    "%00",
    "1e309",
    "-1",
    "nan",
    "drop",
    "singletons",
    "'\";<script>",
]
MEASURES = [
    "ari",
    "v_measure(beta=1e308)",
    "os:system",
    "adjusted(" * 9,
    "nmi(norm=max)",
    ",",
    "(" * 3000,
    "p" * 3000,
    "a\u202eri",
]
OPTIONS = [
    "gold",
    "pred",
    "id",
    "missing",
    "noise",
    "noise_as",
    "improve",
    "beta",
    "interval",
    "title",
    "measures",
    "memory",
]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    started = Server("--limit", "1", limits="APP_SECONDS=30 APP_BODY_SECONDS=2")
    yield started
    assert started.end() == (0, "")


def content(draw: random.Random) -> bytes:
    """What a file may hold: labels, labels that were damaged, or anything."""
    kinds = [
        TABLE.encode(),
        gzip.compress(TABLE.encode()),
        b"PAR1" + draw.randbytes(60) + b"PAR1",
        b"\x93NUMPY\x01\x00",
        b"{}",
    ]
    found = bytearray(
        draw.choice([*kinds, *[TABLE.encode()] * 6, b"ARROW1\0\0", b"\x89HDF\r\n\x1a\n", b"", draw.randbytes(200)])
    )
    for _ in range(draw.choice([0, 0, 0, 1, 5])):
        if found:
            found[draw.randrange(len(found))] = draw.randrange(256)
    return bytes(found[: draw.choice([len(found), len(found), draw.randrange(len(found) + 1)])])


def body(draw: random.Random) -> bytes:
    """A question, often a wrong one."""
    files = {draw.choice([*NAMES, *["all.csv"] * 10]): content(draw) for _ in range(draw.choice([1, 1, 2, 3]))}
    options = {draw.choice(OPTIONS): draw.choice(WORDS) for _ in range(draw.choice([0, 0, 0, 1, 3]))}
    if draw.random() < 0.3:
        options["measures"] = draw.choice(MEASURES)
    found = body_of(files, options)
    how = draw.randrange(20)
    if how == 0:
        return found[: draw.randrange(len(found) + 1)]
    if how == 1:
        return draw.randbytes(draw.randrange(300))
    if how == 2:
        return b"%08x" % draw.choice([0, 1, 10**6, 2**32 - 1]) + found[8:]
    return found + draw.randbytes(3) if how == 3 else found


def request(draw: random.Random, server: Server) -> bytes:
    """The bytes of a request, some of whose lines are wrong."""
    sent = body(draw)
    method = draw.choice([b"POST"] * 60 + [b"GET", b"PUT", b"\xff", b""])
    path = draw.choice([b"/report"] * 60 + [b"/", b"*", b"/\xff", b"/%ff%00", b"http://x"])
    length = len(sent)
    odd = [b"-1", b"9" * 30, b"%d" % (length // 2), b"%d" % (length + 5), b"1\r\ntransfer-encoding: gzip"]
    lines = [
        b"%s %s HTTP/1.1" % (method, path),
        b"host: " + draw.choice([b"127.0.0.1:%d" % server.port] * 60 + [b"evil.example", b"\0", b"y" * 70_000]),
        b"origin: " + draw.choice([server.origin.encode()] * 30 + [b"null"]),
        b"x-karat-token: " + draw.choice([server.token.encode()] * 30 + [b"\xfc"]),
        b"connection: " + draw.choice([b"close"] * 4 + [b"upgrade\r\nupgrade: websocket"]),
        b"content-length: " + draw.choice([b"%d" % length] * 60 + odd),
    ]
    return b"\r\n".join(lines) + b"\r\n\r\n" + sent


@pytest.mark.parametrize("seed", range(enough(160)))
def test_whatever_is_asked_is_answered(server: Server, seed: int) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=90) as connection:
        connection.sendall(request(random.Random(seed), server))
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        text = answer.read().decode()
    assert answer.status in STATUSES, text
    assert answer.headers["x-content-type-options"] == "nosniff"
    if answer.status == 200:
        assert text.lower().startswith("<!doctype html>")
    else:
        assert json.loads(text)["error"].endswith(".")
        assert "Traceback" not in text


def test_a_good_question_is_answered_afterwards(server: Server) -> None:
    assert server.report(body_of({"both.csv": TABLE.encode()}))[0] == 200
