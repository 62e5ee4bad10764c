"""Limits on the duration and number of connections, which uvicorn does not have."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from karat import limits

TICK = 1.0  # seconds between checks of a connection
PROBE = 0.2  # seconds between probes of a half-closed connection
HEADERS = {
    "cache-control": "no-store", "x-content-type-options": "nosniff", "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin", "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
}  # fmt: skip


class Connection(H11Protocol):
    """A connection that is closed if its request is too slow, or if it is idle and there are too many."""

    def connection_made(self, transport: Any) -> None:
        """Start the timer; if there are too many connections, close the one that has been idle longest."""
        super().connection_made(transport)
        self.state, self.since = self.conn.their_state, self.loop.time()
        self.timer: asyncio.TimerHandle = self.loop.call_later(TICK, self._check)
        if len(self.connections) > limits.APP_CONNECTIONS.most:
            idle = [other for other in self.connections if isinstance(other, Connection) and other.asks_nothing]
            min(idle, key=lambda other: other.since).transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        self.timer.cancel()
        super().connection_lost(exc)

    def eof_received(self) -> bool:  # type: ignore[override]  # uvicorn's returns None, which closes the connection
        """Keep a half-closed connection open if it has a complete request, until that is answered."""
        waits = self.cycle is not None and not self.cycle.more_body and not self.cycle.response_complete
        if waits:
            self.cycle.keep_alive = False
            self._probe()
        return waits

    def _probe(self) -> None:
        """Send an interim response, which fails if the client has closed the connection altogether."""
        if self.transport.is_closing() or self.cycle.response_started:
            return
        if self.scope["http_version"] == "1.1":  # earlier versions have no interim responses
            interim = h11.InformationalResponse(status_code=100, headers=[], reason=b"Continue")
            self.transport.write(self.conn.send(interim) or b"")
        self.loop.call_later(PROBE, self._probe)

    @property
    def asks_nothing(self) -> bool:
        """Whether the connection has no complete request under way."""
        return self.conn.their_state in (h11.IDLE, h11.SEND_BODY)

    def _check(self) -> None:
        """Close the connection if it has been in one state for too long; the time to respond is not limited here."""
        state, now = self.conn.their_state, self.loop.time()
        if state is not self.state:
            self.state, self.since = state, now
        body = limits.APP_BODY_SECONDS.most + 5  # later than the application's own timeout, which sends a message
        allowed = {h11.IDLE: limits.APP_HEADER_SECONDS.most, h11.SEND_BODY: body}
        answered = self.cycle is not None and self.cycle.response_complete
        if now - self.since > allowed.get(state, body if answered else float("inf")):
            self.transport.abort()  # not close(), which waits until the client has read everything
        else:
            self.timer = self.loop.call_later(TICK, self._check)

    def send_400_response(self, msg: str) -> None:
        """Answer malformed HTTP with JSON, as for other errors."""
        if self.conn.our_state is not h11.IDLE and self.conn.our_state is not h11.SEND_RESPONSE:
            self.transport.close()
            return
        text = json.dumps({"error": "this is not a valid HTTP request; reload the page."}).encode()
        headers = {
            **HEADERS,
            "content-type": "application/json",
            "content-length": str(len(text)),
            "connection": "close",
        }
        head = h11.Response(status_code=400, headers=list(headers.items()), reason=b"Bad Request")
        for event in (head, h11.Data(data=text), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
