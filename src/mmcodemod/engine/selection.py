"""Which rules a user means: codes, prefixes of codes ("MM3") and rule names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

EVERYTHING = ("ALL", "MM")


class UnknownRule(Exception):
    """A selector that means no rule; the message names it and what is near."""


def codes(selectors: Iterable[str], names: Mapping[str, str]) -> tuple[str, ...]:
    """The selectors as codes and prefixes of codes. `names` maps the codes of all rules to their names.

    Raises:
        UnknownRule: for a selector that means no rule.
    """
    return tuple(dict.fromkeys(_code(selector.strip(), names) for selector in selectors if selector.strip()))


def named(selectors: Iterable[str], names: Mapping[str, str]) -> frozenset[str]:
    """The codes of the rules that are named one by one, by their code or name: not by a prefix."""
    return frozenset(code for code, name in names.items() if not {code, name}.isdisjoint(selectors))


def _code(selector: str, names: Mapping[str, str]) -> str:
    if selector in EVERYTHING:
        return "MM"
    by_name = {name: code for code, name in names.items()}
    if selector in by_name:
        return by_name[selector]
    if selector.startswith("MM") and any(code.startswith(selector) for code in names):
        return selector
    raise UnknownRule(unknown(selector, names))


def unknown(selector: str, names: Mapping[str, str]) -> str:
    """Says that no rule is called so, and what is near."""
    from difflib import get_close_matches

    near = get_close_matches(selector, [*names, *names.values()], n=3)
    hint = f" (did you mean {', '.join(near)}?)" if near else ""
    return f"no rule is called {selector!r}{hint}"
