"""karat app as a user starts it, what is sent to it, and the labels that reports are made of."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
import sys
from contextlib import closing
from typing import Any

GOLD = {f"d{i}": c for i, c in enumerate("aaaaaabbbbbbccccc")}
PRED = {f"d{i}": k for i, k in enumerate([1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 1, 1, 3, 3, 3, 2])}
OTHER = {**GOLD, "d0": "b"}
HOSTILE = [
    "<script>window.hacked = 1</script>", "</script><script>window.hacked = 1</script>", "<img src=x onerror=hacked=1>",
    "\"'><svg onload=hacked=1>", "{{ 7 * 7 }}{% raw %}", "javascript:hacked=1", "]]><!--", "a\x1b[31m\u202eb\u2028c",
]  # fmt: skip
TABLE = "id,gold,pred\n" + "".join(f"{item},{GOLD[item]},{PRED[item]}\n" for item in GOLD)


def body_of(files: dict[str, bytes], options: dict[str, str] | None = None) -> bytes:
    named = [{"name": name, "size": len(content)} for name, content in files.items()]
    head = json.dumps({"files": named, "options": options or {}}).encode()
    return f"{len(head):08x}".encode() + head + b"".join(files.values())


LIMITED = """
import sys
from karat import limits
from karat.cli import main
for given in sys.argv[1].split():
    name, most = given.split("=")
    setattr(limits, name, getattr(limits, name)._replace(most=int(most)))
sys.exit(main(["app", "--no-browser", *sys.argv[2:]]))
"""


class Server:
    """karat app as a user starts it."""

    def __init__(self, *arguments: str, limits: str = "", **options: Any) -> None:
        """limits: other limits than the app's own, such as APP_SECONDS=1."""
        start = ["-c", LIMITED, limits] if limits else ["-m", "karat", "app", "--no-browser"]
        command = [sys.executable, "-P", *start, *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.match(r"karat is at ((http://127\.0\.0\.1:(\d+))(/\?key=[\w-]{20,}))", line)
        assert found is not None, line
        self.address, self.origin, self.port, self.home = found[1], found[2], int(found[3]), found[4]
        page = self.ask("GET", self.home)[1]
        self.token = re.findall(r'data-token="([^"]+)"', page)[0]

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> tuple[int, str, dict[str, str]]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        with closing(connection):
            connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
            answer = connection.getresponse()
            return answer.status, answer.read().decode(), {key.lower(): value for key, value in answer.getheaders()}

    def report(self, body: bytes, **headers: str) -> tuple[int, str, dict[str, str]]:
        given = {"origin": self.origin, "x_karat_token": self.token, **headers}
        return self.ask("POST", "/report", body, **given)

    def end(self) -> tuple[int, str]:
        """Its status, and what it complained of."""
        self.process.send_signal(signal.SIGINT)
        told = self.process.communicate(timeout=20)[1]
        return self.process.returncode, told
