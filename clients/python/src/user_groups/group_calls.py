"""The calls about one user group."""

from __future__ import annotations

import datetime
import secrets
from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional

from .fields import without_none
from .transport import Call, Transport
from . import types as api

if TYPE_CHECKING:
    from typing_extensions import Unpack


class GroupCalls:
    """The calls about one user group. Keywords that a call does not name are fields of the API."""

    _transport: Transport

    def get_or_create(self, user_group_id: str, **fields: Unpack[api.GroupRequest]) -> api.FoundGroup:
        """Returns the group with this id, or creates it from the other fields."""
        # Not GET /api/user, the same call: proxies can drop its body.
        return self._transport.post_tagged("/api/user/get-or-create", _fields(user_group_id, fields))

    def update(
        self, user_group_id: str, *, if_match: Optional[str] = None, **fields: Unpack[api.GroupRequest]
    ) -> api.UpdatedGroup:
        """Updates a group: omitted fields stay unchanged; mapping and properties are replaced whole."""
        return self._change("PUT", "/api/user", _fields(user_group_id, fields), if_match)

    def merge(
        self, user_group_id: str, *, if_match: Optional[str] = None, **fields: Unpack[api.GroupPatch]
    ) -> api.UpdatedGroup:
        """Merges into a group: within mapping and properties only the given members change, and None removes a member.

        ``access_ends_at`` is a time with a time zone (a past one ends access now), or None for never.
        ``new_user_group_id`` gives the group another id; calls with the old id then fail with ``renamed``.
        """
        return self._change("PATCH", "/api/user", _fields(user_group_id, fields), if_match)

    def upsert(self, user_group_id: str, **fields: Unpack[api.GroupMerge]) -> api.UpsertedGroup:
        """Creates a group, or merges into the one that has this id."""
        return self._transport.post_tagged("/api/user/upsert", _fields(user_group_id, fields))

    def rotate(
        self, current_token: str, *, overlap_seconds: Optional[int] = None, idempotency_key: Optional[str] = None
    ) -> api.RotatedGroup:
        """Gives a group a new token; the current one stops working immediately, or after an overlap of up to 7 days."""
        body = without_none({"current_token": current_token, "overlap_seconds": overlap_seconds})
        return self._transport.post_tagged("/api/user", body, headers=once(idempotency_key))

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
        body = {"user_group_id": user_group_id, "team_id": team_id, "overlap_seconds": overlap_seconds}
        headers = {**once(idempotency_key), "If-Match": if_match}
        return self._transport.post_tagged("/api/user-groups/rotate", without_none(body), headers=headers)

    def end_overlap(self, user_group_id: str) -> api.EndedOverlap:
        """Ends the overlap of a group's last rotation: the previous token stops working immediately."""
        return self._transport.post("/api/user/end-overlap", {"user_group_id": user_group_id})

    def token(
        self, user_group_id: Optional[str] = None, *, team_id: Optional[int] = None, purpose: str = "reveal"
    ) -> api.RotatedGroup:
        """Returns a group with its current token; the history records this, with the purpose ``reveal`` or ``copy``."""
        body = without_none({"user_group_id": user_group_id, "team_id": team_id, "purpose": purpose})
        return self._transport.post_tagged("/api/user-groups/token", body)

    def find_by_token(self, text: str) -> api.TokenOwner:
        """Finds the owner of a token in a text."""
        return self._transport.post("/api/user-groups/find-by-token", {"text": text})

    def viewer(self, token: str, *, strict: Optional[bool] = None) -> api.Viewer:
        """Identifies the viewing group by its token, as a renderer of dashboards does.

        With ``strict``, a group with problems by the definitions is answered as not active, with the reason
        ``incomplete``.
        """
        return self._transport.post("/api/viewer", without_none({"token": token, "strict": strict}))

    def mint_viewer_token(
        self,
        user_group_id: Optional[str] = None,
        *,
        token: Optional[str] = None,
        **options: Unpack[api.ViewerTokenOptions],
    ) -> api.ViewerToken:
        """Mints a viewer token of the group with this id or current token: signed, short-lived, for one page view.

        Set ``typ`` to ``JWT`` only for a verifier that accepts no other; :meth:`viewer` refuses such a token.
        """
        body = without_none({"user_group_id": user_group_id, "token": token, **options})
        return self._transport.post("/api/viewer-tokens", body)

    def end_views(self, user_group_id: str) -> api.ViewsEnded:
        """Revokes all viewer tokens of a group; its user group token stays."""
        return self._transport.post("/api/user-groups/end-views", {"user_group_id": user_group_id})

    def end_viewer(self, user_group_id: str, viewer_id: str, blocked_until: Optional[str] = None) -> api.ViewerEnded:
        """Revokes the viewer tokens issued until now to one person; ``blocked_until`` also blocks further ones."""
        body = {"user_group_id": user_group_id, "viewer_id": viewer_id, "blocked_until": blocked_until}
        return self._transport.post("/api/viewers/end", body)

    def suspend(
        self, user_group_id: str, *, reason: Optional[str] = None, if_match: Optional[str] = None
    ) -> api.GroupState:
        """Suspends a group: renderers stop serving it, but it keeps its token."""
        body = without_none({"user_group_id": user_group_id, "reason": reason})
        return self._change("POST", "/api/user-groups/suspend", body, if_match)

    def resume(self, user_group_id: str, *, if_match: Optional[str] = None) -> api.GroupState:
        """Ends a suspension."""
        return self._change("POST", "/api/user-groups/resume", {"user_group_id": user_group_id}, if_match)

    def delete(
        self,
        user_group_id: Optional[str] = None,
        *,
        current_token: Optional[str] = None,
        if_match: Optional[str] = None,
    ) -> api.Done:
        """Deletes a group; it can be restored for some days. Never retried: the id may have been created again."""
        body = without_none({"user_group_id": user_group_id, "current_token": current_token})
        headers = {"If-Match": if_match}
        return self._transport.json(Call("DELETE", "/api/user", repeatable=False, body=body, headers=headers))

    def restore(self, user_group_id: str, *, team_id: Optional[int] = None, replace: bool = False) -> api.RestoredGroup:
        """Restores a deleted group with its token, and returns its problems by the definitions.

        The error is ``conflict`` when another group has the id now.
        """
        body = without_none({"user_group_id": user_group_id, "team_id": team_id, "replace": replace})
        return self._transport.post_tagged("/api/user-groups/restore", body, repeatable=False)

    def purge(self, team_id: int) -> api.Done:
        """Erases a deleted group for good. The error is ``conflict`` when the group is not deleted."""
        return self._transport.post("/api/user-groups/purge", {"team_id": team_id}, repeatable=False)

    def _change(self, method: str, path: str, body: Mapping[str, Any], if_match: Optional[str]) -> Any:
        # Not repeatable with If-Match: the repetition would be refused although the first attempt made the change.
        # Nor is a rename: the group no longer has the id.
        repeatable = if_match is None and "new_user_group_id" not in body
        headers = {"If-Match": if_match}
        return self._transport.json(Call(method, path, repeatable, body, headers=headers, is_tagged=True))


def once(key: Optional[str]) -> Dict[str, Optional[str]]:
    """With this header, a repeated call has an effect only once."""
    return {"Idempotency-Key": secrets.token_hex(16) if key is None else key}


def _fields(user_group_id: str, fields: Mapping[str, Any]) -> Dict[str, Any]:
    body = {"user_group_id": user_group_id, **fields}
    end = body.get("access_ends_at")
    if isinstance(end, datetime.datetime):
        if end.tzinfo is None:
            raise ValueError("access_ends_at must have a time zone")
        body["access_ends_at"] = end.isoformat(timespec="milliseconds")
    return body
