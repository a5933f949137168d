"""The calls of a user group service."""

from __future__ import annotations

import datetime
import secrets
from dataclasses import replace
from typing import Any, Dict, Generator, Iterator, List, Mapping, Optional, Sequence, Union

from .events import EventFeed
from .fields import OMITTED, Omitted, as_ids, as_list, given, without_none
from .jobs import Jobs
from .pages import every_page, in_parts
from .transport import Call, Connect, Settings, Transport
from . import types as api


MAX_PAGE = 500
MAX_ENTRIES = 200

_Object = Union[Mapping[str, Any], Omitted]
_Properties = Union[Mapping[str, Any], None, Omitted]
_Name = Union[str, Omitted]
_End = Union[datetime.datetime, str, None, Omitted]


class UserGroupsClient:
    """The calls of a user group service, for the environment of one API token.

    Each raises :class:`UserGroupsError`. A client can be used by several threads.

    :param base_url: URL of the service, such as ``https://groups.example.com``
    :param deadline: seconds for a call, all its attempts included; at least 30 for batches and pieces of imports.
        ``wait`` of events is added
    :param timeout: seconds for one attempt; half of the deadline by default
    :param retries: retries after a transient failure
    :param connect: makes a connection (``http.client``) with a timeout, for example through a proxy
    :raises ValueError: when the base URL or the API token is invalid
    """

    #: files of user groups
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

    def with_options(
        self,
        *,
        deadline: Union[float, Omitted] = OMITTED,
        timeout: Union[float, None, Omitted] = OMITTED,
        retries: Union[int, Omitted] = OMITTED,
    ) -> UserGroupsClient:
        """The same client with other options, for example for one call."""
        other = object.__new__(UserGroupsClient)
        changed = given({"deadline": deadline, "timeout": timeout, "retries": retries})
        other._use(self._transport.with_settings(**changed))
        return other

    def _use(self, transport: Transport) -> None:
        self._transport = transport
        self.jobs = Jobs(transport)

    def get_or_create(
        self,
        user_group_id: str,
        *,
        name: _Name = OMITTED,
        mapping: _Object = OMITTED,
        properties: _Properties = OMITTED,
    ) -> api.FoundGroup:
        """Returns the group with this id, or creates it from the other fields."""
        body = _fields(user_group_id, name, mapping, properties)
        # Not GET, which is the same call: proxies can drop its body.
        return self._tagged(Call("POST", "/api/user/get-or-create", repeatable=True, body=body))

    def update(
        self,
        user_group_id: str,
        *,
        name: _Name = OMITTED,
        mapping: _Object = OMITTED,
        properties: _Properties = OMITTED,
        if_match: Optional[str] = None,
    ) -> api.UpdatedGroup:
        """Updates a group: an omitted field stays unchanged, mapping and properties are replaced whole."""
        body = _fields(user_group_id, name, mapping, properties)
        return self._tagged(_changing("PUT", "/api/user", body, if_match))

    def merge(
        self,
        user_group_id: str,
        *,
        name: _Name = OMITTED,
        mapping: _Object = OMITTED,
        properties: _Properties = OMITTED,
        access_ends_at: _End = OMITTED,
        new_user_group_id: Union[str, Omitted] = OMITTED,
        if_match: Optional[str] = None,
    ) -> api.UpdatedGroup:
        """Merges into a group: within mapping and properties only the given members change, and None removes one.

        ``access_ends_at`` is a time with its zone, in the past to end access now, or None for never.
        ``new_user_group_id`` gives the group another id; calls with the old one then have the error ``renamed``.
        """
        body = _fields(user_group_id, name, mapping, properties, access_ends_at)
        body.update(given({"new_user_group_id": new_user_group_id}))
        return self._tagged(_changing("PATCH", "/api/user", body, if_match))

    def upsert(
        self,
        user_group_id: str,
        *,
        name: _Name = OMITTED,
        mapping: _Object = OMITTED,
        properties: _Properties = OMITTED,
        access_ends_at: _End = OMITTED,
    ) -> api.UpsertedGroup:
        """Creates a group, or merges into the one that has this id."""
        body = _fields(user_group_id, name, mapping, properties, access_ends_at)
        return self._tagged(Call("POST", "/api/user/upsert", repeatable=True, body=body))

    def rotate(
        self,
        current_token: str,
        *,
        overlap_seconds: Optional[int] = None,
        idempotency_key: Optional[str] = None,
    ) -> api.RotatedGroup:
        """Gives a group a new token; the current one stops working immediately, or after an overlap of up to 7 days."""
        body = without_none({"current_token": current_token, "overlap_seconds": overlap_seconds})
        return self._tagged(_once("/api/user", body, idempotency_key))

    def replace_token(
        self,
        user_group_id: Optional[str] = None,
        *,
        team_id: Optional[int] = None,
        overlap_seconds: Optional[int] = None,
        if_match: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> api.RotatedGroup:
        """Gives a group a new token, without the current one."""
        body = {**_named(user_group_id, team_id), **without_none({"overlap_seconds": overlap_seconds})}
        return self._tagged(_once("/api/user-groups/rotate", body, idempotency_key, if_match=if_match))

    def end_overlap(self, user_group_id: str) -> api.EndedOverlap:
        """Ends the overlap of a group's last rotation: the previous token stops working immediately."""
        body = {"user_group_id": user_group_id}
        return self._json(Call("POST", "/api/user/end-overlap", repeatable=True, body=body))

    def token(
        self,
        user_group_id: Optional[str] = None,
        *,
        team_id: Optional[int] = None,
        purpose: str = "reveal",
    ) -> api.RotatedGroup:
        """Returns a group with its current token; the history records it, and its purpose (``reveal`` or ``copy``)."""
        body = {**_named(user_group_id, team_id), "purpose": purpose}
        return self._tagged(Call("POST", "/api/user-groups/token", repeatable=True, body=body))

    def find_by_token(self, text: str) -> api.TokenOwner:
        """Finds the owner of a token in a text."""
        return self._json(Call("POST", "/api/user-groups/find-by-token", repeatable=True, body={"text": text}))

    def viewer(self, token: str, *, strict: Optional[bool] = None) -> api.Viewer:
        """Identifies the viewing group by its token, as a renderer of dashboards does.

        With ``strict``, a group with problems by the definitions is not active, with the reason ``incomplete``.
        """
        body = without_none({"token": token, "strict": strict})
        return self._json(Call("POST", "/api/viewer", repeatable=True, body=body))

    def mint_viewer_token(
        self,
        user_group_id: Optional[str] = None,
        *,
        token: Optional[str] = None,
        viewer: Union[str, Mapping[str, Any], None] = None,
        content: Optional[Sequence[str]] = None,
        expires_in: Optional[int] = None,
        audience: Optional[str] = None,
        variables: Optional[Mapping[str, Any]] = None,
        template: Optional[str] = None,
        typ: Optional[str] = None,
    ) -> api.ViewerToken:
        """Mints a viewer token of the group with this id or current token: signed, short-lived, for one page view.

        ``typ`` is ``JWT`` for a verifier that accepts no other; :meth:`viewer` refuses such a token.
        """
        body = without_none(
            {
                **{"user_group_id": user_group_id, "token": token, "viewer": viewer, "content": as_list(content)},
                "expires_in": expires_in,
                **{"audience": audience, "variables": variables, "template": template, "typ": typ},
            }
        )
        return self._json(Call("POST", "/api/viewer-tokens", repeatable=True, body=body))

    def end_views(self, user_group_id: str) -> api.ViewsEnded:
        """Revokes all viewer tokens of a group; its user group token stays."""
        body = {"user_group_id": user_group_id}
        return self._json(Call("POST", "/api/user-groups/end-views", repeatable=True, body=body))

    def end_viewer(self, user_group_id: str, viewer_id: str, blocked_until: Optional[str] = None) -> api.ViewerEnded:
        """Revokes the viewer tokens that one person was issued until now; ``blocked_until`` also blocks further ones."""
        body = {"user_group_id": user_group_id, "viewer_id": viewer_id, "blocked_until": blocked_until}
        return self._json(Call("POST", "/api/viewers/end", repeatable=True, body=body))

    def replace_api_token(self, overlap_seconds: int) -> api.ReplacedApiToken:
        """Replaces the client's API token: store the answer, which is given once.

        The old value stays valid for 3600 to 604800 seconds. The client keeps using it: make another with the new one.
        The error is ``conflict`` when it was replaced before.
        """
        body = {"overlap_seconds": overlap_seconds}
        return self._json(Call("POST", "/api/api-tokens/replace", repeatable=False, body=body))

    def revocations(self, since: Optional[str] = None) -> api.Revocations:
        """Returns the revocations of viewer tokens since ``next_since`` of an earlier answer."""
        return self._json(Call("GET", "/api/revocations", repeatable=True, query={"since": since}))

    def iterate_revocations(self, since: Optional[str] = None) -> Generator[api.Revocation, None, str]:
        """Each revocation up to now; the generator returns where the next call continues."""
        while True:
            page = self.revocations(since)
            yield from page["revocations"]
            since = page["next_since"]
            if not page["has_more"]:
                return since

    def suspend(
        self, user_group_id: str, *, reason: Optional[str] = None, if_match: Optional[str] = None
    ) -> api.GroupState:
        """Suspends a group: renderers stop serving it, and it keeps its token."""
        body = without_none({"user_group_id": user_group_id, "reason": reason})
        return self._tagged(_changing("POST", "/api/user-groups/suspend", body, if_match))

    def resume(self, user_group_id: str, *, if_match: Optional[str] = None) -> api.GroupState:
        """Ends a suspension."""
        body = {"user_group_id": user_group_id}
        return self._tagged(_changing("POST", "/api/user-groups/resume", body, if_match))

    def delete(
        self,
        user_group_id: Optional[str] = None,
        *,
        current_token: Optional[str] = None,
        if_match: Optional[str] = None,
    ) -> api.Done:
        """Deletes a group; it can be restored for some days. Not repeated: another may have created the id again."""
        body = without_none({"user_group_id": user_group_id, "current_token": current_token})
        headers = {"If-Match": if_match}
        return self._json(Call("DELETE", "/api/user", repeatable=False, body=body, headers=headers))

    def restore(self, user_group_id: str, *, team_id: Optional[int] = None, replace: bool = False) -> api.RestoredGroup:
        """Restores a deleted group with its token, and says what the definitions find.

        The error is ``conflict`` when another group has the id now.
        """
        body = without_none({"user_group_id": user_group_id, "team_id": team_id, "replace": replace})
        return self._tagged(Call("POST", "/api/user-groups/restore", repeatable=False, body=body))

    def purge(self, team_id: int) -> api.Done:
        """Erases a deleted group for good. The error is ``conflict`` when the group is not deleted."""
        return self._json(Call("POST", "/api/user-groups/purge", repeatable=False, body={"team_id": team_id}))

    def list(
        self,
        *,
        user_group_id: Optional[Sequence[str]] = None,
        team_id: Optional[Sequence[int]] = None,
        search: Optional[str] = None,
        filter: Optional[Sequence[str]] = None,
        state: Optional[str] = None,
        used: Optional[str] = None,
        updated_since: Optional[str] = None,
        sort: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> api.GroupList:
        """Returns a page of groups.

        ``filter`` has conditions on properties, ``property:op:JSON value``, as in ``plan:is:"pro"``, and findings, as
        in ``plan:missing``.

        :raises ValueError: for an empty list of ids
        """
        query = {
            **{"user_group_id": as_ids(user_group_id), "team_id": as_ids(team_id), "search": search},
            **{"filter": as_list(filter), "state": state, "used": used},
            "updated_since": updated_since,
            **{"sort": sort, "limit": limit, "cursor": cursor},
        }
        return self._json(Call("GET", "/api/user-groups", repeatable=True, query=query))

    def iterate(
        self,
        *,
        user_group_id: Optional[Sequence[str]] = None,
        team_id: Optional[Sequence[int]] = None,
        search: Optional[str] = None,
        filter: Optional[Sequence[str]] = None,
        state: Optional[str] = None,
        used: Optional[str] = None,
        updated_since: Optional[str] = None,
        limit: int = MAX_PAGE,
    ) -> Iterator[api.ListedGroup]:
        """Every group that matches, in order of ``team_id``.

        A group that exists during the whole walk comes exactly once. Any number of ids can be given; unknown ones are left out. ``limit`` is for a page.
        """
        selection: Dict[str, Any] = {
            **{"search": search, "filter": filter, "state": state, "used": used},
            "updated_since": updated_since,
        }
        parts: List[Dict[str, Any]] = [{}]
        if user_group_id is not None:
            parts = [{"user_group_id": part, "team_id": team_id} for part in in_parts(user_group_id)]
        elif team_id is not None:
            parts = [{"team_id": part} for part in in_parts(team_id)]
        for part in parts:
            for page in every_page(self.list, **selection, **part, limit=limit):
                yield from page["user_groups"]

    def history(
        self,
        *,
        user_group_id: Optional[str] = None,
        team_id: Optional[int] = None,
        member: Optional[str] = None,
        api_token: Optional[int] = None,
        action: Optional[Sequence[str]] = None,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> api.History:
        """Returns a page of what was done, newest first; ``from_`` and ``to`` are times (RFC 3339)."""
        query = {
            **{"user_group_id": user_group_id, "team_id": team_id, "member": member, "api_token": api_token},
            **{"action": as_list(action), "from": from_, "to": to, "limit": limit, "cursor": cursor},
        }
        return self._json(Call("GET", "/api/user-groups/history", repeatable=True, query=query))

    def iterate_history(
        self,
        *,
        user_group_id: Optional[str] = None,
        team_id: Optional[int] = None,
        member: Optional[str] = None,
        api_token: Optional[int] = None,
        action: Optional[Sequence[str]] = None,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        limit: int = MAX_ENTRIES,
    ) -> Iterator[api.HistoryEntry]:
        """What was done, newest first."""
        selection: Dict[str, Any] = {
            **{"user_group_id": user_group_id, "team_id": team_id, "member": member, "api_token": api_token},
            **{"action": action, "from_": from_, "to": to},
        }
        for page in every_page(self.history, **selection, limit=limit):
            yield from page["entries"]

    def events(
        self,
        after: Optional[str] = None,
        *,
        types: Optional[Sequence[str]] = None,
        limit: Optional[int] = None,
        wait: int = 0,
        include: Optional[str] = None,
    ) -> api.Events:
        """Returns a page of what changed after ``next_cursor`` of an earlier page, oldest first.

        Without ``after`` the feed starts at the oldest event; ``latest`` is its end. ``types`` are such as
        ``user_group.created`` or ``user_group.*``; ``wait`` has up to 30 seconds to wait for an event if there is none;
        ``include="states"`` adds what was changed. The error is ``cursor_gone`` when the event at the cursor was lost.
        """
        query = {"after": after, "types": as_list(types), "limit": limit, "wait": wait, "include": include}
        return self._json(Call("GET", "/api/events", repeatable=True, query=query, held=wait))

    def iterate_events(
        self,
        after: Optional[str] = None,
        *,
        types: Optional[Sequence[str]] = None,
        limit: int = MAX_PAGE,
        wait: int = 0,
        include: Optional[str] = None,
    ) -> EventFeed:
        """Every change after a cursor, oldest first: up to now, or for ever with ``wait``.

        Each page is a call. Read ``cursor`` of the feed to continue later.
        """

        def ask(place: Optional[str]) -> api.Events:
            return self.events(place, types=types, limit=limit, wait=wait, include=include)

        return EventFeed(ask, after, ends=wait == 0)

    def usage(
        self, *, from_: Optional[str] = None, to: Optional[str] = None, team_id: Optional[Sequence[int]] = None
    ) -> api.Usage:
        """
        How often tokens were minted or checked on each day; the days are such as ``2026-11-01``, in UTC.

        :raises ValueError: for an empty list of ids
        """
        query = {"from": from_, "to": to, "team_id": as_ids(team_id)}
        return self._json(Call("GET", "/api/usage", repeatable=True, query=query))

    def usage_by_group(
        self,
        *,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        team_id: Optional[Sequence[int]] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> api.GroupUsage:
        """
        Returns a page of the groups that were used, most checks first; named ones in the order given.

        :raises ValueError: for an empty list of ids
        """
        query = {
            **{"by": "user_group", "from": from_, "to": to, "team_id": as_ids(team_id)},
            **{"limit": limit, "cursor": cursor},
        }
        return self._json(Call("GET", "/api/usage", repeatable=True, query=query))

    def deleted(
        self, *, user_group_id: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None
    ) -> api.DeletedList:
        """Returns a page of the deleted groups that can be restored."""
        query = {"user_group_id": user_group_id, "limit": limit, "cursor": cursor}
        return self._json(Call("GET", "/api/user-groups/deleted", repeatable=True, query=query))

    def iterate_deleted(
        self, *, user_group_id: Optional[str] = None, limit: int = MAX_PAGE
    ) -> Iterator[api.DeletedGroup]:
        """The deleted groups that can be restored, the last deleted first."""
        for page in every_page(self.deleted, user_group_id=user_group_id, limit=limit):
            yield from page["user_groups"]

    def export(
        self,
        *,
        search: Optional[str] = None,
        filter: Optional[Sequence[str]] = None,
        state: Optional[str] = None,
        used: Optional[str] = None,
        updated_since: Optional[str] = None,
    ) -> Iterator[str]:
        """The groups that match as JSON lines, as the service streams them.

        The deadline is for the first, and the timeout for the wait for each piece. The error is ``unreachable`` when
        the connection closes before the end.
        """
        query = {
            **{"format": "jsonl", "search": search, "filter": as_list(filter), "state": state},
            **{"used": used, "updated_since": updated_since},
        }
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
        """Creates, changes, deletes or rotates up to 500 groups; repeated with its key, it does only what was left.

        So does the client itself while groups have the error ``unavailable``.
        ``mode`` is ``create``, ``update``, ``merge``, ``upsert``, ``delete`` or ``rotate``. A group's own error is in
        its result.
        """
        named = {"mode": mode, "dry_run": dry_run, "user_groups": list(user_groups)}
        body = {**named, **without_none({"overlap_seconds": overlap_seconds})}
        call = _once("/api/user-groups/batch", body, idempotency_key, is_bulk=True)
        return self._json(replace(call, is_unfinished=_has_unavailable))

    def _json(self, call: Call) -> Any:
        return self._transport.json(call)

    def _tagged(self, call: Call) -> Any:
        return self._transport.tagged(call)


def _changing(method: str, path: str, body: Mapping[str, Any], if_match: Optional[str]) -> Call:
    """With ``If-Match`` a repeated change would be refused although the first was made."""
    return Call(method, path, repeatable=if_match is None, body=body, headers={"If-Match": if_match})


def _has_unavailable(answer: Any) -> bool:
    return any(result.get("error", {}).get("code") == "unavailable" for result in answer["results"])


def _once(
    path: str, body: Mapping[str, Any], key: Optional[str], is_bulk: bool = False, if_match: Optional[str] = None
) -> Call:
    headers = {"Idempotency-Key": secrets.token_hex(16) if key is None else key, "If-Match": if_match}
    return Call("POST", path, repeatable=True, body=body, headers=headers, is_bulk=is_bulk)


def _fields(
    user_group_id: str, name: _Name, mapping: _Object, properties: _Properties, access_ends_at: _End = OMITTED
) -> Dict[str, Any]:
    if isinstance(access_ends_at, datetime.datetime):
        if access_ends_at.tzinfo is None:
            raise ValueError("access_ends_at must have a time zone")
        access_ends_at = access_ends_at.isoformat(timespec="milliseconds")
    return given(
        {
            **{"user_group_id": user_group_id, "name": name, "mapping": mapping, "properties": properties},
            "access_ends_at": access_ends_at,
        }
    )


def _named(user_group_id: Optional[str], team_id: Optional[int]) -> Dict[str, Any]:
    return without_none({"user_group_id": user_group_id, "team_id": team_id})
