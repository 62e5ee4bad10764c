"""The server: for this machine only, for its own page only, and it keeps nothing."""

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
from karat.reports.app.questions import Arrival, Question, in_words_of_the_page
from karat.reports.app.workers import RefusedError, Workers
from karat.reports.pages import own, policy, rendered

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

T = TypeVar("T")

HOST = "127.0.0.1"
TOKEN = "x-karat-token"
BACKLOG = 16  # connections that are taken at a time, before the oldest make room


def application(port: int, limit: int, key: str, workers: Workers) -> Any:
    """The page and its answers, under the addresses of this machine and port, for who knows the key."""
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
            why = shown(f"karat failed ({type(problem).__name__}: {problem}); karat report may tell more.")
        return JSONResponse({"error": why}, status)

    routes = [Route("/", home), Route("/report", answer, methods=["POST"])]
    made = Starlette(routes=routes, exception_handlers=dict.fromkeys((404, 405, Exception), other))
    made.router.redirect_slashes = False
    return _guarded(made, hosts)


async def _answered(request: Request, limit: int, workers: Workers) -> bytes:
    """The page about what is asked; all that it takes is given back at every end, also when the client goes away."""
    with workers.place(), ExitStack() as held:
        arriving = held.enter_context(new_folder(_place(request, limit)))
        files, answer = (os.path.join(arriving, name) for name in ("files", "answer"))
        os.mkdir(files)
        os.mkdir(answer)
        question = await _received(request, limit, files)
        spill = held.enter_context(new_folder())
        return await _while_wanted(request, workers.report(question, answer, spill))


def _place(request: Request, limit: int) -> str | None:
    """Where files are kept: in memory, if there is room for them and as much again."""
    length = request.headers.get("content-length", "")
    size = min(int(length), limit) if length.isdigit() and len(length) < 20 else limit
    try:
        status = os.statvfs(MEMORY)
        fits = status.f_bavail * status.f_frsize > 2 * size and os.access(MEMORY, os.W_OK)
    except (OSError, AttributeError):
        fits = False
    return MEMORY if fits else None


async def _received(request: Request, limit: int, folder: str) -> Question:
    """The question, its files written to a folder; refused if it is too much, or comes too slowly."""
    from starlette.requests import ClientDisconnect

    most = limits.APP_BYTES._replace(most=limit)
    seconds = limits.APP_BODY_SECONDS.most
    try:
        length = request.headers.get("content-length", "")
        most.check(int(length) if length.isdigit() and len(length) < 20 else 0, "the files", TooMuchError)
        size = 0
        with closing(Arrival(folder)) as arrival:
            async with asyncio.timeout(seconds):
                async for part in request.stream():
                    size += len(part)
                    most.check(size, "the files", TooMuchError)
                    arrival.take(part)
            return arrival.question()
    except TooMuchError as problem:
        raise RefusedError(413, str(problem)) from None
    except TimeoutError:
        raise RefusedError(408, f"the files did not arrive within {seconds} seconds; send them again.") from None
    except ClientDisconnect:
        raise RefusedError(499, "nobody waits for it any more.") from None


class TooMuchError(KaratError):
    """More bytes than a request may have."""


async def _while_wanted(request: Request, work: Awaitable[T]) -> T:
    """What work gives; it is cancelled when the client goes away."""

    async def gone() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(gone())
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise RefusedError(499, "nobody waits for it any more.")
        return working.result()
    finally:
        working.cancel()
        leaving.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


def _guarded(inner: Any, hosts: set[str]) -> Any:
    """An application that answers under its own names only, with HEADERS on every answer, errors too."""
    from starlette.datastructures import Headers, MutableHeaders
    from starlette.responses import JSONResponse

    from karat.reports.app.connections import HEADERS

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


def _same_origin(request: Request, hosts: set[str], token: str) -> None:
    """Refuse other pages."""
    origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site", "same-origin")
    known = {f"http://{host}" for host in hosts}
    if origin not in known or site != "same-origin":
        raise RefusedError(403, "only karat's own page may ask; open it in the browser.")
    if not secrets.compare_digest(request.headers.get(TOKEN, "").encode(), token.encode()):
        raise RefusedError(403, "the page is older than the server; reload it.")


def serve(port: int = 0, limit: int = limits.APP_BYTES.most, *, ready: Callable[[str], None] | None = None) -> None:
    """Answer until a signal ends it; ready is called with the address."""
    try:
        import jinja2  # noqa: F401
        import uvicorn
        from starlette.applications import Starlette  # noqa: F401

        from karat.reports.app.connections import Connection
    except ImportError as problem:
        raise KaratError(f"the app needs {problem.name}, which is not installed; pip install 'karat[app]'.") from None
    for place in (None, MEMORY if os.access(MEMORY, os.W_OK) else None):
        own_folder(place)  # removes what a server that was killed has left
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
            ready(f"http://{HOST}:{chosen}/?key={key}")  # other users of this machine do not know it
        asyncio.run(_run(server, listening, workers))


async def _run(server: Any, listening: socket.socket, workers: Workers) -> None:
    """Serve until a signal ends it; uvicorn heeds Ctrl-C and SIGTERM, but not the end of the terminal."""
    heard: list[int] = []

    def end(number: int, _: object) -> None:
        heard.append(number)
        server.should_exit = True

    hangup = getattr(signal, "SIGHUP", None)
    if hangup is not None and current_thread() is main_thread() and signal.getsignal(hangup) is not signal.SIG_IGN:
        signal.signal(hangup, end)
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # it tells of each connection that it cannot take
    workers.prepare()
    try:
        await server.serve(sockets=[listening])
    finally:
        await workers.close()
    if heard:
        sys.exit(128 + heard[0])


def _listening(port: int) -> socket.socket:
    """A socket of this machine that nobody else on the network reaches."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen(BACKLOG)  # so that who is told the address is not refused
    except (OSError, OverflowError) as problem:
        listening.close()
        raise KaratError(f"port {port} cannot be had ({problem}); choose another, or leave it out.") from None
    return listening
