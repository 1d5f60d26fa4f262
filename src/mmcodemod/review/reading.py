"""Fields of an answer, which may hold anything: what is not as documented is empty, never an error later."""

from __future__ import annotations

from typing import Any


def part(value: Any, name: str) -> Any:
    """A field of an object; None where there is none."""
    return value.get(name) if isinstance(value, dict) else None


def text(value: Any, name: str) -> str:
    found = part(value, name)
    return found if isinstance(found, str) else ""


def number(value: Any, name: str) -> int:
    found = part(value, name)
    return found if isinstance(found, int) and not isinstance(found, bool) else 0


def login(user: Any, name: str) -> str:
    """The name of a user, in lower case: forges do not tell names apart by case."""
    return text(user, name).lower()
