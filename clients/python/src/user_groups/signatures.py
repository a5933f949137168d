"""Signatures of webhooks, by Standard Webhooks 1.0."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from typing import TYPE_CHECKING, Mapping

if TYPE_CHECKING:
    from .types import FeedEvent

PREFIX = "whsec_"
TOLERANCE = 300


class WebhookSignatureError(Exception):
    """A request that this service did not sign, or that is too old: answer it with status 400."""


def verify_webhook(secret: str, body: bytes, headers: Mapping[str, str]) -> FeedEvent:
    """Returns the event of a webhook's request; ``body`` is the request's unparsed body.

    Raises :class:`WebhookSignatureError` for a wrong signature, or a time more than 5 minutes away.
    """
    sent = {name.lower(): value for name, value in headers.items()}
    message_id, timestamp = sent.get("webhook-id", ""), sent.get("webhook-timestamp", "")
    # Longer numbers are too large to compare.
    is_number = timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12
    if not (is_number and abs(time.time() - int(timestamp)) <= TOLERANCE):
        raise WebhookSignatureError("The time of the request is missing, or more than 5 minutes away.")
    signed = f"{message_id}.{timestamp}.".encode(errors="surrogateescape") + body
    expected = hmac.new(_key_of(secret), signed, hashlib.sha256).digest()
    signatures = [one[3:] for one in sent.get("webhook-signature", "").split(" ") if one.startswith("v1,")]
    if not any(hmac.compare_digest(base64.b64encode(expected).decode(), one) for one in signatures if one.isascii()):
        raise WebhookSignatureError("No signature of the request is right.")
    event: FeedEvent = json.loads(body)
    return event


def _key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret[len(PREFIX) :], validate=True) if secret.startswith(PREFIX) else b""
    except binascii.Error:
        key = b""
    if not key:
        raise ValueError("A webhook's secret is whsec_ and base64.")
    return key
