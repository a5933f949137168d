"""The fields of bodies and queries."""

from __future__ import annotations

import urllib.parse
from typing import Any, Dict, Iterator, List, Mapping, Sequence

#: the most ids of a page, and their characters in its URL: proxies refuse long URLs, often beyond 8 KiB
MAX_IDS = 100
MAX_CHARACTERS = 4_000


def without_none(fields: Mapping[str, Any]) -> Dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def as_list(values: Sequence[Any]) -> List[Any]:
    """Refuses a text, which is also a sequence, but never meant as one here."""
    if isinstance(values, str):
        raise TypeError("expected a list of texts, not a text")
    return list(values)


def with_ids(query: Mapping[str, Any]) -> Dict[str, Any]:
    """Refuses an empty list or a used-up iterator: without the parameter, all groups would match."""
    ids = {name: as_list(query[name]) for name in ("user_group_id", "team_id") if query.get(name) is not None}
    if [] in ids.values():
        raise ValueError("the list of ids is empty")
    return {**query, **ids}


def in_parts(ids: Sequence[Any]) -> Iterator[List[Any]]:
    """Splits the ids into parts that each fit into one query."""
    part: List[Any] = []
    characters = 0
    for one in as_list(ids):
        length = len(urllib.parse.urlencode({"user_group_id": one}))
        if part and (len(part) == MAX_IDS or characters + length > MAX_CHARACTERS):
            yield part
            part, characters = [], 0
        part.append(one)
        characters += length
    if part:
        yield part
