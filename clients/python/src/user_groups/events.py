"""The feed of changes."""

from __future__ import annotations

from typing import Callable, Iterator, Optional

from .types import Events, FeedEvent


class EventFeed:
    """The events of an environment, as they happen."""

    #: Where another feed can continue. Store it once you have handled the last received event. After a crash, events
    #: since the end of the previous page can come again.
    cursor: Optional[str]

    def __init__(self, ask: Callable[[Optional[str]], Events], after: Optional[str], ends: bool) -> None:
        self._ask = ask
        self._ends = ends
        self.cursor = after

    def __iter__(self) -> Iterator[FeedEvent]:
        """Continues at the cursor. If handling an event failed, it is not repeated: make a new feed at the stored cursor.

        The error is ``cursor_gone`` when the cursor's event was lost: read all groups again.
        """
        while True:
            page = self._ask(self.cursor)
            yield from page["events"][:-1]
            self.cursor = page["next_cursor"]
            yield from page["events"][-1:]
            if self._ends and page["caught_up"]:
                return
