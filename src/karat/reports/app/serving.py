"""The server: reachable from the local machine only, answers its own page only, and stores nothing."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import signal
import socket
import sys
from collections.abc import Awaitable, Callable
from contextlib import ExitStack, closing
from threading import current_thread, main_thread
from typing import TYPE_CHECKING, Any, TypeVar

from karat import limits
from karat.errors import KaratError
from karat.machine.temporary import MEMORY, new_folder, own_folder
from karat.measures.registry import list_measures
from karat.output.layout import shown
from karat.reports.app.questions import READING, Arrival, Question, in_words_of_the_page
from karat.reports.app.workers import RefusedError, Workers
from karat.reports.pages import own, policy, rendered
from karat.scoring import MAIN
from karat.sources.files.registry import formats, titles
from karat.uncertainty.sampling import LEVEL

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

T = TypeVar("T")

HOST = "127.0.0.1"
TOKEN = "x-karat-token"
BACKLOG = 1024  # connections that may wait to be accepted; the system resets some if there are more


def application(port: int, limit: int, key: str, workers: Workers) -> Any:
    """The ASGI application: the page, for clients with the key, and its reports; local addresses only."""
    from starlette.applications import Starlette
    from starlette.responses import HTMLResponse, JSONResponse
    from starlette.routing import Route

    token = secrets.token_urlsafe(32)
    hosts = {f"{name}:{port}" for name in (HOST, "localhost")} | ({HOST, "localhost"} if port == 80 else set())
    page, rules = _page(token, limit)

    async def home(request: Request) -> Response:
        if not secrets.compare_digest(request.query_params.get("key", "").encode("utf-8", "replace"), key.encode()):
            return JSONResponse({"error": "open the address that karat app has printed, with its key."}, 403)
        return HTMLResponse(page, headers={"content-security-policy": rules})

    async def answer(request: Request) -> Response:
        try:
            _same_origin(request, hosts, token)
            return HTMLResponse(await _answered(request, limit, workers))
        except RefusedError as problem:
            return JSONResponse({"error": shown(str(problem))}, problem.status)
        except KaratError as problem:
            return JSONResponse({"error": shown(in_words_of_the_page(problem.sentence))}, 422)
        except OSError as problem:
            why = f"the server has no room for the files or the report ({problem.strerror}); use karat report."
            return JSONResponse({"error": why}, 507)

    async def other(_: Request, problem: Exception) -> Response:
        status = getattr(problem, "status_code", 500)
        why = "there is nothing here; open the address that karat app has printed."
        if status == 500:
            why = shown(f"karat failed ({type(problem).__name__}: {problem}); karat report may give details.")
        return JSONResponse({"error": why}, status)

    routes = [Route("/", home), Route("/report", answer, methods=["POST"])]
    app = Starlette(routes=routes, exception_handlers=dict.fromkeys((404, 405, Exception), other))
    app.router.redirect_slashes = False
    return _guarded(app, hosts)


async def _answered(request: Request, limit: int, workers: Workers) -> bytes:
    """The report on a request; its folders and place in the queue are always released."""
    with workers.place(), ExitStack() as stack:
        arriving = stack.enter_context(new_folder(_parent_folder(request, limit)))
        files, answer = (os.path.join(arriving, name) for name in ("files", "answer"))
        os.mkdir(files)
        os.mkdir(answer)
        question = await _received(request, limit, files)
        spill = stack.enter_context(new_folder())
        return await _while_wanted(request, workers.report(question, answer, spill))


def _parent_folder(request: Request, limit: int) -> str | None:
    """The folder for uploads: in memory if that has twice the room needed, else the default (None)."""
    length = request.headers.get("content-length", "")
    size = min(int(length), limit) if length.isdigit() and len(length) < 20 else limit
    try:
        status = os.statvfs(MEMORY)
        fits = status.f_bavail * status.f_frsize > 2 * size and os.access(MEMORY, os.W_OK)
    except (OSError, AttributeError):
        fits = False
    return MEMORY if fits else None


async def _received(request: Request, limit: int, folder: str) -> Question:
    """Receive a question and write its files to a folder; refuse it if it is too large or too slow."""
    from starlette.requests import ClientDisconnect

    most = limits.APP_BYTES._replace(most=limit)
    allowed = 0.0
    try:
        length = request.headers.get("content-length", "")
        most.check(int(length) if length.isdigit() and len(length) < 20 else 0, "the files", TooMuchError)
        size = 0
        with closing(Arrival(folder)) as arrival:
            started = asyncio.get_running_loop().time()
            async with asyncio.timeout(allowed := _allowed(0)) as clock:
                async for part in request.stream():
                    size += len(part)
                    most.check(size, "the files", TooMuchError)
                    arrival.take(part)
                    allowed = _allowed(size)
                    clock.reschedule(started + allowed)
            return arrival.question()
    except TooMuchError as problem:
        raise RefusedError(413, str(problem)) from None
    except TimeoutError:
        raise RefusedError(408, f"the files did not arrive within {allowed:.0f} seconds; send them again.") from None
    except ClientDisconnect:
        raise RefusedError(499, "the client has disconnected.") from None


def _allowed(size: int) -> float:
    """The seconds within which more must follow these bytes, so that a slow client gives up its place in the queue."""
    return min(limits.APP_BODY_SECONDS.most, limits.APP_HEADER_SECONDS.most + size / limits.APP_RATE)


class TooMuchError(KaratError):
    """The request has more bytes than allowed."""


async def _while_wanted(request: Request, work: Awaitable[T]) -> T:
    """Await work, but cancel it if the client disconnects."""

    async def gone() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(gone())
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise RefusedError(499, "the client has disconnected.")
        return working.result()
    finally:
        working.cancel()
        leaving.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


def _guarded(inner: Any, hosts: set[str]) -> Any:
    """Wrap an application: refuse foreign host names, and add HEADERS to every response."""
    from starlette.datastructures import Headers, MutableHeaders
    from starlette.responses import JSONResponse

    from karat.reports.app.connections import HEADERS

    async def guarded(scope: Any, receive: Any, send: Any) -> None:
        async def sent(message: Any) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        known = Headers(scope=scope).get("host") in hosts  # else DNS rebinding: a foreign name for this machine
        refused = JSONResponse({"error": "this server answers only under the address that karat app has printed."}, 421)
        await (inner if known else refused)(scope, receive, sent)

    return guarded


def _page(token: str, limit: int) -> tuple[str, str]:
    """The page, and the Content-Security-Policy for it and the reports in it."""
    style, script = own("app.css"), own("app.js")
    styles, scripts = [own("style.css"), style], [own("report.js"), script]
    measures = list_measures()
    names, panel = [m.full_text for m in measures if m.better is not None], sum(m.panel for m in measures)
    readable = titles([form for form in formats().values() if form.endings])
    known = {"token": token, "limit": limit, "measures": names, "panel": panel, "formats": readable, "reading": READING}
    known |= {"main": MAIN, "level": f"{100 * LEVEL:g}%"}
    page = rendered("app.html", app_style=style, app_script=script, **known)
    return page, f"{policy(styles, scripts)}; connect-src 'self'; frame-ancestors 'none'"


def _same_origin(request: Request, hosts: set[str], token: str) -> None:
    """Raise RefusedError for requests of other pages."""
    origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site", "same-origin")
    known = {f"http://{host}" for host in hosts}
    if origin not in known or site != "same-origin":
        raise RefusedError(403, "only karat's own page may ask; open it in the browser.")
    if not secrets.compare_digest(request.headers.get(TOKEN, "").encode(), token.encode()):
        raise RefusedError(403, "the page is older than the server; reload it.")


def serve(port: int = 0, limit: int = limits.APP_BYTES.most, *, ready: Callable[[str], None] | None = None) -> None:
    """Run the server until a signal; ready is called with the address. limit: bytes of a request."""
    try:
        import jinja2  # noqa: F401
        import uvicorn
        from starlette.applications import Starlette  # noqa: F401

        from karat.reports.app.connections import Connection
    except ImportError as problem:
        raise KaratError(f"the app needs {problem.name}, which is not installed; pip install 'karat[app]'.") from None
    for parent in (None, MEMORY if os.access(MEMORY, os.W_OK) else None):
        own_folder(parent)  # removes what a killed server has left
    with _listening(port) as listening:
        chosen, key = listening.getsockname()[1], secrets.token_urlsafe(24)
        workers = Workers(max(1, limit / limits.APP_BYTES.most))
        config = uvicorn.Config(
            application(chosen, limit, key, workers), log_level="critical", access_log=False, lifespan="off",
            http=Connection, ws="none", loop="asyncio", timeout_graceful_shutdown=1,
            timeout_keep_alive=limits.APP_HEADER_SECONDS.most,
            backlog=BACKLOG,
        )  # fmt: skip
        server = uvicorn.Server(config)
        if ready is not None:
            ready(f"http://{HOST}:{chosen}/?key={key}")  # the key keeps out other users of this machine
        asyncio.run(_run(server, listening, workers))


async def _run(server: Any, listening: socket.socket, workers: Workers) -> None:
    """Serve until a signal ends the server; uvicorn handles SIGINT and SIGTERM, but not SIGHUP."""
    received: list[int] = []

    def end(number: int, _: object) -> None:
        received.append(number)
        server.should_exit = True

    hangup = getattr(signal, "SIGHUP", None)
    if hangup is not None and current_thread() is main_thread() and signal.getsignal(hangup) is not signal.SIG_IGN:
        signal.signal(hangup, end)
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # logs each refused connection
    workers.prepare()
    try:
        await server.serve(sockets=[listening])
    finally:
        await workers.close()
    if received:
        sys.exit(128 + received[0])


def _listening(port: int) -> socket.socket:
    """A socket that listens on the loopback interface only."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen(BACKLOG)  # before the address is printed, so that no client is refused
    except (OSError, OverflowError) as problem:
        listening.close()
        raise KaratError(f"port {port} is not available ({problem}); choose another, or omit it.") from None
    return listening
