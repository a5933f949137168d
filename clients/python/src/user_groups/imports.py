"""The calls for files of user groups."""

from __future__ import annotations

import base64
import time
from typing import Any, Dict, Iterator, Optional, Union

from .transport import Call, Transport
from .types import ImportAnswer, ImportList, ImportRow, ImportRows

#: bytes of each piece of a file but the last
PIECE_BYTES = 180_000
FIRST_LOOK = 0.1
LONGEST_LOOK = 2.0


class Imports:
    """The calls for files of user groups. Each raises :class:`UserGroupsError`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def upload(
        self,
        file: Union[bytes, str],
        file_name: str,
        *,
        mode: str = "upsert",
        max_deletions: Union[int, str, None] = None,
        patience: float = 600.0,
    ) -> ImportAnswer:
        """Sends a file (JSON lines or CSV, UTF-8) and waits until it is checked. Nothing changes before ``apply``."""
        content = file.encode() if isinstance(file, str) else file
        created = self.create(file_name, len(content), mode=mode, max_deletions=max_deletions)["import"]
        for n, at in enumerate(range(0, len(content), PIECE_BYTES)):
            self.send_piece(created["id"], n, content[at : at + PIECE_BYTES])
        return self.wait(created["id"], patience=patience)

    def create(
        self, file_name: str, size: int, *, mode: str = "upsert", max_deletions: Union[int, str, None] = None
    ) -> ImportAnswer:
        """Begins an import of a file of this size: send its pieces next."""
        body: Dict[str, Any] = {"file_name": file_name, "bytes": size, "mode": mode}
        if max_deletions is not None:
            body["max_deletions"] = max_deletions
        return self._json(Call("POST", "/api/imports", repeatable=False, body=body))

    def send_piece(self, import_id: int, n: int, piece: bytes) -> ImportAnswer:
        """Sends a piece of a file, of 180,000 bytes unless it is the last; ``n`` counts from 0."""
        body = {"content": base64.b64encode(piece).decode()}
        path = f"/api/imports/{import_id:d}/pieces/{n:d}"
        return self._json(Call("PUT", path, repeatable=True, body=body, is_bulk=True))

    def get(self, import_id: int) -> ImportAnswer:
        """An import and its figures."""
        return self._json(Call("GET", f"/api/imports/{import_id:d}", repeatable=True))

    def wait(self, import_id: int, *, patience: float = 600.0) -> ImportAnswer:
        """Waits while an import is being checked or applied, at most for so many seconds, and returns it."""
        end = time.monotonic() + patience
        pause = FIRST_LOOK
        while True:
            answer = self.get(import_id)
            if answer["import"]["state"] not in ("checking", "applying") or time.monotonic() >= end:
                return answer
            time.sleep(pause)
            pause = min(pause * 2, LONGEST_LOOK)

    def list(self) -> ImportList:
        """The newest imports of the environment."""
        return self._json(Call("GET", "/api/imports", repeatable=True))

    def rows(
        self, import_id: int, *, outcome: Optional[str] = None, after: int = 0, limit: int = 100
    ) -> ImportRows:
        """A page of what each row would do, or did."""
        query = {"outcome": outcome, "after": after, "limit": limit}
        return self._json(Call("GET", f"/api/imports/{import_id:d}/rows", repeatable=True, query=query))

    def iterate_rows(self, import_id: int, *, outcome: Optional[str] = None) -> Iterator[ImportRow]:
        """What each row would do, or did."""
        after: Optional[int] = 0
        while after is not None:
            page = self.rows(import_id, outcome=outcome, after=after)
            yield from page["rows"]
            after = page["next"]

    def failed(self, import_id: int) -> str:
        """The rows with errors as CSV."""
        return self._transport.text(Call("GET", f"/api/imports/{import_id:d}/failed", repeatable=True))

    def apply(self, import_id: int) -> ImportAnswer:
        """Begins to apply an import: ``wait`` for its end. The error can be ``too_many_deletions`` or ``conflict``."""
        return self._json(Call("POST", f"/api/imports/{import_id:d}/apply", repeatable=False, body={}))

    def cancel(self, import_id: int) -> ImportAnswer:
        """Ends an import; rows that were applied stay applied."""
        return self._json(Call("POST", f"/api/imports/{import_id:d}/cancel", repeatable=False, body={}))

    def undo(self, import_id: int) -> ImportAnswer:
        """Begins an import that gives the groups that another one changed what they had before: ``wait``, then ``apply``."""
        return self._json(Call("POST", "/api/imports/undo", repeatable=False, body={"import_id": import_id}))

    def _json(self, call: Call) -> Any:
        return self._transport.json(call)
