"""karat app under load: reports that are stopped, those that wait, and connections that never ask."""

from __future__ import annotations

import http.client
import json
import os
import resource
import signal
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

import karat
from app_server import TABLE, Server, body_of

GOOD = body_of({"both.csv": TABLE.encode()}, {"interval": "no"})
LABELS = "".join(f"{i % 97},{i % 89}\n" for i in range(5_000))
ENDLESS = body_of({"long.csv": f"gold,pred\n{LABELS}".encode()}, {"measures": "adjusted(purity, samples=1000000)"})
MEMORY = Path("/dev/shm")


@contextmanager
def serving(place: Path, limits: str = "") -> Iterator[Server]:
    """A server whose temporary files are in a place of its own; however it ends, it leaves nothing."""
    server = Server(limits=limits, env={**os.environ, "TMPDIR": str(place)})
    try:
        yield server
        server.end()
        assert not kept(server, place)
    finally:
        server.process.kill()
        server.process.communicate()


def kept(server: Server, place: Path) -> list[Path]:
    """What a server keeps in its temporary folders."""
    name = f"karat-{server.process.pid}-*"
    return [path for where in (place, MEMORY) for folder in where.glob(name) for path in (folder, *folder.rglob("*"))]


def ask(server: Server, body: bytes, *, all_but: int = 0) -> socket.socket:
    """Send a question, or all but some bytes of it, and do not wait for its answer."""
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=60)
    head = f"POST /report HTTP/1.1\r\nhost: 127.0.0.1:{server.port}\r\norigin: {server.origin}\r\n"
    head += f"x-karat-token: {server.token}\r\ncontent-length: {len(body)}\r\n\r\n"
    connection.sendall(head.encode() + body[: len(body) - all_but])
    return connection


def workers(server: Server) -> list[int]:
    """The processes that a server has started, those at work first."""
    tasks = Path(f"/proc/{server.process.pid}/task")
    return sorted(int(child) for task in tasks.iterdir() for child in (task / "children").read_text().split())


def at_work(server: Server, place: Path) -> int:
    """How many processes have files of a question."""
    return sum(path.name == "files" for path in kept(server, place))


def until(condition: Callable[[], bool]) -> None:
    """Wait for something that takes a moment; on a machine with much else to do, many."""
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def answered(connection: socket.socket) -> tuple[int, bytes]:
    """The status and the body of an answer."""
    with connection:
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        return answer.status, answer.read()


def test_cancelled_uploads_are_stopped_and_the_next_report_is_answered(tmp_path: Path) -> None:
    """Each of the five would take minutes; http.client waits for one."""
    with serving(tmp_path) as server:
        for _ in range(5):
            connection = ask(server, ENDLESS)
            until(lambda: at_work(server, tmp_path) > 0)
            connection.close()
        assert server.report(GOOD)[0] == 200
        until(lambda: at_work(server, tmp_path) == 0)
        until(lambda: len(workers(server)) == 1)  # the one that is ready for the next
        uploads = [ask(server, ENDLESS, all_but=100) for _ in range(5)]  # cancelled before they have arrived
        until(lambda: at_work(server, tmp_path) == 5)
        for upload in uploads:
            upload.close()
        assert server.report(GOOD)[0] == 200
        until(lambda: at_work(server, tmp_path) == 0)


def test_a_report_that_takes_too_long_is_ended_and_delays_no_other(tmp_path: Path) -> None:
    with serving(tmp_path, "APP_SECONDS=8") as server:
        endless = ask(server, ENDLESS)
        until(lambda: at_work(server, tmp_path) == 1)
        assert server.report(GOOD)[0] == 200
        answer = http.client.HTTPResponse(endless)
        answer.begin()
        assert answer.status == 504
        told = json.loads(answer.read())["error"]
        assert told == "the report takes more than 8 seconds; use karat report."
        endless.close()
        assert server.report(GOOD)[0] == 200


