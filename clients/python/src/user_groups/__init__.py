"""Client for the user group service, using only the standard library."""

from .client import UserGroupsClient
from .errors import UserGroupsError
from .events import EventFeed
from .jobs import Jobs
from .signatures import WebhookSignatureError, verify_webhook

__all__ = [
    "EventFeed",
    "Jobs",
    "UserGroupsClient",
    "UserGroupsError",
    "WebhookSignatureError",
    "verify_webhook",
]
