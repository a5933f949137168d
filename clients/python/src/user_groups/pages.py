"""Walks through lists."""

from __future__ import annotations

import urllib.parse
from typing import Any, Callable, Iterator, List, Optional, Sequence

from .fields import as_list

#: the most ids of a page, and their characters in its URL: proxies refuse a long one, often beyond 8 KiB
MAX_IDS = 100
MAX_CHARACTERS = 4_000


def every_page(ask: Callable[..., Any], **query: Any) -> Iterator[Any]:
    """The pages of a list, each asked for when the one before is used up."""
    cursor: Optional[str] = None
    while True:
        page = ask(**query, cursor=cursor)
        yield page
        cursor = page["next_cursor"]
        if cursor is None:
            return


def in_parts(ids: Sequence[Any]) -> Iterator[List[Any]]:
    """The ids in parts that each fit into one query."""
    part: List[Any] = []
    characters = 0
    for one in as_list(ids) or []:
        length = len(urllib.parse.urlencode({"user_group_id": one}))
        if part and (len(part) == MAX_IDS or characters + length > MAX_CHARACTERS):
            yield part
            part, characters = [], 0
        part.append(one)
        characters += length
    if part:
        yield part
