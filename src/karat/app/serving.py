"""The server: for this machine only, for its own page only, and it keeps nothing."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from threading import Thread, current_thread, main_thread
from typing import TYPE_CHECKING, Any, TypeVar

from karat.app.answers import clean_up, report_of
from karat.app.questions import LIMIT, in_words_of_the_page, question_of
from karat.errors import KaratError
from karat.registry import list_measures
from karat.rendering import shown
from karat.reports.pages import own, policy, rendered

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

T = TypeVar("T")

HOST = "127.0.0.1"
TOKEN = "x-karat-token"
HEADERS = {
    "cache-control": "no-store", "x-content-type-options": "nosniff", "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin", "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
}  # fmt: skip


class _RefusedError(Exception):
    """A request that is not answered: its status, and why."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


def application(port: int, limit: int = LIMIT, key: str = "") -> Any:
    """The page and its answers, under the addresses of this machine and port, for who knows the key."""
    from starlette.applications import Starlette
    from starlette.requests import ClientDisconnect
    from starlette.responses import HTMLResponse, JSONResponse
    from starlette.routing import Route

    token = secrets.token_urlsafe(32)
    hosts = {f"{name}:{port}" for name in (HOST, "localhost")} | ({HOST, "localhost"} if port == 80 else set())
    page, rules = _page(token, limit)

    async def home(request: Request) -> Response:
        if not secrets.compare_digest(request.query_params.get("key", "").encode(), key.encode()):
            return JSONResponse({"error": "open the address that karat app has printed, with its key."}, 403)
        return HTMLResponse(page, headers={"content-security-policy": rules})

    async def answer(request: Request) -> Response:
        try:
            _same_origin(request, hosts, token)
            body = await _body(request, limit)
            found = await _aside(lambda: report_of(question_of(body)).html())
        except _RefusedError as problem:
            return JSONResponse({"error": str(problem)}, problem.status)
        except KaratError as problem:
            return JSONResponse({"error": shown(in_words_of_the_page(str(problem)))}, 422)
        except MemoryError:
            return JSONResponse({"error": "there is not enough memory; use karat report."}, 507)
        except ClientDisconnect:
            return JSONResponse({"error": "nobody waits for it any more."}, 499)
        except Exception as problem:
            why = f"karat failed ({type(problem).__name__}: {problem}); karat report may tell more."
            return JSONResponse({"error": shown(why)}, 500)
        return HTMLResponse(found)

    made = Starlette(routes=[Route("/", home), Route("/report", answer, methods=["POST"])])
    made.router.redirect_slashes = False
    return _guarded(made, hosts)


def _guarded(inner: Any, hosts: set[str]) -> Any:
    """An application that answers under its own names only, with HEADERS on every answer, errors too."""
    from starlette.datastructures import Headers, MutableHeaders
    from starlette.responses import JSONResponse

    async def guarded(scope: Any, receive: Any, send: Any) -> None:
        async def sent(message: Any) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        known = Headers(scope=scope).get("host") in hosts  # not a name that somebody else's server gave this machine
        refused = JSONResponse({"error": "this server answers under its own address only."}, 421)
        await (inner if known else refused)(scope, receive, sent)

    return guarded


def _page(token: str, limit: int) -> tuple[str, str]:
    """The page, and the policy under which it and the reports inside it run."""
    style, script = own("app.css"), own("app.js")
    styles, scripts = [own("style.css"), style], [own("report.js"), script]
    measures = list_measures()
    names, panel = [m.full_text for m in measures if m.better is not None], sum(m.panel for m in measures)
    known = {"token": token, "limit": limit, "measures": names, "panel": panel}
    page = rendered("app.html", app_style=style, app_script=script, **known)
    return page, f"{policy(styles, scripts)}; connect-src 'self'; frame-ancestors 'none'"


async def _aside(work: Callable[[], T]) -> T:
    """What work gives, in a thread that nobody waits for when the server ends."""
    loop = asyncio.get_running_loop()
    found: asyncio.Future[T] = loop.create_future()

    def tell(put: Callable[[Any], None], what: Any) -> None:
        with suppress(RuntimeError):  # if the server has ended
            loop.call_soon_threadsafe(lambda: None if found.done() else put(what))

    def run() -> None:
        try:
            result = work()
        except BaseException as problem:
            tell(found.set_exception, problem)
        else:
            tell(found.set_result, result)

    Thread(target=run, daemon=True).start()
    return await found


def _same_origin(request: Request, hosts: set[str], token: str) -> None:
    """Refuse other pages."""
    origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site", "same-origin")
    known = {f"http://{host}" for host in hosts}
    if origin not in known or site != "same-origin":
        raise _RefusedError(403, "only karat's own page may ask; open it in the browser.")
    if not secrets.compare_digest(request.headers.get(TOKEN, "").encode(), token.encode()):
        raise _RefusedError(403, "the page is older than the server; reload it.")


async def _body(request: Request, limit: int) -> bytes:
    """All that was sent, unless it is too much."""
    too_much = _RefusedError(
        413, f"the files have more than {limit / 1e6:,.0f} MB; use karat report on the command line."
    )
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > limit:
        raise too_much
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > limit:
            raise too_much
        parts.append(part)
    return b"".join(parts)


def serve(port: int = 0, limit: int = LIMIT, *, ready: Any = None) -> None:
    """Answer until interrupted, and end the program if it is at work; ready is called with the address."""
    try:
        import jinja2  # noqa: F401
        import uvicorn
        from starlette.applications import Starlette  # noqa: F401
    except ImportError as problem:
        raise KaratError(f"the app needs {problem.name}, which is not installed; pip install 'karat[app]'.") from None
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen(64)  # so that who is told the address is not refused
    except (OSError, OverflowError) as problem:
        listening.close()
        raise KaratError(f"port {port} cannot be had ({problem}); choose another, or leave it out.") from None
    with listening:
        chosen, key = listening.getsockname()[1], secrets.token_urlsafe(24)
        config = uvicorn.Config(
            application(chosen, limit, key), log_level="critical", access_log=False, lifespan="off",
            timeout_graceful_shutdown=1,
        )  # fmt: skip
        if ready is not None:
            ready(f"http://{HOST}:{chosen}/?key={key}")  # other users of this machine do not know it
        if hasattr(signal, "SIGHUP") and current_thread() is main_thread():  # the terminal is closed
            signal.signal(signal.SIGHUP, lambda *_: sys.exit(129))
        try:
            uvicorn.Server(config).run(sockets=[listening])
        finally:
            if clean_up():  # a thread still works, and Python's own end would break it off within compiled code
                sys.stdout.flush()
                os._exit(0)
