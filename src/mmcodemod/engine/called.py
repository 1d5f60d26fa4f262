"""Which training contexts a name means: what a report shows of a run can be given back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches

from mmcodemod.model.context import Context

_MOST = 5  # candidates that are named

_Meant = Mapping[str, Collection[str]]
"""The ids that each full name means."""


class UnknownContext(Exception):
    """A name that means no training context, or several; the message says which are near."""


def context_ids(names: Iterable[str], contexts: Iterable[Context]) -> frozenset[str]:
    """The ids that names mean: an id, the path of a launch file or an entry, or the end of one of these that
    no other has.

    Raises:
        UnknownContext: for a name that means none, and for the end of several.
    """
    meant: dict[str, set[str]] = defaultdict(set)
    for context in contexts:
        meant[context.id].add(context.id)
        if context.begins is not None:
            meant[context.begins.path].add(context.id)
    return frozenset(i for name in names for i in meant[_full(name, meant)])


def _full(name: str, meant: _Meant) -> str:
    """The id or path that a name stands for."""
    if name in meant:
        return name
    ends = sorted(full for full in meant if full.endswith(f"/{name}"))
    if len(ends) == 1:
        return ends[0]
    raise UnknownContext(_several(name, ends) if ends else _unknown(name, meant))


def _several(name: str, ends: list[str]) -> str:
    return f"{name!r} is several runs: {_some(ends)}"


def _some(names: Sequence[str]) -> str:
    more = f" (+{len(names) - _MOST})" if len(names) > _MOST else ""
    return ", ".join(names[:_MOST]) + more


def _unknown(name: str, meant: _Meant) -> str:
    near = _containing(name, meant) or get_close_matches(name, meant, 3)
    hint = f"did you mean {_some(near)}?" if near else "`mmcodemod contexts` lists them"
    return f"no training context is called {name!r} ({hint})"


def _containing(name: str, meant: _Meant) -> list[str]:
    """The full names with this part, those whose end has it first; no id beside the path of its file."""
    part = name.casefold()
    found = [full for full in meant if part and part in full.casefold()]
    paths = [full for full in found if full.rpartition(":")[0] not in found]
    return sorted(paths, key=lambda full: (part not in full.rpartition("/")[2].casefold(), full))
