"""The calls of a user group service."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Generator, Iterator, Mapping, Optional, Sequence, TypedDict

from .events import EventFeed
from .fields import in_parts, with_ids, without_none
from .group_calls import GroupCalls, once
from .jobs import Jobs
from .transport import Call, Connect, Settings, Transport
from . import types as api

if TYPE_CHECKING:
    from typing_extensions import Unpack

MAX_PAGE = 500
MAX_ENTRIES = 200


class _Options(TypedDict, total=False):
    deadline: float
    timeout: Optional[float]
    retries: int


class UserGroupsClient(GroupCalls):
    """The calls of a user group service, for the environment of one API token.

    Each raises :class:`UserGroupsError`. Several threads can share a client. Keywords that a call does not name are
    parameters of the API. None omits a query's parameter; as ``properties`` it clears them.

    :param base_url: URL of the service, such as ``https://groups.example.com``
    :param deadline: seconds for a call, all its attempts included; at least 30 for batches and pieces of imports.
        ``wait`` of events is added
    :param timeout: seconds for one attempt; half of the deadline by default
    :param retries: retries after a transient failure
    :param connect: makes a connection (``http.client``) with a timeout, for example through a proxy
    :raises ValueError: when the base URL or the API token is invalid
    """

    #: imports and other changes of many user groups
    jobs: Jobs

    def __init__(
        self,
        base_url: str,
        api_token: str,
        *,
        deadline: float = 5.0,
        timeout: Optional[float] = None,
        retries: int = 3,
        connect: Optional[Connect] = None,
    ) -> None:
        settings = Settings(deadline=deadline, timeout=timeout, retries=retries)
        self._use(Transport(base_url, api_token, settings, connect))

    def with_options(self, **changed: Unpack[_Options]) -> UserGroupsClient:
        """The same client with another ``deadline``, ``timeout`` or ``retries``, for example for one call."""
        other = object.__new__(UserGroupsClient)
        other._use(self._transport.with_settings(**changed))
        return other

    def _use(self, transport: Transport) -> None:
        self._transport = transport
        self.jobs = Jobs(transport)

    def replace_api_token(self, overlap_seconds: int) -> api.ReplacedApiToken:
        """Replaces the client's API token. Store the answer: the new value is shown only once.

        The old value stays valid for ``overlap_seconds``, 3600 to 604800, and this client keeps using it: create
        another client with the new value. The error is ``conflict`` when the token was replaced before.
        """
        return self._transport.post("/api/api-tokens/replace", {"overlap_seconds": overlap_seconds}, repeatable=False)

    def revocations(self, since: Optional[str] = None) -> api.Revocations:
        """Returns the revocations of viewer tokens since ``next_since`` of an earlier answer."""
        return self._transport.get("/api/revocations", {"since": since})

    def iterate_revocations(self, since: Optional[str] = None) -> Generator[api.Revocation, None, str]:
        """Each revocation up to now; the generator returns where the next call continues."""
        while True:
            page = self.revocations(since)
            yield from page["revocations"]
            since = page["next_since"]
            if not page["has_more"]:
                return since

    def list(self, **query: Unpack[api.GroupListQuery]) -> api.GroupList:
        """Returns a page of groups.

        ``filter`` lists conditions on properties, ``property:op:JSON value``, as in ``plan:is:"pro"``, and findings, as
        in ``plan:missing``.

        :raises ValueError: for an empty list of ids
        """
        return self._transport.get("/api/user-groups", with_ids(query))

    def iterate(self, **query: Unpack[api.GroupListQuery]) -> Iterator[api.ListedGroup]:
        """Every group that matches, in order of ``team_id``.

        A group that exists during the whole iteration comes exactly once. Any number of ids can be given; unknown ones
        are skipped. ``limit`` is the size of a page.
        """
        ids, numbers = query.get("user_group_id"), query.get("team_id")
        parts: Iterator[Dict[str, Any]] = iter([{}])
        if ids is not None:
            parts = ({"user_group_id": part} for part in in_parts(ids))
        elif numbers is not None:
            parts = ({"team_id": part} for part in in_parts(numbers))
        for part in parts:
            for page in self._pages("/api/user-groups", with_ids({"limit": MAX_PAGE, **query, **part})):
                yield from page["user_groups"]

    def history(self, **query: Unpack[api.HistoryQuery]) -> api.History:
        """Returns a page of the history, newest first; ``from_`` and ``to`` are times (RFC 3339)."""
        return self._transport.get("/api/user-groups/history", query)

    def iterate_history(self, **query: Unpack[api.HistoryQuery]) -> Iterator[api.HistoryEntry]:
        """The entries of the history, newest first."""
        for page in self._pages("/api/user-groups/history", {"limit": MAX_ENTRIES, **query}):
            yield from page["entries"]

    def events(self, after: Optional[str] = None, **query: Unpack[api.EventsQuery]) -> api.Events:
        """Returns a page of the events after ``next_cursor`` of an earlier page, oldest first.

        Without ``after`` the feed starts at the oldest event; ``latest`` is its end. ``types`` are, for example,
        ``user_group.created`` or ``user_group.*``. ``wait`` is how many seconds to wait for an event, at most 30.
        ``include="states"`` adds what was changed. The error is ``cursor_gone`` when the cursor's event was lost.
        """
        return self._transport.get("/api/events", {"after": after, **query}, held=query.get("wait") or 0)

    def iterate_events(self, after: Optional[str] = None, **query: Unpack[api.EventsQuery]) -> EventFeed:
        """Every event after a cursor, oldest first: up to now, or forever with ``wait``.

        Each page is a call. Read the feed's ``cursor`` to continue later.
        """
        query.setdefault("limit", MAX_PAGE)
        return EventFeed(lambda place: self.events(place, **query), after, ends=not query.get("wait"))

    def usage(self, **query: Unpack[api.UsageQuery]) -> api.Usage:
        """How often tokens were minted or checked on each day. Days are in UTC, as in ``2026-11-01``.

        :raises ValueError: for an empty list of ids
        """
        return self._transport.get("/api/usage", with_ids(query))

    def usage_by_group(self, **query: Unpack[api.GroupUsageQuery]) -> api.GroupUsage:
        """Returns a page of the groups that were used, most checks first; with ids, those groups in the order given.

        :raises ValueError: for an empty list of ids
        """
        return self._transport.get("/api/usage", with_ids({"by": "user_group", **query}))

    def deleted(self, **query: Unpack[api.DeletedQuery]) -> api.DeletedList:
        """Returns a page of the deleted groups that can be restored."""
        return self._transport.get("/api/user-groups/deleted", query)

    def iterate_deleted(self, **query: Unpack[api.DeletedQuery]) -> Iterator[api.DeletedGroup]:
        """The deleted groups that can be restored, most recently deleted first."""
        for page in self._pages("/api/user-groups/deleted", {"limit": MAX_PAGE, **query}):
            yield from page["user_groups"]

    def export(self, **selection: Unpack[api.GroupSelection]) -> Iterator[str]:
        """The matching groups as JSON lines, as the service streams them.

        The deadline limits the time until the response begins, and the timeout, if given, the wait for each piece; else
        that is 10 minutes. The error is ``unreachable`` when the connection closes before the end.
        """
        query: Dict[str, Any] = {"format": "jsonl", **selection}
        return self._transport.lines(Call("GET", "/api/user-groups/export", repeatable=True, query=query))

    def batch(
        self,
        mode: str,
        user_groups: Sequence[Mapping[str, Any]],
        *,
        dry_run: bool = False,
        overlap_seconds: Optional[int] = None,
        idempotency_key: Optional[str] = None,
    ) -> api.BatchAnswer:
        """Creates, changes, deletes or rotates up to 500 groups. A retry with the same key does only what is left.

        The client itself retries while groups have the error ``unavailable``. ``mode`` is ``create``, ``update``,
        ``merge``, ``upsert``, ``delete`` or ``rotate``. A group's own error is in its result.
        """
        groups = [*user_groups]
        body = {"mode": mode, "dry_run": dry_run, "user_groups": groups, "overlap_seconds": overlap_seconds}
        return self._transport.post(
            "/api/user-groups/batch",
            without_none(body),
            headers=once(idempotency_key),
            is_bulk=True,
            is_unfinished=_has_unavailable,
        )

    def _pages(self, path: str, query: Mapping[str, Any]) -> Iterator[Any]:
        """The pages of a list, each requested once the previous one is used up."""
        page = self._transport.get(path, query)
        yield page
        while page["next_cursor"] is not None:
            page = self._transport.get(path, {**query, "cursor": page["next_cursor"]})
            yield page


def _has_unavailable(answer: Any) -> bool:
    return any(result.get("error", {}).get("code") == "unavailable" for result in answer["results"])
