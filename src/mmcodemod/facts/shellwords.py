"""Words of a shell script as written: quotes, `$NAME` and here-documents are recognised, nothing is
expanded or run. Linear in the size of the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field, replace

from mmcodemod.facts.lines import LineMap, Position
from mmcodemod.model.frozen import frozen, mutable
from mmcodemod.model.pattern import regex

MAX_NESTING = 20

_PLAIN = regex(r"[^\s;&|()<>\\'\"$`]+")
_QUOTED_PLAIN = regex(r"[^\\\"$`]+")
_HERE_PLAIN = regex(r"(?:[^\\$`]|\\\")+")
_BLANK = regex(r"(?:[ \t\r\f\v]|\\(?:\r?\n|\Z))+")
_OPERATOR = regex(r"&&|\|\||;;&|;;|;&|;|\|&|\||&(?!>)|\n|\(|\)")
_REDIRECT = regex(r"(?:\d*|&)(?:<<<|<<-|<<|<>|>>|>\||<&|>&|<|>)")
_OUTPUT = (">", ">>", ">|", "1>", "1>>", "&>", "&>>")
_COMMENT = regex(r"#[^\n]*")
_NAME = regex(r"[A-Za-z_]\w*|[0-9@*#?$!-]")
_BRACED = regex(r"\{([A-Za-z_]\w*|[0-9]+|[@*])(\[[^\]\n]{0,40}\])?(\}|:?[-=])")
_ARRAY_START = regex(r"[A-Za-z_]\w*\+?=\Z")
_PLACEHOLDER = regex(r"<[A-Za-z_](?:[^<>\n|&;]{0,60}[^<>\n|&;\s])?>(?=[\s\"'/,.:_-]|\Z)")
_LINE_END = regex(r"(?<!\\)\n")
_NEVER = regex(r"(?!)")


@frozen(slots=True)
class Segment:
    """Part of a word. `kind`: "text", "var" (`text` is the name) or "unknown" (`text` is the source).
    `every`: `${NAME[@]}`; `joined`: `"${NAME[*]}"`; `default`: the segments after `:-`, or after `-`, which
    counts for a name that is `unset` alone."""

    kind: str
    text: str
    at: Position
    quoted: bool = False
    every: bool = False
    default: tuple[Segment, ...] | None = None
    joined: bool = False
    unset: bool = False


@frozen(slots=True)
class Token:
    """`kind`: "word" (with `elements` when it is `NAME=( ... )`), "operator", "output", a file of `>`, or
    "here", a here-document: `text` stands between its delimiters, `segments` are those of the first."""

    kind: str
    text: str
    at: Position
    end: Position
    segments: tuple[Segment, ...] = ()
    elements: tuple[Token, ...] | None = None


def tokens(text: str, placeholders: bool = False) -> Iterator[Token]:
    """Words, operators, files of `>` and here-documents in order. Comments and other redirections are left
    out. `placeholders`: `<your path>` is an unknown word, as in a README, and no redirection."""
    begin = len(text) - len(text.lstrip("\n"))  # of a block of a page, the lines before it are empty
    return _Lexer(text, begin, placeholder=_PLACEHOLDER if placeholders else _NEVER).tokens()


def filled_in(text: str) -> Iterator[Token]:
    """The tokens of a here-document in which the shell replaces variables, whatever quotes surround them, and
    takes one backslash away."""
    return _Lexer(text, replaced=True).tokens()


def filled_text(here: Token) -> Token:
    """A here-document as one word, in which the shell replaces variables unless its delimiter has quotes."""
    if any(segment.quoted for segment in here.segments):
        return replace(here, kind="word", segments=(Segment("text", here.text, here.at, quoted=True),))
    lexer = _Lexer("\n" * (here.at[0] - 1) + here.text)
    return replace(here, kind="word", segments=lexer.whole(here.at[0] - 1))


def without_comments(text: str) -> str:
    """The text with a blank in the place of each comment; here-documents have none."""
    lexer = _Lexer(text)
    for _ in lexer.tokens():
        pass
    starts = [0, *(end for _, end in lexer.comments)]
    return " ".join(text[a:b] for a, b in zip(starts, [*(start for start, _ in lexer.comments), len(text)]))


@mutable()
class _Lexer:
    text: str
    at: int = 0
    heredocs: list[str] = field(default_factory=list)
    in_array: bool = False
    comments: list[tuple[int, int]] = field(default_factory=list)  # offsets
    placeholder: re.Pattern[str] = _NEVER
    replaced: bool = False  # by a shell that reads the text before the one that runs it
    body: int = 0  # where the next here-document of the line begins; 0 where none has begun

    def __post_init__(self) -> None:
        self.lines = LineMap(self.text)

    def tokens(self) -> Iterator[Token]:
        while self.at < len(self.text):
            token = self._next()
            if token is not None:
                yield token

    def whole(self, start: int) -> tuple[Segment, ...]:
        """The text from there on, with the pieces that a here-document has."""
        self.at, segments = start, [Segment("text", "", self.lines.position(start), quoted=True)]
        while self.at < len(self.text):
            self._quoted(segments, _HERE_PLAIN)
        return tuple(segments)

    def _next(self) -> Token | None:
        begin = self.at
        if self._take(_COMMENT):
            self.comments.append((begin, self.at))
        if begin != self.at or self._take(_BLANK):
            return None
        if self.placeholder.match(self.text, self.at):
            return self._word()
        if redirect := self._take(_REDIRECT):
            return self._target(redirect)
        start = self.at
        if operator := self._take(_OPERATOR):
            if operator == "\n":
                self._skip_heredocs()
            here = self.lines.position(start)
            return Token("operator", operator, here, (here[0], here[1] + len(operator)))
        return self._word()

    def _take(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.at)
        if found is None:
            return ""
        self.at = found.end()
        return found.group()

    def _target(self, redirect: str) -> Token | None:
        """The file of a redirection, None unless the output goes there; the delimiter of a here-document."""
        self._take(_BLANK)
        if self._take(re.compile(r"\(")):  # process substitution: <(command)
            self._skip_balanced()
        elif self.at < len(self.text) and not _OPERATOR.match(self.text, self.at):
            target = self._word()
            if redirect.endswith(("<<", "<<-")) and not redirect.endswith("<<<"):
                self.heredocs.append("".join(s.text for s in target.segments))
                return self._here(target)
            if redirect in _OUTPUT:
                return Token("output", redirect, target.at, target.end, target.segments)
        return None

    def _here(self, target: Token) -> Token:
        """The here-document that begins with the next line, or behind the one before it."""
        begin = self.body or self._next_line()
        inside, self.body = self._ends(self.heredocs[-1], begin)
        at = self.lines.position(begin)
        return Token("here", self.text[begin:inside], at, self.lines.position(inside), target.segments)

    def _next_line(self) -> int:
        found = _LINE_END.search(self.text, self.at)
        return found.end() if found else len(self.text)

    def _ends(self, delimiter: str, begin: int) -> tuple[int, int]:
        """Where a here-document ends, and where the text goes on."""
        end = re.compile(rf"(?m)^\t*{re.escape(delimiter)}[ \t\r]*$").search(self.text, begin)
        return (end.start(), min(end.end() + 1, len(self.text))) if end else (len(self.text), len(self.text))

    def _skip_heredocs(self) -> None:
        for delimiter in self.heredocs:
            _, self.at = self._ends(delimiter, self.at)
        self.heredocs, self.body = [], 0

    def _word(self) -> Token:
        start = self.at
        segments: list[Segment] = []
        while self.at < len(self.text) and (self.at == start or not self._ends_word()):
            if self.text[self.at] == "(" and not self.in_array and _is_array_start(segments):
                return self._array(start, tuple(segments))
            if not self._segment(segments):
                break
        end = self.lines.position(self.at)
        return Token("word", self.text[start : self.at], self.lines.position(start), end, tuple(segments))

    def _ends_word(self) -> bool:
        char = self.text[self.at]
        if char == "(":
            return self.text[self.at - 1] != "="
        if char == "<" and self.placeholder.match(self.text, self.at):
            return False
        return char.isspace() or char in ";&|)<>"

    def _segment(self, segments: list[Segment]) -> bool:
        """Read one piece of a word; false when the word ends here."""
        char = self.text[self.at]
        if plain := self._match_text(_PLAIN, False):
            segments.append(plain)
        elif char == "\\":
            return self._escape(segments)
        elif char == "'":
            segments.append(self._single_quoted())
        elif char == '"':
            self._double_quoted(segments)
        elif open_end := self._take(self.placeholder):
            here = self.lines.position(self.at - len(open_end))
            segments.append(Segment("unknown", open_end, here, quoted=True))
        elif char == "$" or char == "`":
            segments.append(self._dollar(quoted=False, depth=0))
        else:
            self.at += 1  # a stray character, such as the "(" of an extended pattern
            return False
        return True

    def _match_text(self, pattern: re.Pattern[str], quoted: bool) -> Segment | None:
        here = self.at
        found = self._take(pattern)
        return Segment("text", found, self.lines.position(here), quoted) if found else None

    def _escape(self, segments: list[Segment]) -> bool:
        if self._take(re.compile(r"\\(?:\r?\n|\Z)")):
            return True
        if self.replaced and self.text.startswith(("\\$", "\\`"), self.at):
            self.at += 1
            segments.append(self._dollar(quoted=False, depth=0))
            return True
        here = self.lines.position(self.at + 1)
        segments.append(Segment("text", self.text[self.at + 1 : self.at + 2], here, quoted=True))
        self.at += 2
        return True

    def _single_quoted(self) -> Segment:
        start = self.at + 1
        end = self.text.find("'", start)
        end = len(self.text) if end < 0 else end
        self.at = end + 1
        kind = "unknown" if self.replaced and "$" in self.text[start:end] else "text"
        return Segment(kind, self.text[start:end], self.lines.position(start), quoted=True)

    def _double_quoted(self, segments: list[Segment]) -> None:
        self.at += 1
        segments.append(Segment("text", "", self.lines.position(self.at), quoted=True))
        while self.at < len(self.text) and self.text[self.at] != '"':
            self._quoted(segments, _QUOTED_PLAIN)
        self.at += 1

    def _quoted(self, segments: list[Segment], plain: re.Pattern[str]) -> None:
        """Read one piece of a text between quotes."""
        if text := self._match_text(plain, True):
            segments.append(text)
        elif self.text[self.at] == "\\":
            self._quoted_escape(segments)
        else:
            segments.append(self._dollar(quoted=True, depth=0))

    def _quoted_escape(self, segments: list[Segment]) -> None:
        if self._take(re.compile(r"\\\r?\n")):
            return
        escaped = self.text[self.at + 1 : self.at + 2]
        if self.replaced and escaped and escaped in "$`":
            self.at += 1
            segments.append(self._dollar(quoted=True, depth=0))
            return
        text = escaped if escaped in '"\\$`' else "\\" + escaped
        segments.append(Segment("text", text, self.lines.position(self.at), quoted=True))
        self.at += 2

    def _dollar(self, quoted: bool, depth: int) -> Segment:
        start = self.at
        here = self.lines.position(start)
        if self.text[start] == "`":
            end = self.text.find("`", start + 1)
            self.at = len(self.text) if end < 0 else end + 1
            return Segment("unknown", self.text[start : self.at], here, quoted)
        self.at += 1
        if self.text.startswith("(", self.at):
            self.at += 1
            self._skip_balanced()
            return Segment("unknown", self.text[start : self.at], here, quoted)
        if self.text.startswith("{", self.at):
            return self._braced(start, quoted, depth)
        if self.text.startswith("'", self.at) and not quoted:
            return self._single_quoted()
        name = self._take(_NAME)
        return Segment("var", name, here, quoted, name == "@") if name else Segment("text", "$", here, quoted)

    def _braced(self, start: int, quoted: bool, depth: int) -> Segment:
        found = _BRACED.match(self.text, self.at)
        here = self.lines.position(start)
        if found is None or depth > MAX_NESTING:
            self.at += 1
            self._skip_balanced("{", "}")
            return Segment("unknown", self.text[start : self.at], here, quoted)
        self.at = found.end()
        joined = quoted and found[2] == "[*]"
        every = found[1] == "@" or (found[2] in ("[@]", "[*]") and not joined)
        default = None if found[3] == "}" else self._default(quoted, depth)
        if found[2] and not every and not joined:
            return Segment("unknown", self.text[start : self.at], here, quoted)
        unset = found[3] in ("-", "=")
        return Segment("var", found[1], here, quoted, every, default, joined, unset)

    def _default(self, quoted: bool, depth: int) -> tuple[Segment, ...]:
        """What follows `:-`, up to the closing brace."""
        segments: list[Segment] = []
        while self.at < len(self.text) and self.text[self.at] != "}":
            char = self.text[self.at]
            if char in "$`":
                segments.append(self._dollar(quoted, depth + 1))
            elif char == "'" and not quoted:
                segments.append(self._single_quoted())
            elif char == '"':
                self.at += 1
            elif plain := self._match_text(re.compile(r"[^$`'\"}\\]+"), quoted):
                segments.append(plain)
            else:
                segments.append(Segment("text", char, self.lines.position(self.at), quoted))
                self.at += 1
        self.at += 1
        return tuple(segments)

    def _skip_balanced(self, opening: str = "(", closing: str = ")") -> None:
        """Move behind the bracket that closes the one just read; quoted brackets do not count."""
        depth, ends = 1, re.escape(opening + closing)
        quoted = r"\\.|'[^']*'|" + r'"(?:[^"\\]|\\.)*"'
        step = re.compile(rf"{quoted}|[{ends}]|[^\\'\"{ends}]+|.", re.DOTALL)
        while depth and self.at < len(self.text):
            piece = self._take(step)
            depth += (piece == opening) - (piece == closing)

    def _array(self, start: int, segments: tuple[Segment, ...]) -> Token:
        self.at, self.in_array = self.at + 1, True
        elements: list[Token] = []
        while self.at < len(self.text) and self.text[self.at] != ")":
            token = self._next()
            if token is not None and token.kind == "word":
                elements.append(token)
        self.at, self.in_array = self.at + 1, False
        here, end = self.lines.position(start), self.lines.position(self.at)
        return Token("word", self.text[start : self.at], here, end, segments, tuple(elements))


def _is_array_start(segments: list[Segment]) -> bool:
    return len(segments) == 1 and not segments[0].quoted and bool(_ARRAY_START.match(segments[0].text))