def test_a_report_that_takes_too_much_memory_is_ended(tmp_path: Path) -> None:
    labels = "".join(f"{i},{i * 7 % 600_011}\n" for i in range(600_011))  # few enough for Python to read
    with serving(tmp_path, "APP_MEMORY=100000000") as server:
        status, told, _ = server.report(body_of({"large.csv": f"gold,pred\n{labels}".encode()}))
        assert status == 507, told
        assert json.loads(told)["error"].startswith("the report needs more than 100 MB of memory")
        assert server.report(GOOD)[0] == 200


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_a_process_that_is_ended_from_outside_is_told(tmp_path: Path, number: signal.Signals) -> None:
    with serving(tmp_path) as server:
        until(lambda: len(workers(server)) == 1)
        (ready,) = workers(server)
        os.kill(ready, number)  # before it has a question, nobody notices
        until(lambda: not Path(f"/proc/{ready}").exists())
        assert server.report(GOOD)[0] == 200
        until(lambda: len(workers(server)) == 1)
        (ready,) = workers(server)
        endless = ask(server, ENDLESS)
        until(lambda: any(path.name == "started" for path in kept(server, tmp_path)))
        os.kill(ready, number)
        answer = http.client.HTTPResponse(endless)
        answer.begin()
        assert answer.status == 507
        assert f"or a file breaks its reader ({number.name}); use karat report." in json.loads(answer.read())["error"]
        endless.close()
        assert server.report(GOOD)[0] == 200


