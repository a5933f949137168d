"""The calls for webhooks."""

from __future__ import annotations

from typing import Any, Iterator, Optional, Sequence, Union

from .fields import OMITTED, Omitted, as_list, given, without_none
from .pages import every_page
from .transport import Call, Transport
from .types import Delivery, DeliveryAnswer, DeliveryList, Done, Replay, WebhookAnswer, WebhookList, WebhookSecret

MAX_DELIVERIES = 100


class Webhooks:
    """The calls for webhooks. Each raises :class:`UserGroupsError`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self) -> WebhookList:
        """The environment's webhooks, and how their deliveries go."""
        return self._json(Call("GET", "/api/webhooks", repeatable=True))

    def create(self, url: str, *, description: str = "", types: Optional[Sequence[str]] = None) -> WebhookSecret:
        """Has events sent to a URL from now on: of types such as ``user_group.*``, or all.

        Store the secret: it is shown only once.
        """
        body = {"url": url, "description": description, "types": as_list(types)}
        # The service resolves the URL's name first.
        return self._json(Call("POST", "/api/webhooks", repeatable=False, body=body, is_bulk=True))

    def update(
        self,
        webhook_id: int,
        *,
        url: Union[str, Omitted] = OMITTED,
        description: Union[str, Omitted] = OMITTED,
        types: Union[Sequence[str], None, Omitted] = OMITTED,
        enabled: Union[bool, Omitted] = OMITTED,
        from_: Union[str, Omitted] = OMITTED,
    ) -> WebhookAnswer:
        """Changes, disables or enables a webhook. ``from_="now"`` skips the events that were not sent yet."""
        listed = types if isinstance(types, Omitted) else as_list(types)
        body = given(
            {
                **{"webhook_id": webhook_id, "url": url, "description": description},
                **{"types": listed, "enabled": enabled, "from": from_},
            }
        )
        # Repeated, it would skip what happened since the first attempt.
        repeatable = isinstance(from_, Omitted)
        return self._json(Call("PATCH", "/api/webhooks", repeatable=repeatable, body=body, is_bulk=True))

    def delete(self, webhook_id: int) -> Done:
        """Deletes a webhook with its deliveries."""
        return self._json(Call("DELETE", "/api/webhooks", repeatable=False, body={"webhook_id": webhook_id}))

    def rotate_secret(self, webhook_id: int) -> WebhookSecret:
        """Creates a new secret, which is shown only once. For 24 hours, messages carry signatures by both secrets."""
        # Repeated, it would end the secret that receivers have.
        return self._post("/api/webhooks/rotate-secret", {"webhook_id": webhook_id})

    def test(self, webhook_id: int) -> DeliveryAnswer:
        """Sends an event ``webhook.test`` once; its delivery shows what came of it."""
        return self._post("/api/webhooks/test", {"webhook_id": webhook_id})

    def replay(
        self,
        webhook_id: int,
        *,
        delivery_id: Optional[str] = None,
        failed: Optional[bool] = None,
        since: Optional[str] = None,
    ) -> Replay:
        """Sends one delivery again, all failed ones (``failed=True``), or all events since a time (RFC 3339)."""
        names = {"delivery_id": delivery_id, "failed": failed, "since": since}
        return self._post("/api/webhooks/replay", {"webhook_id": webhook_id, **without_none(names)})

    def deliveries(
        self,
        webhook_id: int,
        *,
        state: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> DeliveryList:
        """Returns a page of what a webhook was sent, newest first.

        ``state`` is ``waiting``, ``delivered`` or ``failed``.
        """
        query = {"webhook_id": webhook_id, "state": state, "limit": limit, "cursor": cursor}
        return self._json(Call("GET", "/api/webhooks/deliveries", repeatable=True, query=query))

    def iterate_deliveries(
        self, webhook_id: int, *, state: Optional[str] = None, limit: int = MAX_DELIVERIES
    ) -> Iterator[Delivery]:
        """What a webhook was sent, newest first."""
        for page in every_page(self.deliveries, webhook_id=webhook_id, state=state, limit=limit):
            yield from page["deliveries"]

    def _post(self, path: str, body: Any) -> Any:
        return self._json(Call("POST", path, repeatable=False, body=body))

    def _json(self, call: Call) -> Any:
        return self._transport.json(call)
