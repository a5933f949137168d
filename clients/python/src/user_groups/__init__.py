"""Client of the user group service, with the standard library alone."""

from .client import UserGroupsClient
from .errors import UserGroupsError
from .imports import Imports

__all__ = ["Imports", "UserGroupsClient", "UserGroupsError"]
