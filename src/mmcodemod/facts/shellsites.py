"""Where the words of a shell command are written: in the command itself, in an array, or in the text of a
variable, and whether nothing else reads that variable."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace

from mmcodemod.facts.lines import LineMap, Position
from mmcodemod.facts.shell import Command, Word, parse
from mmcodemod.facts.shellvalues import Piece
from mmcodemod.facts.shellwords import Token, tokens, without_comments
from mmcodemod.model.frozen import frozen
from mmcodemod.model.pattern import regex

_ASSIGNMENT = regex(r"([A-Za-z_]\w*)\+?=")
_BARE = regex(r"[\w@%+=:,./-]+", re.ASCII)  # what needs no quotes anywhere
_READS_ANYTHING = {"source", ".", "eval", "trap", "let", "envsubst"}
_EXPORTS_ALL = regex(r"\bset\s+-\w*a|allexport|\$\{!")


@frozen(slots=True)
class Site:
    """A word or its end: offsets in the text. `owner`: the start of what holds it (a command, an array or a
    text); `bare`: within the text of a variable, where a word has no quotes of its own; `split`: the shell
    splits the value once more and looks for files of that name."""

    start: int
    end: int
    owner: int
    bare: bool = False
    split: bool = False


class Scripted:
    """A script with its tokens."""

    def __init__(self, text: str) -> None:
        self.text, self.offset = text, LineMap(text).offset
        script = parse(text)
        self.commands = script.commands if script.complete else ()
        self.tokens = list(tokens(text))
        self.at = {token.at: token for token in self.tokens}

    def command(self, at: Position) -> int | None:
        """The number of the command that begins there; `--flag)`, a pattern of `case`, is none."""
        found = (i for i, c in enumerate(self.commands) if c.at == at and not c.words[0].text.startswith("-"))
        return next(found, None)

    def site(self, command: Command, word: Word, skip: int = 0) -> Site | None:
        """Where the word is written from its character `skip` on, if that is in one piece and an edit there
        changes this word alone."""
        token = self.at.get(word.at)
        if token is None or word.unknown:
            return None
        if _is_plain(token):
            start = self.offset(token.at)
            holds = self.text.startswith(word.text[:skip], start)  # not `"--name=value"`, quoted as a whole
            return Site(start + skip, self.offset(token.end), self.offset(command.at)) if holds else None
        pieces = _rest(word.pieces, skip)
        return self._in_variable(token, pieces) if pieces else None

    def own_site(self, command: Command, word: Word) -> Site | None:
        """Like `site`, but the use of a variable that is this word and nothing else is a site, too."""
        token = self.at.get(word.at)
        if token and _is_one_word(token, word) and sum(w.at == word.at for w in command.words) == 1:
            return Site(self.offset(token.at), self.offset(token.end), self.offset(command.at))
        return self.site(command, word)

    def _in_variable(self, use: Token, pieces: list[Piece]) -> Site | None:
        starts, text = [self.offset(p.at) for p in pieces], "".join(p.text for p in pieces)
        holder = next((t for t in self.tokens if t.kind == "word" and self._holds(t, starts)), None)
        found = _ASSIGNMENT.match(holder.text) if holder else None
        if holder is None or found is None or not self._is_private(found[1], use):
            return None
        split = not all(s.quoted for s in use.segments if s.kind == "var")
        if holder.elements is not None:
            return self._element(holder, starts, text, split)
        begin, end = self.offset(holder.at) + found.end(), self.offset(holder.end)
        if _is_plain(holder) and _text(holder)[found.end() :] == text:
            return Site(begin, end, begin, split=split)
        start, end = starts[0], starts[0] + len(text)
        inside = any(s.kind == "text" and self._covers(s.at, s.text, start, end) for s in holder.segments)
        return Site(start, end, begin, bare=True) if inside and len(pieces) == 1 else None

    def _holds(self, token: Token, starts: list[int]) -> bool:
        return self.offset(token.at) <= min(starts) and max(starts) <= self.offset(token.end)

    def _covers(self, at: Position, text: str, start: int, end: int) -> bool:
        begin = self.offset(at)
        return begin <= start and end <= begin + len(text) and self.text.startswith(text, begin)

    def _element(self, holder: Token, starts: list[int], text: str, split: bool) -> Site | None:
        for token in holder.elements or ():
            if self._holds(token, starts) and _is_plain(token) and _text(token).endswith(text):
                begin = self.offset(token.at) + len(_text(token)) - len(text)
                return Site(begin, self.offset(token.end), self.offset(holder.at), split=split)
        return None

    def _is_private(self, name: str, use: Token) -> bool:
        """Is the variable read by this word of the command and by nothing else, as far as the text shows?"""
        read = [s for s in use.segments if s.kind != "text"]
        if [s.text for s in read] != [name] or read[0].kind != "var" or read[0].default is not None:
            return False
        if _EXPORTS_ALL.search(self.text) or any(c.words[0].text in _READS_ANYTHING for c in self.commands):
            return False
        code = without_comments(self.text)
        if len(re.findall(rf"\$\{{?#?{name}(?!\w)", code)) != 1 or re.search(rf"\(\([^)]*\b{name}\b", code):
            return False
        if any(t.text == name or t.text.startswith(f"{name}[") for t in self.tokens):
            return False
        set_at = [i for i, t in enumerate(self.tokens) if re.match(rf"{name}\+?=", t.text)]
        once = sum(self.tokens[i].text.startswith(f"{name}=") for i in set_at) == 1
        return once and all(self._is_alone(i) for i in set_at)

    def _is_alone(self, number: int) -> bool:
        """Is the assignment a statement? What `export NAME=` and `NAME=1 command` set reaches a program."""
        before, after = self.tokens[max(number - 1, 0)], self.tokens[min(number + 1, len(self.tokens) - 1)]
        beside = [t for t in (before, after) if t is not self.tokens[number] and t.kind == "word"]
        return all(
            _ASSIGNMENT.match(t.text) or t.text in ("local", "readonly", "then", "do", "else", "{")
            for t in beside
        )


def _is_plain(token: Token) -> bool:
    return bool(token.segments) and token.elements is None and all(s.kind == "text" for s in token.segments)


def _is_one_word(token: Token, word: Word) -> bool:
    """Not `$MORE`, of which nobody knows what it holds; `out/$NAME` is the value that it seems to be."""
    one = all(s.quoted for s in token.segments) or bool(_text(token))
    return not word.unknown or (one and not any(s.every for s in token.segments))


def _text(token: Token) -> str:
    return "".join(s.text for s in token.segments if s.kind == "text")


def _rest(pieces: tuple[Piece, ...], skip: int) -> list[Piece]:
    """What is left behind `skip` characters, which hold no line end."""
    left = [piece for piece in pieces if piece.text or piece.through_variable]
    while left and skip >= len(left[0].text) > 0:
        skip -= len(left.pop(0).text)
    if left and skip:
        (line, column), text = left[0].at, left[0].text
        left[0] = replace(left[0], text=text[skip:], at=(line, column + skip))
    return left


def quoted(value: str, like: str = "") -> str:
    """A word for the shell, in the quotes that `like` has where they will do."""
    if like[:1] == '"' and not set(value) & set('"$`\\'):
        return f'"{value}"'
    if like[:1] == "'" and "'" not in value:
        return f"'{value}'"
    return value if is_bare(value) else shlex.quote(value)


def is_bare(value: str) -> bool:
    """Does it mean itself without quotes?"""
    return _BARE.fullmatch(value) is not None
