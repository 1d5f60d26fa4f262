"""Sets and removes flags of shell commands by span, also in the arrays and variables that only that command
reads. See `spans` for the answers. Here-documents are data: no command is seen in them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from mmcodemod.facts.lines import Position
from mmcodemod.facts.shell import Command, Word, parse
from mmcodemod.facts.shellsites import Scripted, Site, is_bare, quoted
from mmcodemod.facts.spans import Edits, Span, applied, edits, is_writable
from mmcodemod.model.pattern import regex

_FLAG = regex(r"--?[A-Za-z][\w.-]*")
_BLANK = regex(r"(?:[ \t\r\n]|\\\r?\n)+")
_BLANK_BEFORE = regex(r"(?:[ \t]|\\\r?\n)+\Z")
_CONTROL = regex(r"[\x00-\x08\x0b-\x1f\x7f]")  # bash itself loses some of them
_MORE_BEHIND = regex(r"[ \t]+(?=[^\s\\#])")
_LINE_ENDS = regex(r"[ \t]*[\r\n]")
_CONTINUED = regex(r"[ \t]*\\\r?\n[ \t]*\Z")
_PASSED_ON = ("$@", "$*")
_LONGEST_GAP = 400  # characters of white space in front of a word

Said = tuple[tuple[str, bool], ...]  # text of each word, and whether it is unknown
Answer = tuple[list[Span], Said]  # and what the command is to say afterwards


def set_flag(
    text: str, path: str, at: Position, flag: str, value: str | None, first: int = 0
) -> Edits | None:
    """Give the command that begins at `at` the flag (`--name`) with one value, or with none. Of several
    flags the last counts; one that is missing is added behind the last word, in front of `"$@"`. Words in
    front of number `first` are the launcher's own and left alone."""
    script = Scripted(text)
    number = script.command(at)
    if number is None or not _FLAG.fullmatch(flag) or not is_writable(value) or _CONTROL.search(value or ""):
        return None
    edit = _Flag(script, script.commands[number], flag, first)
    answer = edit.set(value)
    return _checked(text, path, script, number, answer)


def remove_flag(text: str, path: str, at: Position, flag: str, first: int = 0) -> Edits | None:
    """Take the flag and its value out of the command that begins at `at`. Refused for a flag that is there
    twice: the other one would begin to count."""
    script = Scripted(text)
    number = script.command(at)
    if number is None or not _FLAG.fullmatch(flag):
        return None
    return _checked(text, path, script, number, _Flag(script, script.commands[number], flag, first).removed())


