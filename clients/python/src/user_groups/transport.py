"""Sends calls, and retries them where that is safe."""

from __future__ import annotations

import http.client
import json
import random
import re
import socket
import ssl
import threading
import time
import urllib.parse
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Iterator, List, Mapping, Optional, Tuple, TypeVar

from .errors import UserGroupsError, error_of

#: makes a connection to the service, with a timeout in seconds for each of its operations
Connect = Callable[[float], http.client.HTTPConnection]

BULK_DEADLINE = 30.0
#: an export is silent while few of many groups match
STREAM_SILENCE = 600.0
FIRST_WAIT = 0.2
LONGEST_BACKOFF = 5.0
PIECE = 65_536
# The largest answers, in bytes: they can quote the rows of an import, whose file has at most 64 MiB.
MAX_ANSWER = 134_217_728
MAX_ERROR = 1_048_576
MAX_LINE = 16_777_216
FAILURES = (OSError, http.client.HTTPException)

T = TypeVar("T")


@dataclass(frozen=True)
class Settings:
    deadline: float = 5.0
    timeout: Optional[float] = None
    retries: int = 3


@dataclass(frozen=True)
class Call:
    method: str
    path: str
    #: whether it is safe to send twice; otherwise it is retried only after a refusal (429)
    repeatable: bool
    body: Optional[Mapping[str, Any]] = None
    query: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, Optional[str]] = field(default_factory=dict)
    is_bulk: bool = False
    #: seconds for which the service may hold an answer, added to the deadline and timeout
    held: float = 0
    #: whether an answer leaves work undone, so that the call is sent again
    is_unfinished: Callable[[Any], bool] = lambda _answer: False
    #: whether the answer gets its ``etag``
    is_tagged: bool = False


