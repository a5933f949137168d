"""The fields of bodies and queries."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence


class Omitted:
    def __repr__(self) -> str:
        return "OMITTED"


#: a field that is not sent, where None is a value
OMITTED = Omitted()


def given(fields: Mapping[str, Any]) -> Dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not OMITTED}


def without_none(fields: Mapping[str, Any]) -> Dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def as_list(values: Optional[Sequence[Any]]) -> Optional[List[Any]]:
    """A text is a sequence too, and never meant as one here."""
    if isinstance(values, str):
        raise TypeError("expected a list of texts, not a text")
    return None if values is None else list(values)


def as_ids(values: Optional[Sequence[Any]]) -> Optional[List[Any]]:
    """A query cannot hold an empty list: without its parameter all groups would match."""
    ids = as_list(values)
    if ids == []:
        raise ValueError("the list of ids is empty")
    return ids
