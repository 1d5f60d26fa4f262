"""The commands of a shell script, with variables expanded as far as the text alone tells. Nothing is run:
`$(...)`, `$1`, `"$@"` and variables from outside are unknown words. Both branches of an `if` are read; a
variable that only some branch sets is unknown afterwards."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from mmcodemod.facts.lines import Position
from mmcodemod.facts.shellvalues import EMPTY, Expander, Value, Word, unknown_value
from mmcodemod.facts.shellwords import Token, tokens

__all__ = ["Command", "Script", "Word", "parse"]

MAX_SIZE = 300_000
MAX_COMMANDS = 20_000

_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)(\+?)=")
_OPENING = {"then": "branch", "do": "branch", "else": "branch"}
_SKIPPED = {"if", "while", "until", "!", "{", "}", "time", "elif", "then", "do", "else", "fi", "done", "esac"}
_CLOSING = {"elif", "else", "fi", "done", "esac"}
_DECLARING = {"export", "declare", "local", "readonly", "typeset"}
_TESTS = {"[", "[[", "test"}


@dataclass(frozen=True, slots=True)
class Command:
    """A simple command. `env`: exported variables and `A=1 command` prefixes; `cwd`: where `cd` has led,
    relative to where the script starts ("" there, None unknown)."""

    words: tuple[Word, ...]
    env: dict[str, Word]
    cwd: str | None = ""

    @property
    def at(self) -> Position:
        return self.words[0].at


@dataclass(frozen=True, slots=True)
class Script:
    """`complete` is false when the text was too large to read to its end."""

    commands: tuple[Command, ...]
    complete: bool = True


def parse(text: str, variables: dict[str, str] | None = None) -> Script:
    """Read a script. `variables` are set from the start (Makefile variables)."""
    machine = _Machine()
    for name, value in (variables or {}).items():
        machine.expander.assign(name, Value.of(value, (0, 0)))
    for token in tokens(text[:MAX_SIZE]):
        machine.feed(token)
        if len(machine.commands) >= MAX_COMMANDS:
            return Script(tuple(machine.commands), False)
    machine.feed(Token("operator", "\n", (0, 0), (0, 0)))
    return Script(tuple(machine.commands), len(text) <= MAX_SIZE)


@dataclass
class _Machine:
    """Follows assignments, `cd` and branches through the text, in order."""

    expander: Expander = field(default_factory=Expander)
    commands: list[Command] = field(default_factory=list)
    pending: list[Token] = field(default_factory=list)
    cwd: str | None = ""
    subshells: list[str | None] = field(default_factory=list)
    branches: list[dict[str, Value | None]] = field(default_factory=list)
    exported: dict[str, Word] = field(default_factory=dict)
    after_test: bool = False  # behind `[ ... ] &&`: the command may not run

    def feed(self, token: Token) -> None:
        if token.kind == "word":
            self.pending.append(token)
            return
        words, self.pending = self.pending, []
        first = words[0].text if words else ""
        self._statement(words)
        self.after_test = token.text in ("&&", "||") and (first in _TESTS or self.after_test)
        self._operator(token.text)

    def _operator(self, text: str) -> None:
        if text == "(":
            self.subshells.append(self.cwd)
        elif text == ")" and self.subshells:
            self.cwd = self.subshells.pop()
        elif text.startswith(";;") or text == ";&":
            self._close_branch()
            self.branches.append({})

    def _statement(self, words: list[Token]) -> None:
        words = self._without_keywords(words)
        if not words:
            return
        split = next((i for i, w in enumerate(words) if not _is_assignment(w)), len(words))
        if split == len(words):
            for word in words:
                self._assign(word)
            return
        handler = self._builtins().get(words[split].text)
        if handler:
            handler(words[split + 1 :])
        else:
            self._command(words[:split], words[split:])

    def _without_keywords(self, words: list[Token]) -> list[Token]:
        at = 0
        while at < len(words) and words[at].text in _SKIPPED:
            if words[at].text in _CLOSING:
                self._close_branch()
            if words[at].text in _OPENING:
                self.branches.append({})
            at += 1
        return words[at:]

    def _close_branch(self) -> None:
        """What the branch set to another value than before may or may not be set from here on."""
        for name, before in (self.branches.pop() if self.branches else {}).items():
            if self.expander.variables.get(name) != before:
                self.expander.assign(name, unknown_value(name))
                self._forget_export(name)
                if self.branches:
                    self.branches[-1].setdefault(name, before)

    def _forget_export(self, name: str) -> None:
        if name in self.exported:
            before = self.exported[name]
            self.exported[name] = Word(f"${name}", before.at, before.end, unknown=True)

    def _builtins(self) -> dict[str, Callable[[list[Token]], None]]:
        return {
            "cd": self._cd,
            "pushd": self._cd,
            "popd": self._popd,
            "for": self._loop,
            "select": self._loop,
            "case": self._case,
            "read": self._forget,
            "unset": self._forget,
            **dict.fromkeys(_DECLARING, self._declare),
        }

    def _assign(self, token: Token, declared: bool = False) -> None:
        found = _ASSIGNMENT.match(token.text)
        if found is None:
            return
        name, value = found[1], self.expander.value(token, found.end())
        if found[2]:
            before = self.expander.variables.get(name, EMPTY)
            value = before.lengthened(value) if token.elements is None else before.extended(value)
        self._set(name, value)
        if declared or name in self.exported:
            self.exported[name] = value.word(token)

    def _set(self, name: str, value: Value) -> None:
        before = self.expander.variables.get(name)
        if self.branches:
            self.branches[-1].setdefault(name, before)
        if self.after_test and value != before:
            value = unknown_value(name)
        self.expander.assign(name, value)

    def _declare(self, words: list[Token]) -> None:
        for word in words:
            if _is_assignment(word):
                self._assign(word, declared=True)
            elif word.text in self.expander.variables:
                self.exported[word.text] = self.expander.variables[word.text].word(word)

    def _forget(self, words: list[Token]) -> None:
        for word in words:
            self._set(word.text, unknown_value(word.text))

    def _loop(self, words: list[Token]) -> None:
        self._forget(words[:1])

    def _case(self, words: list[Token]) -> None:
        self.branches.append({})

    def _cd(self, words: list[Token]) -> None:
        targets = [w for token in words for w in self.expander.words(token) if not w.text.startswith("-")]
        self.cwd = _joined(self.cwd, targets[0].text) if len(targets) == 1 else None

    def _popd(self, words: list[Token]) -> None:
        self.cwd = None

    def _command(self, prefixes: list[Token], words: list[Token]) -> None:
        expanded = tuple(w for token in words for w in self.expander.words(token))
        if not expanded:
            return
        env = dict(self.exported) if len(self.exported) < 200 else {}
        for token in prefixes:
            if found := _ASSIGNMENT.match(token.text):
                env[found[1]] = self.expander.value(token, found.end()).word(token)
        self.commands.append(Command(expanded, env, self.cwd))


def _is_assignment(token: Token) -> bool:
    return bool(token.segments) and not token.segments[0].quoted and bool(_ASSIGNMENT.match(token.text))


def _joined(cwd: str | None, target: str) -> str | None:
    if target.startswith(("/", "$", "`")):
        return target
    return None if cwd is None else f"{cwd}/{target}" if cwd else target
