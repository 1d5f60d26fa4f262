"""What a shell script knows at one place: variables, exports and the folder, and what branches and subshells
may have changed of them."""

from __future__ import annotations

from dataclasses import field
from typing import TypeVar

from mmcodemod.facts.shellifs import Runs
from mmcodemod.facts.shellvalues import LOST, Arguments, Expander, Value, Word, either, unknown_value
from mmcodemod.facts.shellwrites import Written
from mmcodemod.model.frozen import mutable

MAX_WRITTEN = 200  # files

Hidden = tuple[Value | None, Word | None]
"""The value of a variable and what programs see of it."""

T = TypeVar("T")


@mutable()
class _Log:
    """What stood before a branch, or before a subshell, which leaves nothing behind."""

    values: dict[str, Value | None] = field(default_factory=dict)
    exports: dict[str, Word | None] = field(default_factory=dict)
    subshell: bool = False
    runs: Runs = Runs.MAYBE
    loop: bool = False
    asks: bool = False  # a loop over the arguments, which nobody gives: the script alone never enters it
    cwd: str | None = ""
    arguments: Arguments | None = None
    empty: str = ""  # the variable that is empty where the branch runs, which it may give a default
    off: bool = False
    sure: bool = False


@mutable()
class Scope:
    """Follows assignments and `cd` through branches, in order."""

    expander: Expander = field(default_factory=Expander)
    exported: dict[str, Word] = field(default_factory=dict)
    cwd: str | None = ""
    logs: list[_Log] = field(default_factory=list)
    written: tuple[Written, ...] = ()  # files, by all commands so far

    def set(self, name: str, value: Value) -> None:
        if self.logs:
            self.logs[-1].values.setdefault(name, self.expander.variables.get(name))
        self.expander.assign(name, value)

    def forget(self, name: str) -> None:
        self.set(name, unknown_value(name))
        if known := self.exported.get(name):
            self.export(name, _unknown(name, known))

    def conceal(self, name: str) -> None:
        """No program sees the variable from here on."""
        if known := self.exported.pop(name, None):
            if self.logs:
                self.logs[-1].exports.setdefault(name, known)

    def hidden(self, name: str) -> Hidden:
        """What a local variable of that name hides."""
        return self.expander.variables.get(name), self.exported.get(name)

    def write(self, word: Word) -> None:
        if len(self.written) < MAX_WRITTEN and not self.is_off:
            self.written = (*self.written, Written(word, self.cwd))

    def restore(self, name: str, before: Hidden) -> None:
        """What a local variable of a function hid."""
        _put(self.expander.variables, name, before[0])
        _put(self.exported, name, before[1])

    def export(self, name: str, word: Word) -> None:
        if self.logs:
            self.logs[-1].exports.setdefault(name, self.exported.get(name))
        self.exported[name] = word

    def set_arguments(self, arguments: Arguments | None) -> None:
        """`shift` and `set --`. Which of them a branch ran shows nowhere behind it."""
        in_branch = any(not log.subshell and log.runs is Runs.MAYBE for log in self.logs)
        self.expander.arguments = LOST if in_branch else arguments

    @property
    def is_off(self) -> bool:
        """Does what is read here never run?"""
        return bool(self.logs) and self.logs[-1].off

    @property
    def is_sure(self) -> bool:
        """Does what is read here run, in the shell of the script itself, as far as branches say?"""
        return not self.logs or self.logs[-1].sure

    @property
    def in_loop(self) -> bool:
        """Is a loop open, whose later rounds may find other values?"""
        return bool(self.logs) and self.logs[-1].loop

    def open_branch(
        self, runs: Runs = Runs.MAYBE, loop: bool = False, empty: str = "", asks: bool = False
    ) -> None:
        on, runs = runs is Runs.ON, Runs.ALWAYS if runs is Runs.ON else runs
        runs = Runs.MAYBE if self.in_loop and runs is not Runs.OFF else runs
        loop = loop or self.in_loop
        log = _Log(runs=runs, loop=loop, cwd=self.cwd, arguments=self.expander.arguments, empty=empty)
        log.off = self.is_off or runs is Runs.OFF
        log.sure = self.is_sure and on and not loop
        log.asks = asks
        self.logs.append(log)

    def open_subshell(self) -> None:
        log = _Log(subshell=True, loop=self.in_loop, cwd=self.cwd, arguments=self.expander.arguments)
        log.off = self.is_off
        self.logs.append(log)

    def close_branch(self) -> dict[str, Value | None] | None:
        """What the branch set, None for one that surely runs, or never does."""
        if not self.logs or self.logs[-1].subshell:
            return None
        log = self.logs.pop()
        after = {name: self.expander.variables.get(name) for name in log.values}
        self._merge(log)
        return after if log.runs is Runs.MAYBE else None

    def one_of(self, arms: list[dict[str, Value | None]]) -> None:
        """One of these branches has run."""
        for name in arms[0]:
            if all(name in arm for arm in arms):
                value = arms[0][name]
                for arm in arms[1:]:
                    value = either(value, arm[name], name) if arm[name] != value else value
                if value is not None:
                    self.set(name, value)

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
        if log.runs in (Runs.NEVER, Runs.OFF):
            self._undo(log)
            return
        if log.runs is Runs.ALWAYS:
            self._keep(log)
            return
        for name, before in log.values.items():
            after = self.expander.variables.get(name)
            if after != before:
                self.expander.assign(name, self._merged(log, name, before, after))
                if self.logs:
                    self.logs[-1].values.setdefault(name, before)
        for name, word in log.exports.items():
            known = self.exported.get(name)
            shown = known or word
            if known is word or shown is None:
                continue
            if log.asks and word is not None and word.text and not word.unknown:
                self.exported[name] = word
                continue
            default = known.text if known and name == log.empty and not known.unknown else None
            self.exported[name] = _unknown(name, shown, default)
            if self.logs:
                self.logs[-1].exports.setdefault(name, word)

    @staticmethod
    def _merged(log: _Log, name: str, before: Value | None, after: Value | None) -> Value:
        if log.asks and before is not None and before.known:
            return before
        default = after.known if after and name == log.empty else None
        return either(before, after, name) if default is None else unknown_value(name, default)

    def _keep(self, log: _Log) -> None:
        """The branch around this one set what this one did."""
        if self.logs:
            for name, before in log.values.items():
                self.logs[-1].values.setdefault(name, before)
            for name, word in log.exports.items():
                self.logs[-1].exports.setdefault(name, word)

    def _undo(self, log: _Log) -> None:
        for name, before in log.values.items():
            _put(self.expander.variables, name, before)
        for name, word in log.exports.items():
            _put(self.exported, name, word)
        self.cwd, self.expander.arguments = log.cwd, log.arguments


def _put(named: dict[str, T], name: str, value: T | None) -> None:
    """What stood there before, which may be nothing."""
    if value is None:
        named.pop(name, None)
    else:
        named[name] = value


def _unknown(name: str, known: Word, default: str | None = None) -> Word:
    """The exported variable, set there, whose text is not known."""
    pieces = unknown_value(name, default).fields[0]
    return Word(f"${name}", known.at, known.end, True, None, pieces, known.file)
