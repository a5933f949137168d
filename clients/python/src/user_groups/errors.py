"""Errors of calls."""

from __future__ import annotations

import email.message
import email.utils
import time
from typing import TYPE_CHECKING, Any, List, Optional

if TYPE_CHECKING:
    from .types import FieldIssue


class UserGroupsError(Exception):
    """A failed call. Its message says what to do, and never contains the API token or a group's token.

    ``code`` is the service's own, or ``unreachable`` (no response), ``timed_out`` (no response in time) or
    ``unexpected_answer`` (not from the service, such as a proxy's error page).
    """

    code: str
    #: HTTP status, if there was a response
    status: Optional[int]
    #: identifies the request in the service's log
    request_id: Optional[str]
    #: the refused fields, with the code ``invalid_fields``
    issues: "List[FieldIssue]"
    #: seconds to wait before the next attempt
    retry_after: Optional[int]

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: Optional[int] = None,
        request_id: Optional[str] = None,
        issues: "Optional[List[FieldIssue]]" = None,
        retry_after: Optional[int] = None,
    ) -> None:
        # Both arguments, so that the error can be pickled, for instance to pass it between processes.
        super().__init__(code, message)
        self.code = code
        self.status = status
        self.request_id = request_id
        self.issues = issues or []
        self.retry_after = retry_after

    def __str__(self) -> str:
        return str(self.args[1])


def error_of(status: int, headers: email.message.Message, answer: Any) -> UserGroupsError:
    """The error for a response; ``answer`` is its parsed JSON or None."""
    request_id = headers.get("X-Request-Id")
    retry_after = _seconds_of(headers.get("Retry-After"))
    error = answer.get("error") if isinstance(answer, dict) else None
    if isinstance(error, dict) and isinstance(error.get("code"), str) and isinstance(error.get("message"), str):
        return UserGroupsError(
            error["code"],
            error["message"],
            status=status,
            request_id=error.get("request_id"),
            issues=error.get("issues"),
            retry_after=retry_after,
        )
    message = (
        f"The response with status {status} is not from the user group service. "
        "Check the base URL, and any proxy in between."
    )
    return UserGroupsError(
        "unexpected_answer", message, status=status, request_id=request_id, retry_after=retry_after
    )


def _seconds_of(retry_after: Optional[str]) -> Optional[int]:
    """Parses Retry-After: a number of seconds, or a date."""
    if retry_after is None:
        return None
    if retry_after.isascii() and retry_after.isdigit():
        return int(retry_after)
    try:
        date = email.utils.parsedate_to_datetime(retry_after)
    except (TypeError, ValueError):
        return None
    return max(0, round(date.timestamp() - time.time()))