class Transport:
    def __init__(self, base_url: str, api_token: str, settings: Settings, connect: Optional[Connect]) -> None:
        url = _check_base_url(base_url)
        if not api_token:
            raise ValueError("api_token is empty")
        # http.client's own error about a header would quote the token.
        if not re.fullmatch(r"[!-~]+", api_token):
            raise ValueError("api_token must be visible ASCII characters")
        self._prefix = url.path.rstrip("/")
        self._authorization = f"Token {api_token}"
        self._settings = settings
        self._connect = connect or _connector(url)

    def with_settings(self, **changed: Any) -> Transport:
        other = object.__new__(Transport)
        other.__dict__.update(self.__dict__)
        other._settings = replace(self._settings, **changed)
        return other

    def get(self, path: str, query: Mapping[str, Any] = {}, held: float = 0) -> Any:
        return self.json(Call("GET", path, repeatable=True, query=query, held=held))

    def post(self, path: str, body: Mapping[str, Any], *, repeatable: bool = True, **call: Any) -> Any:
        return self.json(Call("POST", path, repeatable, body, **call))

    def post_tagged(self, path: str, body: Mapping[str, Any], *, repeatable: bool = True, **call: Any) -> Any:
        return self.json(Call("POST", path, repeatable, body, is_tagged=True, **call))

    def json(self, call: Call) -> Any:
        return self._repeat(call, self._ask_for_json)

    def text(self, call: Call) -> str:
        return self._repeat(call, self._ask_for_text)

    def lines(self, call: Call) -> Iterator[str]:
        connection, response = self._repeat(call, self._open)
        try:
            rest = b""
            while True:
                try:
                    piece = response.read1(PIECE)
                except FAILURES as error:
                    raise _failure(isinstance(error, socket.timeout), connection, error) from error
                if not piece:
                    break
                *lines, rest = (rest + piece).split(b"\n")
                for line in lines:
                    yield line.decode()
                if len(rest) > MAX_LINE:
                    raise UserGroupsError("unexpected_answer", "A line of the export is too long.")
            if rest or response.length:
                raise UserGroupsError("unreachable", "The connection closed before the end of the export.")
        finally:
            connection.close()

    def _ask_for_json(self, call: Call, timeout: float) -> Any:
        response, body = self._exchange(call, timeout)
        answer = _read_json(body)
        if response.status // 100 != 2 or not isinstance(answer, dict) or answer.get("success") != 1:
            raise error_of(response.status, response.headers, answer)
        return {**answer, "etag": response.headers.get("ETag", "")} if call.is_tagged else answer

    def _ask_for_text(self, call: Call, timeout: float) -> str:
        response, body = self._exchange(call, timeout)
        if response.status // 100 != 2 or body is None:
            raise error_of(response.status, response.headers, _read_json(body))
        return body.decode()

    def _open(self, call: Call, timeout: float) -> Tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        connection, sock, response = self._send(call, timeout)
        if response.status // 100 == 2:
            if sock and self._settings.timeout is None:
                sock.settimeout(STREAM_SILENCE)
            return connection, response
        with _closing(connection, timeout, sock):
            body = _read(response, MAX_ERROR)
        raise error_of(response.status, response.headers, _read_json(body))

    def _exchange(self, call: Call, timeout: float) -> Tuple[http.client.HTTPResponse, Optional[bytes]]:
        end = time.monotonic() + timeout
        connection, sock, response = self._send(call, timeout)
        with _closing(connection, max(0.001, end - time.monotonic()), sock):
            return response, _read(response, MAX_ANSWER if response.status // 100 == 2 else MAX_ERROR)

    def _send(
        self, call: Call, timeout: float
    ) -> Tuple[http.client.HTTPConnection, Optional[socket.socket], http.client.HTTPResponse]:
        headers = {"Authorization": self._authorization, "User-Agent": "user-groups-python"}
        body = None
        if call.body is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(call.body, allow_nan=False).encode()
        headers.update({name: value for name, value in call.headers.items() if value is not None})
        connection = self._connect(timeout)
        with _closing(connection, timeout, only_failed=True):
            connection.request(call.method, self._prefix + call.path + _written(call.query), body, headers)
            # Kept, because http.client drops it if the answer ends with the connection.
            sock: Optional[socket.socket] = connection.sock
            return connection, sock, connection.getresponse()

    def _repeat(self, call: Call, ask: Callable[[Call, float], T]) -> T:
        """Repeats a call after transient failures and unfinished answers; may return the last unfinished answer."""
        settings = self._settings
        deadline = max(settings.deadline, BULK_DEADLINE) if call.is_bulk else settings.deadline
        timeout = (deadline / 2 if settings.timeout is None else settings.timeout) + call.held
        end = time.monotonic() + deadline + call.held
        made = 0
        unfinished: List[T] = []
        while True:
            # Random, so that clients that failed together do not retry together.
            wait = random.random() * min(FIRST_WAIT * 2**made, LONGEST_BACKOFF)
            failure: Optional[UserGroupsError] = None
            try:
                answer = ask(call, min(timeout, max(0.001, end - time.monotonic())))
            except UserGroupsError as error:
                failure = error
                wait += error.retry_after or 0
            else:
                if not call.is_unfinished(answer):
                    return answer
                unfinished = [answer]
            is_over = made >= settings.retries or time.monotonic() + wait >= end
            if is_over or (failure is not None and not _can_pass(failure, call.repeatable)):
                if unfinished:
                    return unfinished[0]
                if failure is not None:
                    raise failure
            time.sleep(wait)
            made += 1


class _closing:
    """Closes a connection after an exchange, or once it takes too long; raises its failures as UserGroupsError."""

    def __init__(
        self,
        connection: http.client.HTTPConnection,
        timeout: float,
        sock: Optional[socket.socket] = None,
        only_failed: bool = False,
    ) -> None:
        self._connection = connection
        self._sock = sock
        self._only_failed = only_failed
        self._is_late = threading.Event()
        # The socket's own timeout applies to each operation, so an answer that trickles in would never end.
        self._timer = threading.Timer(timeout, self._cut)
        self._timer.daemon = True

    def __enter__(self) -> None:
        self._timer.start()

    def __exit__(self, kind: Any, error: Optional[BaseException], trace: Any) -> None:
        self._timer.cancel()
        is_late = self._is_late.is_set() or isinstance(error, socket.timeout)
        if error is not None or is_late or not self._only_failed:
            self._connection.close()
        # If the answer ends with the connection, cutting it off looks like success.
        if isinstance(error, FAILURES) or (error is None and is_late):
            raise _failure(is_late, self._connection, error) from error

    def _cut(self) -> None:
        self._is_late.set()
        sock: Optional[socket.socket] = self._sock or self._connection.sock
        if sock is not None:
            try:
                # Not the TLS socket's own shutdown, which would unset the object that the other thread is reading from.
                socket.socket.shutdown(sock, socket.SHUT_RDWR)
            except OSError:
                pass


def _failure(
    is_late: bool, connection: http.client.HTTPConnection, error: Optional[BaseException]
) -> UserGroupsError:
    if is_late:
        return UserGroupsError("timed_out", "No response in time.")
    address = f"{connection.host}:{connection.port}"
    known = str(error) if isinstance(error, OSError) else ""
    reason = known or "the connection failed, or closed before the response"
    return UserGroupsError("unreachable", f"Cannot reach the user group service at {address}: {reason}.")


def _can_pass(error: UserGroupsError, repeatable: bool) -> bool:
    if error.status == 429:
        return True
    return repeatable and (error.code in ("unreachable", "timed_out") or error.status == 503)


def _read(response: http.client.HTTPResponse, max_bytes: int) -> Optional[bytes]:
    """Reads a body; None if it is longer than any of the service."""
    body = bytearray()
    while True:
        piece = response.read(PIECE)
        if not piece:
            break
        body += piece
        if len(body) > max_bytes:
            return None
    # http.client reports a truncated body only if it is read in one call.
    if response.length:
        raise http.client.IncompleteRead(bytes(body), response.length)
    return bytes(body)


def _read_json(body: Optional[bytes]) -> Any:
    try:
        return json.loads(body or b"")
    except ValueError:
        return None


def _written(query: Mapping[str, Any]) -> str:
    # Names that Python reserves, such as from, have a trailing underscore.
    pairs = [
        (name.rstrip("_"), one)
        for name, value in query.items()
        if value is not None
        for one in ([value] if isinstance(value, (str, int)) else value)
    ]
    return "?" + urllib.parse.urlencode(pairs) if pairs else ""


def _check_base_url(base_url: str) -> urllib.parse.SplitResult:
    url = urllib.parse.urlsplit(base_url)
    is_valid = url.scheme in ("http", "https") and bool(url.hostname) and not (url.query or url.fragment)
    if not is_valid or "@" in url.netloc:
        raise ValueError("base_url must be the URL of the service, such as https://groups.example.com")
    return url


def _connector(url: urllib.parse.SplitResult) -> Connect:
    host = url.hostname or ""
    if url.scheme == "http":
        return lambda timeout: http.client.HTTPConnection(host, url.port, timeout=timeout)
    # Shared: http.client would make a context for each call, and read all certificates again, for tens of milliseconds.
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return lambda timeout: http.client.HTTPSConnection(host, url.port, timeout=timeout, context=context)
