"""The line of a change that brings a finding: where a comment on it belongs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mmcodemod.model.context import Context
from mmcodemod.model.finding import Dismissal, Finding
from mmcodemod.model.place import Place
from mmcodemod.review.lines import Lines


@dataclass(frozen=True)
class Causes:
    """What is known of a change. `before` maps the id of a run of the new version to that run at the base;
    `safe` is what the base had dismissed."""

    lines: Lines
    before: Mapping[str, Context]
    safe: Sequence[Dismissal]

    def introduced(self, finding: Finding) -> Place | None:
        """The finding's own place, as far as one hunk shows it, if the change touches it or a line beside."""
        at = finding.at
        lines = self.lines.of(at.path)
        spots = lines.added.union(lines.deleted.values())
        touched = any(line in spots for line in range(at.line - 1, at.last_line + 2))
        return self._shown(at) if touched else None

    def activated(self, finding: Finding, runs: Sequence[Context]) -> Place | None:
        """The line that makes it fatal for these runs: one that is added; else the one nearest to a deleted
        line which made it safe; else the nearest change in a file that the finding speaks of."""
        added = (self._shown(at) for at in self._places(finding, runs) if self.lines.added(at))
        return next(added, None) or self._unprotected(finding) or self._nearest(finding, runs)

    def _places(self, finding: Finding, runs: Sequence[Context]) -> Iterator[Place]:
        """The best first: the strategy of a run that has another one, the launch of a new run."""
        yield from _present(c.strategy_from.at for c in runs if self._differs(c))
        yield from _present(c.begins for c in runs if c.id not in self.before)
        yield from _spoken_of(finding)
        for context in runs:
            yield from self._decided(context)

    def _differs(self, context: Context) -> bool:
        before = self.before.get(context.id)
        return before is None or before.strategy is not context.strategy

    def _decided(self, context: Context) -> Iterator[Place]:
        """Where the launch and the settings of a run stand that were otherwise at the base."""
        before = self.before.get(context.id)
        options = before.options if before else {}
        yield from _present([context.strategy_from.at, context.begins])
        for name, option in sorted(context.options.items()):
            if name not in options or options[name].value != option.value:
                yield from _present([option.at])
        yield from _present(d.at for _, d in sorted(context.dependencies.items()))

    def _shown(self, at: Place) -> Place:
        """The part of a place that one hunk shows: that of its first added line, if any."""
        lines = self.lines.of(at.path)
        first = next(iter(self.lines.added(at)), at.line)
        hunk = lines.hunk(first) or lines.hunk(at.last_line)
        if hunk is None:
            return at
        begin = max(at.line, hunk.new_start)
        end = min(at.last_line, hunk.new_start + hunk.new_count - 1)
        if (begin, end) == (at.line, at.last_line):
            return at
        column = at.column if begin == at.line else 1
        return Place(at.path, begin, column, end if end > begin else 0)

    def _unprotected(self, finding: Finding) -> Place | None:
        """Where a line went that had made this place safe, else another place by the same rule."""
        safe = [d for d in self.safe if d.rule == finding.rule]
        about = [d for d in safe if self._is_about(d, finding)]
        for dismissal in (*about, *safe):
            for at in (*(note.at for note in dismissal.evidence), dismissal.at):
                if (spot := self._gone(at)) is not None:
                    return spot
        return None

    def _is_about(self, dismissal: Dismissal, finding: Finding) -> bool:
        moved = self.lines.moved(dismissal.at)
        return moved is not None and moved.path == finding.at.path and finding.at.covers(moved.line)

    def _gone(self, old: Place) -> Place | None:
        """The new line in the place of a line of the base that went."""
        path = self.lines.path(old.path)
        line = self.lines.of(path).deleted.get(old.line)
        return Place(path, line) if path and line else None

    def _nearest(self, finding: Finding, runs: Sequence[Context]) -> Place | None:
        settings = (Place(path, 1) for context in runs for path in context.configs)
        begins = _present(context.begins for context in runs)
        for at in (*_spoken_of(finding), *begins, *settings):
            lines = self.lines.of(at.path)
            spots = [line for line in {*lines.added, *lines.deleted.values()} if line]
            if spots:
                return Place(at.path, min(spots, key=lambda line: (abs(line - at.line), line)))
        return None


def _spoken_of(finding: Finding) -> Iterator[Place]:
    """The places of a finding: its own, the related ones, and its trace from the end."""
    yield finding.at
    yield from (note.at for note in finding.related)
    yield from (step.at for step in reversed(finding.trace))


def _present(places: Iterable[Place | None]) -> Iterator[Place]:
    return (place for place in places if place is not None)
