"""What can be reached step by step."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def closure(starts: Iterable[T], following: Callable[[T], Iterable[T]]) -> dict[T, None]:
    """`starts` with all that follows them, breadth first, each once."""
    found = dict.fromkeys(starts)
    todo = deque(found)
    while todo:
        new = [item for item in following(todo.popleft()) if item not in found]
        found.update(dict.fromkeys(new))
        todo.extend(dict.fromkeys(new))
    return found