class _Flag:
    """One flag of one command."""

    def __init__(self, script: Scripted, command: Command, flag: str, first: int) -> None:
        self.script, self.command, self.flag = script, command, flag
        self.words, self.said = command.words, _said(command)
        name = _named(flag)
        self.found = [i for i, w in enumerate(self.words) if i >= first and _named(w.text) == name]

    def set(self, value: str | None) -> Answer | None:
        if not self.found:
            return self._added(value)
        at = self.found[-1]
        word, values = self.words[at], self._values(at)
        if "=" in word.text:
            return self._replaced(at, value, word.text.index("=") + 1)
        if value is None:
            return None if values else ([], self.said)
        if values and values[0].text == value and not values[0].unknown:
            return [], self.said
        if len(values) > 1 or self._runs_next(at) or _named(value):
            return None
        return self._replaced(at + 1, value, 0) if values else self._given(at, value)

    def removed(self) -> Answer | None:
        if not self.found:
            return [], self.said
        at = self.found[0]
        end = at + 1 + len(self._values(at))
        sites = [self.script.own_site(self.command, word) for word in self.words[at:end]]
        if len(self.found) > 1 or end > at + 2 or self._runs_next(at):
            return None
        span = self._between(sites)
        return ([span], self.said[:at] + self.said[end:]) if span else None

    def _values(self, at: int) -> Sequence[Word]:
        """The words from a flag to the next one, or to the script behind them."""
        behind = self.words[at + 1 :] if "=" not in self.words[at].text else ()
        end = next((i for i, w in enumerate(behind) if _ends_values(w) or (i and self._is_script(w))), None)
        return behind[:end]

    def _is_script(self, word: Word) -> bool:
        return word is next((w for w in self.words if w.text.endswith(".py")), None)

    def _runs_next(self, at: int) -> bool:
        """Is the next word the first Python file? It may be what is run, and not the value of the flag."""
        return "=" not in self.words[at].text and any(self._is_script(w) for w in self.words[at + 1 : at + 2])

    def _replaced(self, at: int, value: str | None, skip: int) -> Answer | None:
        word = self.words[at]
        if value is None or word.unknown:
            return None
        if word.text[skip:] == value:
            return [], self.said
        site = self.script.site(self.command, word, skip)
        new = self._written(site, value) if site else None
        said = (word.text[:skip] + value, False)
        return ([(site.start, site.end, new)], self._with(at, at + 1, said)) if site and new else None

    def _given(self, at: int, value: str) -> Answer | None:
        """A value behind a flag that has none."""
        site = self.script.site(self.command, self.words[at])
        new = self._written(site, value) if site else None
        if site is None or new is None:
            return None
        inside = (
            site.split and self.script.text[site.end - 1] in "'\""
        )  # in the quotes: they are split once more
        end = site.end - inside
        return [(end, end, f" {value if inside else new}")], self._with(at + 1, at + 1, (value, False))

    def _added(self, value: str | None) -> Answer | None:
        if value is not None and _named(value):
            return None
        at = len(self.words)
        while at > 1 and self.words[at - 1].unknown and self.words[at - 1].text in _PASSED_ON:
            at -= 1
        end = self.script.offset(self.words[at - 1].end)
        new = self.flag if value is None else f"{self.flag} {quoted(value)}"
        said = [(self.flag, False)] + ([] if value is None else [(value, False)])
        return [(end, end, self._separator(end) + new)], self._with(at, at, *said)

    def _written(self, site: Site, value: str) -> str | None:
        if (site.bare or site.split) and not is_bare(value):
            return None
        return value if site.bare else quoted(value, self.script.text[site.start : site.end])

    def _with(self, start: int, end: int, *new: tuple[str, bool]) -> Said:
        return self.said[:start] + new + self.said[end:]

    def _separator(self, end: int) -> str:
        """A continuation where the last line of the command before `end` came by one, else a blank."""
        text, found = self.script.text, " "
        for word in self.words:
            start = self.script.offset(word.at)
            gap = _CONTINUED.search(text, max(start - _LONGEST_GAP, 0), start) if start < end else None
            found = gap.group() if gap else found
        return found

    def _between(self, sites: Sequence[Site | None]) -> Span | None:
        """The span of sites that stand side by side, with the white space in front of them."""
        known = [site for site in sites if site]
        text = self.script.text
        gaps = [text[a.end : b.start] for a, b in pairwise(known)]
        if len(known) < len(sites) or len({site.owner for site in known}) > 1:
            return None
        if not all(_BLANK.fullmatch(gap) for gap in gaps):
            return None
        return (*self._widened(known[0].start, known[-1].end), "")

    def _widened(self, start: int, end: int) -> tuple[int, int]:
        """The blanks behind it go along where more follows on the line, else what is in front of it."""
        text = self.script.text
        if behind := _MORE_BEHIND.match(text, end):
            return start, behind.end()
        before = _BLANK_BEFORE.search(text, max(start - _LONGEST_GAP, 0), start)
        begin = before.start() if before else start
        if text[begin - 1] in "\r\n" and _LINE_ENDS.match(text, end):
            begin -= 2 if text[begin - 2 : begin] == "\r\n" else 1
        return begin, end


def _named(word: str) -> str:
    """`--learning-rate=1` and `--learning_rate` are one flag."""
    flag = word.partition("=")[0]
    return flag.replace("-", "_") if _FLAG.fullmatch(flag) else ""


def _ends_values(word: Word) -> bool:
    return bool(_named(word.text)) or word.text in _PASSED_ON


def _said(command: Command) -> Said:
    return tuple((word.text, word.unknown) for word in command.words)


def _checked(text: str, path: str, script: Scripted, number: int, answer: Answer | None) -> Edits | None:
    """Every other command must say what it said, and this one what it is to say."""
    if answer is None:
        return None
    wanted = [_all(c, _said(c)) for c in script.commands]
    wanted[number] = _all(script.commands[number], answer[1])
    after = [_all(c, _said(c)) for c in parse(applied(text, answer[0])).commands]
    return edits(text, path, answer[0]) if after == wanted else None


def _all(command: Command, said: Said) -> tuple[Said, tuple[tuple[str, str], ...], str | None]:
    return said, tuple(sorted((name, word.text) for name, word in command.env.items())), command.cwd
