"""What a shell script knows at one place: variables, exports and the folder, and what branches and subshells
may have changed of them."""

from __future__ import annotations

from dataclasses import dataclass, field

from mmcodemod.facts.shellifs import Runs
from mmcodemod.facts.shellvalues import LOST, Arguments, Expander, Value, Word, unknown_value


@dataclass
class _Log:
    """What stood before a branch, or before a subshell, which leaves nothing behind."""

    values: dict[str, Value | None] = field(default_factory=dict)
    exports: dict[str, Word | None] = field(default_factory=dict)
    subshell: bool = False
    runs: Runs = Runs.MAYBE
    loop: bool = False
    cwd: str | None = ""
    arguments: Arguments | None = None
    empty: str = ""  # the variable that is empty where the branch runs, which it may give a default


@dataclass
class Scope:
    """Follows assignments and `cd` through branches, in order."""

    expander: Expander = field(default_factory=Expander)
    exported: dict[str, Word] = field(default_factory=dict)
    cwd: str | None = ""
    logs: list[_Log] = field(default_factory=list)

    def set(self, name: str, value: Value) -> None:
        if self.logs:
            self.logs[-1].values.setdefault(name, self.expander.variables.get(name))
        self.expander.assign(name, value)

    def forget(self, name: str) -> None:
        self.set(name, unknown_value(name))

    def restore(self, name: str, before: Value | None) -> None:
        """What a local variable of a function hid."""
        if before is None:
            self.expander.variables.pop(name, None)
        else:
            self.expander.variables[name] = before

    def export(self, name: str, word: Word) -> None:
        if self.logs:
            self.logs[-1].exports.setdefault(name, self.exported.get(name))
        self.exported[name] = word

    def set_arguments(self, arguments: Arguments | None) -> None:
        """`shift` and `set --`. Which of them a branch ran shows nowhere behind it."""
        in_branch = any(not log.subshell and log.runs is Runs.MAYBE for log in self.logs)
        self.expander.arguments = LOST if in_branch else arguments

    @property
    def in_loop(self) -> bool:
        """Is a loop open, whose later rounds may find other values?"""
        return bool(self.logs) and self.logs[-1].loop

    def open_branch(self, runs: Runs = Runs.MAYBE, loop: bool = False, empty: str = "") -> None:
        runs = Runs.MAYBE if self.in_loop else runs
        loop = loop or self.in_loop
        before = self.cwd, self.expander.arguments
        self.logs.append(_Log(runs=runs, loop=loop, cwd=before[0], arguments=before[1], empty=empty))

    def open_subshell(self) -> None:
        before = self.cwd, self.expander.arguments
        self.logs.append(_Log(subshell=True, loop=self.in_loop, cwd=before[0], arguments=before[1]))

    def close_branch(self) -> None:
        if self.logs and not self.logs[-1].subshell:
            self._merge(self.logs.pop())

    def close_subshell(self) -> None:
        """Up to the innermost one that is open; a `)` that closes none is left alone."""
        if any(log.subshell for log in self.logs):
            while not self.logs[-1].subshell:
                self.close_branch()
            self._undo(self.logs.pop())

    def close_to(self, level: int) -> None:
        """Close what is open above this number of branches."""
        while len(self.logs) > level:
            if self.logs[-1].subshell:
                self._undo(self.logs.pop())
            else:
                self.close_branch()

    def _merge(self, log: _Log) -> None:
        """What a branch that may run set to another value than before may or may not be set from here on."""
        if log.runs is Runs.NEVER:
            self._undo(log)
            return
        if log.runs is Runs.ALWAYS:
            self._keep(log)
            return
        for name, before in log.values.items():
            after = self.expander.variables.get(name)
            if after != before:
                default = after.known if after and name == log.empty else None
                self.expander.assign(name, unknown_value(name, default))
                if name in self.exported:
                    log.exports.setdefault(name, self.exported[name])
                if self.logs:
                    self.logs[-1].values.setdefault(name, before)
        for name, word in log.exports.items():
            known = self.exported[name]
            default = known.text if name == log.empty and not known.unknown else None
            pieces = unknown_value(name, default).fields[0]
            self.exported[name] = Word(f"${name}", known.at, known.end, True, None, pieces, known.file)
            if self.logs:
                self.logs[-1].exports.setdefault(name, word)

    def _keep(self, log: _Log) -> None:
        """The branch around this one set what this one did."""
        if self.logs:
            for name, before in log.values.items():
                self.logs[-1].values.setdefault(name, before)
            for name, word in log.exports.items():
                self.logs[-1].exports.setdefault(name, word)

    def _undo(self, log: _Log) -> None:
        for name, before in log.values.items():
            self.restore(name, before)
        for name, word in log.exports.items():
            if word is None:
                self.exported.pop(name, None)
            else:
                self.exported[name] = word
        self.cwd, self.expander.arguments = log.cwd, log.arguments