def test_a_process_that_is_killed_as_a_question_arrives_is_replaced(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        until(lambda: len(workers(server)) == 1)
        (ready,) = workers(server)
        os.kill(server.process.pid, signal.SIGSTOP)  # so that the server cannot know of it
        os.kill(ready, signal.SIGKILL)
        asked = ask(server, GOOD)
        os.kill(server.process.pid, signal.SIGCONT)
        assert answered(asked)[0] == 200


def test_processes_that_never_start_are_told_apart_from_those_without_memory(tmp_path: Path) -> None:
    (tmp_path / "duckdb.py").write_text(
        "import os, sys\nif 'karat.reports.app.working' in sys.orig_argv: os._exit(7)\n"
    )
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", str(Path(karat.__file__).parents[1]))])
    server = Server(env={**os.environ, "PYTHONPATH": path})
    try:
        status, told, _ = server.report(GOOD)
        assert (status, json.loads(told)["error"]) == (
            500, "no process for reports starts (status 7); start karat app again."
        )  # fmt: skip
    finally:
        server.end()


def test_a_client_that_has_said_all_is_answered(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        for body, wanted in ((GOOD, 200), (b"nonsense", 422)):
            asked = ask(server, body)
            asked.shutdown(socket.SHUT_WR)
            assert answered(asked)[0] == wanted
        endless = ask(server, ENDLESS)
        endless.shutdown(socket.SHUT_WR)
        until(lambda: at_work(server, tmp_path) == 1)
        endless.close()  # now it has gone
        until(lambda: at_work(server, tmp_path) == 0)


def test_forty_who_ask_at_once_are_all_answered(tmp_path: Path) -> None:
    body = body_of({"both.csv": b"gold,pred\n" + b"a,b\n" * 400_000})
    with serving(tmp_path, "APP_AT_WORK=1 APP_WAITING=0") as server, ask(server, ENDLESS):
        until(lambda: at_work(server, tmp_path) == 1)
        for _ in range(8):  # some connections were lost in most rounds
            with ThreadPoolExecutor(40) as many:
                statuses = Counter(status for status, *_ in many.map(server.report, [body] * 40))
            assert statuses == {503: 40}


def test_more_than_can_wait_are_refused_at_once(tmp_path: Path) -> None:
    with serving(tmp_path, "APP_AT_WORK=1 APP_WAITING=2") as server:
        asked = [ask(server, ENDLESS) for _ in range(3)]
        until(lambda: at_work(server, tmp_path) == 3)
        status, told, _ = server.report(GOOD)
        assert status == 503
        assert json.loads(told)["error"].startswith("3 reports are at work or wait, and 3 is the most")
        for connection in asked:
            connection.close()
        until(lambda: at_work(server, tmp_path) == 0)
        assert server.report(GOOD)[0] == 200


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 0), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_ends_the_server_at_work_and_nothing_is_left(tmp_path: Path, number: int, status: int) -> None:
    with serving(tmp_path) as server:
        asked = [ask(server, ENDLESS), ask(server, ENDLESS), ask(server, ENDLESS, all_but=9)]
        until(lambda: at_work(server, tmp_path) == 3 and len(workers(server)) == 3)
        found = workers(server)
        server.process.send_signal(number)
        assert server.process.wait(timeout=60) == status
        assert not kept(server, tmp_path)
        until(lambda: not any(Path(f"/proc/{pid}/stat").exists() for pid in found))
        for connection in asked:
            connection.close()


def test_what_a_killed_server_left_is_removed_when_the_next_one_starts(tmp_path: Path) -> None:
    killed = Server(env={**os.environ, "TMPDIR": str(tmp_path)})
    with ask(killed, ENDLESS), serving(tmp_path) as other, ask(other, ENDLESS):
        until(lambda: at_work(killed, tmp_path) == at_work(other, tmp_path) == 1)
        until(lambda: len(workers(killed)) == 2)
        found = workers(killed)
        killed.process.kill()
        killed.process.communicate()
        assert kept(killed, tmp_path)
        until(lambda: not any(Path(f"/proc/{pid}/stat").exists() for pid in found))  # they end by themselves
        with serving(tmp_path):
            assert not kept(killed, tmp_path)
            assert at_work(other, tmp_path) == 1  # which lives


def test_connections_that_ask_nothing_do_not_stop_answers(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (256, 256))
        connections = []
        for place in range(400):
            connection = socket.create_connection(("127.0.0.1", server.port), timeout=60)
            connection.sendall([b"", b"P", b"POST /report HTTP/1.1\r\n", b"GET / HTTP/1.1\r\nhost: x\r\n"][place % 4])
            connections.append(connection)
        assert server.ask("GET", server.home)[0] == 200
        assert server.report(GOOD)[0] == 200
        for connection in connections:
            connection.close()


def goes_on(connection: socket.socket) -> bool:
    """Whether a connection takes another byte."""
    try:
        return bool(connection.send(b"x"))
    except OSError:
        return False


def test_who_sends_half_a_question_gives_up_the_place_long_before_the_time_for_large_files(tmp_path: Path) -> None:
    with serving(tmp_path, "APP_HEADER_SECONDS=1 APP_BODY_SECONDS=3600 APP_WAITING=0") as server:
        halves = [ask(server, GOOD, all_but=1) for _ in range(2)]
        until(lambda: server.report(GOOD)[0] == 503)
        for half in halves:
            answer = http.client.HTTPResponse(half)
            answer.begin()
            assert answer.status == 408
            half.close()
        assert server.report(GOOD)[0] == 200


def test_who_sends_slowly_is_not_waited_for(tmp_path: Path) -> None:
    with serving(tmp_path, "APP_HEADER_SECONDS=1 APP_BODY_SECONDS=1") as server:
        silent, slow = (socket.create_connection(("127.0.0.1", server.port), timeout=60) for _ in range(2))
        slow.sendall(b"GET / HTTP/1.1\r\n")
        body = ask(server, GOOD, all_but=1)
        assert silent.recv(1) == b""
        until(lambda: not goes_on(slow))  # though it sends a byte now and then
        answer = http.client.HTTPResponse(body)
        answer.begin()
        assert answer.status == 408
        assert "did not arrive within 1 seconds" in json.loads(answer.read())["error"]
        for connection in (silent, slow, body):
            connection.close()
        assert server.report(GOOD)[0] == 200
