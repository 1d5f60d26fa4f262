"""Why a context has a value: the chain of places from the launch to the line that says so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mmcodemod.model.context import NOT_SET, Context
from mmcodemod.model.frozen import frozen
from mmcodemod.model.option import Option, Special
from mmcodemod.model.place import Place
from mmcodemod.model.report import Report
from mmcodemod.report import json
from mmcodemod.report.escape import visible, width
from mmcodemod.report.words import count
from mmcodemod.source.tree import Tree, UnreadableFile, read_text

STRATEGY = "strategy"
VERSION = "version:"  # before the name of a package
_WORDS = {Special.AUTO: "auto: the framework fills it in", Special.UNKNOWN: "cannot be read from the text"}
_MAX_FILES = 8  # files that name one another


@frozen()
class Because:
    """The value of a key in one context, and the places that lead to it."""

    context: str
    value: str
    chain: tuple[Place, ...]
    note: str = ""


def keys(report: Report) -> list[str]:
    """All that can be asked for, sorted."""
    found = {STRATEGY}
    for context in report.contexts:
        found |= {*context.options, *(VERSION + name for name in context.dependencies)}
    return sorted(found)


def because(report: Report, key: str) -> list[Because]:
    """The answer for every context, sorted by id."""
    return [_of(context, key) for context in sorted(report.contexts, key=lambda c: c.id)]


def _of(context: Context, key: str) -> Because:
    if key == STRATEGY:
        option = Option(context.strategy.value, context.strategy_from.at, context.strategy_from.note)
    elif key.startswith(VERSION):
        found = context.dependencies.get(key.removeprefix(VERSION))
        option = Option(f"{found.name}{found.spec}", found.at) if found else NOT_SET
    else:
        option = context.option(key)
    return Because(context.id, _value(option), tuple(_chain(context, option.at)), option.note)


def _value(option: Option) -> str:
    if option.value is Special.MISSING:
        return "not set"
    if isinstance(option.value, Special):
        return _WORDS[option.value]
    return str(option.value).lower() if isinstance(option.value, bool) else str(option.value)


def _chain(context: Context, end: Place | None) -> list[Place]:
    """From the launch, through the files that name one another, to the end."""
    found = [end] if end else []
    while found and len(found) < _MAX_FILES:
        before = _naming(context, found[0].path)
        if before is None or before.path in {place.path for place in found}:
            break
        found.insert(0, before)
    start = context.launcher
    if start and not (found and (found[0].path, found[0].line) == (start.path, start.line)):
        found.insert(0, start)
    return found


def _naming(context: Context, path: str) -> Place | None:
    """The place of an option whose value is this file."""
    for _, option in sorted(context.options.items()):
        named = str(option.value).removeprefix("./")
        if option.at and isinstance(option.value, str) and named and f"/{path}".endswith(f"/{named}"):
            return option.at
    return None


# -- what is shown ------------------------------------------------------------------------------------


def render(report: Report, tree: Tree, key: str) -> str:
    """For people: contexts that say the same for the same reason are one block."""
    blocks = ["\n".join(_block(tree, key, same)) + "\n" for same in _equal(because(report, key))]
    return "\n".join([*blocks, count(len(report.contexts), "training context") + "\n"])


def _equal(found: Iterable[Because]) -> list[list[Because]]:
    groups: dict[tuple[str, str, tuple[Place, ...]], list[Because]] = {}
    for one in found:
        groups.setdefault((one.value, one.note, one.chain[1:]), []).append(one)
    return list(groups.values())


def _block(tree: Tree, key: str, same: list[Because]) -> Iterator[str]:
    first = same[0]
    others = f" and {count(len(same) - 1, 'context')} more" if len(same) > 1 else ""
    note = f"  [{visible(first.note)}]" if first.note else ""
    yield f"{visible(key)} = {visible(first.value)}  in {visible(first.context)}{others}{note}"
    places = [visible(str(place)) for place in first.chain]
    room = max(map(width, places), default=0)
    for place, shown in zip(first.chain, places):
        yield f"  {shown}{' ' * (room - width(shown))}  {visible(_line(tree, place))}".rstrip()


def _line(tree: Tree, place: Place) -> str:
    try:
        lines = read_text(tree, place.path).splitlines()
    except (UnreadableFile, KeyError):
        return ""
    return lines[place.line - 1].strip()[:110] if 0 < place.line <= len(lines) else ""


def render_json(report: Report, key: str) -> str:
    """The same for machines, one object for every context."""
    rows: list[json.Value] = [
        {
            "context": one.context,
            "value": one.value,
            "note": one.note,
            "chain": [{"path": place.path, "line": place.line} for place in one.chain],
        }
        for one in because(report, key)
    ]
    return json.dump({**json.header(), "key": key, "because": rows})
