"""The shell text of a Dockerfile: what `RUN` runs, after the values of `ARG` and `ENV`. Lines keep their
numbers."""

from __future__ import annotations

import json
import re
import shlex

from mmcodemod.model.pattern import regex

_INSTRUCTION = regex(r"[ \t]{0,40}(RUN|ARG|ENV)[ \t]+(.*)", re.IGNORECASE)
_OLD_ENV = regex(r"([A-Za-z_]\w{0,80})[ \t]+(?![^\s]{0,200}=)(.+)")
_FLAGS = regex(r"[ \t]*(?:--[a-z-]{1,20}(?:=[^ \t\\]{0,500})?[ \t]*)+")
_HEREDOC = regex(r"<<-?[\"']?([A-Za-z_]\w{0,40})[\"']?[ \t]*\Z")


def as_shell(text: str) -> str:
    """Every line of the file, empty where nothing is run."""
    reader = _Reader()
    return "\n".join(reader.line(line) for line in text.splitlines())


class _Reader:
    """Follows instructions over their lines."""

    def __init__(self) -> None:
        self.continues = False
        self.kept = False  # is the instruction one that we read?
        self.flags = False  # have only flags of RUN been read so far?
        self.until = ""  # the end of a here-document

    def line(self, line: str) -> str:
        if self.until:
            return self._inside(line)
        if not self.continues:
            return self._begin(line)
        if not line.strip() or line.lstrip().startswith("#"):
            return "\\" if self.kept else ""  # Docker skips these, and the instruction goes on
        return self._rest(line)

    def _begin(self, line: str) -> str:
        found = _INSTRUCTION.fullmatch(line)
        self.kept, self.flags = found is not None, bool(found and found[1].upper() == "RUN")
        if found is None:
            self.continues = not line.lstrip().startswith("#") and line.rstrip().endswith("\\")
            return ""
        return self._rest(found[2] if self.flags else _assignments(found[2]))

    def _rest(self, text: str) -> str:
        self.continues = text.rstrip().endswith("\\")
        if not self.kept:
            return ""
        if self.flags:
            text = _FLAGS.sub("", text, count=1) if _FLAGS.match(text) else text
            self.flags = not text.strip(" \t\\")
            if document := _HEREDOC.search(text[-200:]):
                self.until = document[1]
                return ""
        return _exec_form(text.strip()) or text.rstrip()

    def _inside(self, line: str) -> str:
        if line.strip() == self.until:
            self.until = ""
            return ""
        return line


def _assignments(text: str) -> str:
    """`ENV A 1` is the old way to write `ENV A=1`; `ARG A` gives no value."""
    old = _OLD_ENV.fullmatch(text)
    if old is not None:
        return f"{old[1]}={shlex.quote(old[2].strip())}"
    return text if "=" in text else ""


def _exec_form(text: str) -> str:
    """`["pip", "install", "x"]` as a line of the shell; empty for anything else."""
    if not text.startswith("["):
        return ""
    try:
        words = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    strings = isinstance(words, list) and all(isinstance(word, str) for word in words)
    return shlex.join(words) if strings and "\n" not in text else ""
