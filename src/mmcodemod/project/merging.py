"""Containers as they are kept for other functions: one for each place that makes it, and not too deep.

Without this, what a function is given would grow with every round: lists of what libraries made of lists.
"""

from __future__ import annotations

from functools import lru_cache

from mmcodemod.project.values import Items, Key, Made, Mapping, Value, Values

MAX_CONTAINERS = 8  # of one kind, with different sites, in one set of values
MAX_DEPTH = 2
KEPT = 1 << 14  # answers: what was put together stays as it is in most rounds


def joined(before: Values, values: Values) -> Values:
    """Both sets of values; containers of one site become one container."""
    both = before | values
    if not any(isinstance(v, (Items, Mapping)) for v in values):
        return both
    return _merged(both, 0)


@lru_cache(maxsize=KEPT)
def _merged(every: Values, depth: int) -> Values:
    if not any(isinstance(v, (Items, Mapping)) for v in every):
        return frozenset(v for v in every if not isinstance(v, Made)) if depth else every
    items: dict[str, list[Items]] = {}
    mappings: dict[str, list[Mapping]] = {}
    plain: set[Value] = set()
    for value in every:
        if isinstance(value, Items):
            items.setdefault(value.site, []).append(value)
        elif isinstance(value, Mapping):
            mappings.setdefault(value.site, []).append(value)
        elif depth == 0 or not isinstance(value, Made):
            plain.add(value)
    if depth <= MAX_DEPTH:
        plain |= {_one_list(site, items[site], depth + 1) for site in sorted(items)[:MAX_CONTAINERS]}
        plain |= {_one_dict(site, mappings[site], depth + 1) for site in sorted(mappings)[:MAX_CONTAINERS]}
    return frozenset(plain)


def _one_list(site: str, found: list[Items], depth: int) -> Items:
    length = max(len(v.ordered) for v in found)
    at = [[e for v in found if i < len(v.ordered) for e in v.ordered[i]] for i in range(length)]
    elements = _merged(frozenset(e for v in found for e in v.elements), depth)
    return Items(elements, tuple(_merged(frozenset(part), depth) for part in at), site)


def _one_dict(site: str, found: list[Mapping], depth: int) -> Mapping:
    entries: dict[Key, list[Value]] = {}
    for value in found:
        for key, inside in value.items:
            entries.setdefault(key, []).extend(inside)
    kept = sorted(entries, key=repr)
    return Mapping(tuple((key, _merged(frozenset(entries[key]), depth)) for key in kept), site)
