"""Builtins of the shell that change variables, arguments or the folder."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import field

from mmcodemod.facts.shellscope import Hidden, Scope
from mmcodemod.facts.shellvalues import EMPTY, LOST, Value, arguments, either
from mmcodemod.facts.shellwords import Token, filled_text
from mmcodemod.model.frozen import mutable
from mmcodemod.model.pattern import regex

ASSIGNMENT = regex(r"([A-Za-z_]\w*)(\+?)=")
_NAME = regex(r"[A-Za-z_]\w*")
_READING = ("mapfile", "readarray", "let", "getopts")
_EXPORTING = regex(r"-[a-zA-Z]*x[a-zA-Z]*")
_CONCEALING = regex(r"-[a-zA-Z]*n[a-zA-Z]*")  # of `export`
_GLOBAL = regex(r"-[a-zA-Z]*g[a-zA-Z]*")
_FUNCTIONS = regex(r"-[a-zA-Z]*f[a-zA-Z]*")  # of `unset`
_EXPORTS_ALL = regex(r"[-+][a-zA-Z]*a[a-zA-Z]*")
_NEVER_ENDS = ("''", '""', r"$'\0'")  # delimiters with which `read` takes all lines


@mutable()
class Builtins:
    """`locals`: what the local variables of each open function hide; `uncertain`: the command may not run;
    `exports_all`: after `set -a`; `here`: the here-document that the command is given."""

    scope: Scope
    locals: list[dict[str, Hidden]] = field(default_factory=list)
    uncertain: bool = False
    exports_all: bool = False
    here: Token | None = None

    def find(self, name: str) -> Callable[[list[Token]], None] | None:
        """What carries out the builtin on the words behind its name."""
        return {
            "cd": self._cd,
            "pushd": self._cd,
            "popd": self._popd,
            "for": self.loop,
            "select": self.loop,
            "set": self._settings,
            "shift": self._shift,
            "export": self._export,
            "unset": self._unset,
            "local": self._local,
            "read": self._read,
            **dict.fromkeys(_READING, self._forget),
            **dict.fromkeys(("declare", "readonly", "typeset"), self._declare),
        }.get(name)

    def assign(self, token: Token, exported: bool = False) -> None:
        found = ASSIGNMENT.match(token.text)
        if found is None:
            return
        name, value = found[1], self.scope.expander.value(token, found.end())
        if found[2]:
            before = self.scope.expander.variables.get(name, EMPTY)
            value = before.lengthened(value) if token.elements is None else before.extended(value)
        self._set(name, value, token, exported)

    def _set(self, name: str, value: Value, token: Token, exported: bool = False) -> None:
        known = self.scope.expander.variables.get(name)
        if self.uncertain and value != known:
            value = either(known, value, name)
        self.scope.set(name, value)
        if exported or self.exports_all or name in self.scope.exported:
            self.scope.export(name, value.word(token, self.scope.expander.file))

    def _export(self, words: list[Token]) -> None:
        if any(_CONCEALING.fullmatch(word.text) for word in words):
            self._conceal(words)
            return
        for word in words:
            if is_assignment(word):
                self.assign(word, exported=True)
            elif word.text in self.scope.expander.variables:
                value = self.scope.expander.variables[word.text]
                self.scope.export(word.text, value.word(word, self.scope.expander.file))

    def _unset(self, words: list[Token]) -> None:
        """The variables are as unknown as any that nothing sets, and no program sees them."""
        if not any(_FUNCTIONS.fullmatch(word.text) for word in words):
            self._forget(words)
            self._conceal(words)

    def _conceal(self, words: list[Token]) -> None:
        """`export -n NAME`: programs do not see it any longer."""
        for word in words:
            if (found := _NAME.fullmatch(word.text)) and not self.uncertain:
                self.scope.conceal(found[0])

    def _declare(self, words: list[Token]) -> None:
        """Within a function `declare` without `-g` makes a local variable; `-x` exports."""
        exports = any(_EXPORTING.fullmatch(word.text) for word in words)
        everywhere = any(_GLOBAL.fullmatch(word.text) for word in words)
        for word in words:
            if found := ASSIGNMENT.match(word.text):
                if not everywhere:
                    self._hide(found[1])
                self.assign(word, exported=exports)
            elif exports:
                self._export([word])

    def _hide(self, name: str) -> None:
        """The function that is being read has a local variable of that name."""
        if self.locals:
            self.locals[-1].setdefault(name, self.scope.hidden(name))

    def _local(self, words: list[Token]) -> None:
        for word in words:
            if self.locals and not is_assignment(word) and not word.text.startswith("-"):
                self._hide(word.text)
                self.scope.forget(word.text)
        self._declare(words)

    def _forget(self, words: list[Token]) -> None:
        for word in words:
            if found := _NAME.match(word.text):
                self.scope.forget(found[0])

    def _read(self, words: list[Token]) -> None:
        """`read -r -d '' NAME <<EOF` takes the whole text; what others read, nobody knows."""
        name, here = reads_all([word.text for word in words]), self.here
        if not name or here is None:
            self._forget(words)
            return
        text = filled_text(here)
        self._set(name, self.scope.expander.value(text, 0), text)

    def loop(self, words: list[Token]) -> None:
        """`for NAME in ...`."""
        self._forget(words[:1])

    def _settings(self, words: list[Token]) -> None:
        """`set -- a b` and `set -a`."""
        texts = [word.text for word in words]
        if texts[:1] == ["--"]:
            found = [w for token in words[1:] for w in self.scope.expander.words(token)]
            self.scope.set_arguments(LOST if self.uncertain else arguments(found))
        elif texts and (_EXPORTS_ALL.fullmatch(texts[0]) or "allexport" in texts):
            self.exports_all = texts[0].startswith("-")

    def _shift(self, words: list[Token]) -> None:
        count = int(words[0].text) if words and re.fullmatch(r"\d{1,4}", words[0].text) else 1
        known = self.scope.expander.arguments
        if known is not None:
            plain = known is not LOST and not self.uncertain and (not words or words[0].text.isdigit())
            self.scope.set_arguments(known[count:] if plain and count <= len(known) else LOST)

    def _cd(self, words: list[Token]) -> None:
        found = [w for token in words for w in self.scope.expander.words(token)]
        targets = [w for w in found if not w.text.startswith("-")]
        self.scope.cwd = _joined(self.scope.cwd, targets[0].text) if len(targets) == 1 else None

    def _popd(self, words: list[Token]) -> None:
        self.scope.cwd = None


def reads_all(texts: list[str]) -> str:
    """The variable that `read` gives all lines as they stand, "" where it does something else."""
    match texts:
        case ["-r", "-d", end, name] | ["-d", end, "-r", name] | ["-rd", end, name] if end in _NEVER_ENDS:
            return name if _NAME.fullmatch(name) else ""
    return ""


def is_assignment(token: Token) -> bool:
    """`NAME=value` or `NAME+=value`, of which the name has no quotes."""
    return bool(token.segments) and not token.segments[0].quoted and bool(ASSIGNMENT.match(token.text))


def _joined(cwd: str | None, target: str) -> str | None:
    if target.startswith(("/", "$", "`")):
        return target
    return None if cwd is None else f"{cwd}/{target}" if cwd else target
