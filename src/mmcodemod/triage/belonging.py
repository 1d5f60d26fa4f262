"""Which runs of the repository a log can be of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mmcodemod.model.context import Context, Origin, Strategy
from mmcodemod.model.triage import Seen, Started
from mmcodemod.triage.places import Files

_CONFIGS = (".json", ".yaml", ".yml", ".py")


@dataclass(frozen=True)
class Belonging:
    """`likely`: the contexts that fit best, of `among` that the repository has. `told`: does the log tell at
    all? `why` says by what."""

    likely: frozenset[str]
    among: int = 0
    told: bool = False
    why: str = ""
    line: int = 0


def belonging(seen: Seen, contexts: Iterable[Context], files: Files) -> Belonging:
    """The contexts that fit the commands of the log, else its entry point, else its strategy."""
    every = [c for c in contexts if c.origin is not Origin.LIBRARY]
    everything = frozenset(c.id for c in every)
    if (found := _by_command(seen, every)) is not None:
        return found
    begun = _of_entry(seen, every, files)
    fits = begun or every
    fits = [c for c in fits if _agrees(c, seen.strategies)] or fits
    if len(fits) == len(every):
        return Belonging(everything, len(every))
    return Belonging(frozenset(c.id for c in fits), len(every), True, _why(fits, seen, len(begun)))


def _why(fits: list[Context], seen: Seen, begun: int) -> str:
    """By what the runs were chosen, in words that go on after "those that"."""
    entries = ", ".join(sorted({c.entry.path for c in fits if c.entry and not c.entry.library}))
    starts = f"start {entries}, as the traceback does" if begun and entries else ""
    strategies = sorted({c.strategy.value for c in fits} & set(seen.strategies))
    runs = f"run with {' or '.join(strategies)}, as the log says" if strategies else ""
    return " and ".join(part for part in (starts, runs) if part) or "fit what the log says"


def _by_command(seen: Seen, contexts: list[Context]) -> Belonging | None:
    """The best match of all commands that the log echoes, when it is one."""
    scored = [(_alike(started, c), started, c) for started in seen.started for c in contexts]
    best = max((score for score, _, _ in scored), default=0.0)
    if best <= 0:
        return None
    fits = [(started, c) for score, started, c in scored if score >= best]
    ids = frozenset(c.id for _, c in fits)
    return Belonging(ids, len(contexts), True, "have the command that the log shows", fits[0][0].line)


def _alike(started: Started, context: Context) -> float:
    """How many words of the launch stand in the command; 0 when it runs something else."""
    entry = context.entry
    if entry is None or (not entry.library and not _ends_alike(started.script, entry.path)):
        return 0.0
    named = {word.rpartition("/")[2] for word in started.words}
    configs = [c.rpartition("/")[2] for c in context.configs]
    if any(word.endswith(_CONFIGS[0]) for word in started.words) and configs and not set(configs) & named:
        return 0.0
    words = [word for word in context.command.split() if word not in ("\\", "--")]
    shared = sum(word.strip("\"'") in started.words for word in words)
    return 1.0 + 3.0 * len(set(configs) & named) + shared / max(len(words), 1)


def _ends_alike(one: str, other: str) -> bool:
    if not one or not other:
        return False
    short, long = sorted((one.removeprefix("./"), other), key=len)
    return long == short or long.endswith("/" + short)


def _of_entry(seen: Seen, contexts: list[Context], files: Files) -> list[Context]:
    """The contexts whose entry point is the outermost frame of a traceback."""
    begun = {
        files.own(d.frames[0].path) for d in seen.deaths if d.frames and d.frames[0].function == "<module>"
    }
    return [c for c in contexts if c.entry is not None and c.entry.path in begun]


def _agrees(context: Context, strategies: tuple[str, ...]) -> bool:
    return not strategies or context.strategy is Strategy.UNKNOWN or context.strategy.value in strategies
