"""Which rules a user means: codes, prefixes of codes ("MM3") and rule names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

EVERYTHING = ("ALL", "MM")
_CODE_CUTOFF = 0.8  # two codes of five characters that differ in one


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
    code = normal(selector)
    if code in EVERYTHING:
        return "MM"
    by_name = {name: code for code, name in names.items()}
    if code in by_name:
        return by_name[code]
    if code.startswith("MM") and any(known.startswith(code) for known in names):
        return code
    raise UnknownRule(unknown(selector, names))


def normal(selector: str) -> str:
    """As rules are written: codes in capitals, names in small letters. A user may write both as she likes."""
    word = selector.upper()
    return word if word == "ALL" or (word.startswith("MM") and "-" not in word) else selector.lower()


def unknown(selector: str, names: Mapping[str, str]) -> str:
    """Says that no rule is called so, and what is near."""
    near = _near(normal(selector), names)
    hint = f" (did you mean {', '.join(near)}?)" if near else ""
    return f"no rule is called {selector!r}{hint}"


def _near(word: str, names: Mapping[str, str]) -> list[str]:
    """At most three; of codes first those that begin alike. The first three characters of a code are its
    family."""
    from difflib import get_close_matches

    if not word.startswith("MM"):
        by_name = get_close_matches(word, names.values(), n=3)
        return by_name or get_close_matches(word.upper(), names, 3, _CODE_CUTOFF)
    alike = [code for code in sorted(names) if len(word) > 3 and code[:4] == word[:4]]
    return [*alike, *(c for c in get_close_matches(word, names, 3, _CODE_CUTOFF) if c not in alike)][:3]
