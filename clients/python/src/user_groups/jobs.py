"""The calls that change many user groups."""

from __future__ import annotations

import base64
import contextlib
import time
from typing import Any, Dict, Iterator, Optional, Union

from .errors import UserGroupsError
from .transport import Call, Transport
from .types import JobAnswer, JobList, JobRow, JobRows

#: bytes of each piece of a file except the last
PIECE_BYTES = 180_000
FIRST_LOOK = 0.1
LONGEST_LOOK = 2.0


class Jobs:
    """The calls that change many user groups. Each raises :class:`UserGroupsError`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def upload(
        self,
        file: Union[bytes, str],
        file_name: str,
        *,
        mode: str = "upsert",
        max_deletions: Union[int, str, None] = None,
        merge: bool = False,
        patience: float = 600.0,
    ) -> JobAnswer:
        """Sends a file (JSON lines or CSV, UTF-8) and waits until it is checked. Nothing changes before ``apply``.

        Cancels the job if a call fails.
        """
        content = file.encode() if isinstance(file, str) else file
        created = self.create(file_name, len(content), mode=mode, max_deletions=max_deletions, merge=merge)["job"]
        try:
            for n, at in enumerate(range(0, len(content), PIECE_BYTES)):
                self.send_piece(created["id"], n, content[at : at + PIECE_BYTES])
            return self.wait(created["id"], patience=patience)
        except BaseException:
            # Otherwise it would count as open for two days. The caller gets the first error.
            with contextlib.suppress(UserGroupsError):
                self.cancel(created["id"])
            raise

    def create(
        self,
        file_name: str,
        size: int,
        *,
        mode: str = "upsert",
        max_deletions: Union[int, str, None] = None,
        merge: bool = False,
    ) -> JobAnswer:
        """Starts an import of a file of this size; send its pieces next.

        With ``merge``, groups keep the members of mapping and properties that their row omits; null removes one.
        """
        body: Dict[str, Any] = {"kind": "import", "file_name": file_name, "bytes": size, "mode": mode, "merge": merge}
        if max_deletions is not None:
            body["max_deletions"] = max_deletions
        return self._transport.post("/api/jobs", body, repeatable=False)

    def change(self, mode: str, *, patience: float = 600.0, **change: Any) -> JobAnswer:
        """Starts a change of many groups and waits until it is checked, or with ``apply=True`` until it is done.

        ``user_group_ids``, ``team_ids`` or ``where`` (a list's ``search``, ``filter`` and so on) select the groups. The
        modes ``set``, ``merge``, ``rename`` and ``remove`` take ``mapping`` and ``properties``, ``suspend`` takes a
        ``reason``, and ``rotate`` takes ``overlap_seconds``.
        """
        body = {"kind": "change", "mode": mode, **change}
        created = self._transport.post("/api/jobs", body, repeatable=False, is_bulk=True)["job"]
        return self.wait(created["id"], patience=patience)

    def send_piece(self, job_id: int, n: int, piece: bytes) -> JobAnswer:
        """Sends a piece of a file, of 180,000 bytes unless it is the last; ``n`` counts from 0."""
        body = {"content": base64.b64encode(piece).decode()}
        path = f"/api/jobs/{job_id:d}/pieces/{n:d}"
        return self._transport.json(Call("PUT", path, repeatable=True, body=body, is_bulk=True))

    def get(self, job_id: int) -> JobAnswer:
        """Returns a job and its counts."""
        return self._transport.get(f"/api/jobs/{job_id:d}")

    def wait(self, job_id: int, *, patience: float = 600.0) -> JobAnswer:
        """Waits while a job is being checked or applied, at most ``patience`` seconds, and returns it."""
        end = time.monotonic() + patience
        pause = FIRST_LOOK
        while True:
            answer = self.get(job_id)
            if answer["job"]["state"] not in ("checking", "applying") or time.monotonic() >= end:
                return answer
            time.sleep(pause)
            pause = min(pause * 2, LONGEST_LOOK)

    def list(self) -> JobList:
        """Returns the open jobs of the environment, then the newest others."""
        return self._transport.get("/api/jobs")

    def rows(
        self, job_id: int, *, outcome: Optional[str] = None, after: int = 0, limit: int = 100
    ) -> JobRows:
        """Returns a page of the rows and what each would do, or did."""
        query = {"outcome": outcome, "after": after, "limit": limit}
        return self._transport.get(f"/api/jobs/{job_id:d}/rows", query)

    def iterate_rows(self, job_id: int, *, outcome: Optional[str] = None) -> Iterator[JobRow]:
        """The rows and what each would do, or did."""
        after: Optional[int] = 0
        while after is not None:
            page = self.rows(job_id, outcome=outcome, after=after)
            yield from page["rows"]
            after = page["next"]

    def failed(self, job_id: int) -> str:
        """Returns the rows with errors as CSV."""
        return self._transport.text(Call("GET", f"/api/jobs/{job_id:d}/failed", repeatable=True))

    def apply(self, job_id: int) -> JobAnswer:
        """Starts or continues applying a job: ``wait`` for its end.

        The error can be ``too_many_deletions`` or ``conflict``.
        """
        return self._transport.post(f"/api/jobs/{job_id:d}/apply", {}, repeatable=False)

    def cancel(self, job_id: int) -> JobAnswer:
        """Ends a job; rows that were applied stay applied."""
        return self._transport.post(f"/api/jobs/{job_id:d}/cancel", {}, repeatable=False)

    def undo(self, job_id: int, *, apply: bool = False) -> JobAnswer:
        """Starts a job that undoes another: ``wait``, then ``apply``; with ``apply=True`` it applies itself."""
        return self._transport.post(f"/api/jobs/{job_id:d}/undo", {"apply": apply}, repeatable=False)
