"""Functions of a shell script: their bodies are put aside where they are defined, and read where they are
called."""

from __future__ import annotations

from dataclasses import field

from mmcodemod.facts.shellwords import Token
from mmcodemod.model.frozen import mutable
from mmcodemod.model.pattern import regex

KEYWORDS = {"if", "while", "until", "!", "{", "}", "time", "elif", "then", "do", "else", "fi", "done", "esac"}
_NAME = regex(r"[A-Za-z_][\w.:-]*")


@mutable()
class Body:
    """The tokens between the braces. `file`: the sourced file that holds them; `certain`: no branch and no
    subshell defines it."""

    name: str
    file: str
    certain: bool
    tokens: list[Token] = field(default_factory=list)
    called: bool = False
    active: bool = False


@mutable()
class Functions:
    """`known`: the body that a name calls now; `bodies`: all of them, in order."""

    known: dict[str, Body] = field(default_factory=dict)
    bodies: list[Body] = field(default_factory=list)
    _name: str = ""  # of the function whose brace is still to come
    _open: bool = False  # between `name (` and `)`
    _body: Body | None = None
    _depth: int = 0
    _start: bool = True  # may the next word be a command?

    def takes(self, token: Token, pending: list[Token], file: str, certain: bool) -> bool:
        """Does the token belong to a definition? `pending`: the words in front of it, taken as well."""
        if self._body is not None:
            return self._collected(token, self._body)
        if self._name:
            return self._headed(token, file, certain)
        name = _defined(token, pending)
        if not name:
            return False
        pending.clear()
        self._name, self._open = name, token.text == "("
        return self._headed(token, file, certain) if token.text == "{" else True

    def left_open(self) -> list[Token]:
        """What stands behind a brace that nothing closes; it is no function, then."""
        body, self._body, self._name = self._body, None, ""
        return body.tokens if body else []

    def _headed(self, token: Token, file: str, certain: bool) -> bool:
        """`)`, line ends and `{` between the name and the body."""
        if self._open and token.text == ")":
            self._open = False
            return True
        if token.text == "\n" and not self._open:
            return True
        name, self._name = self._name, ""
        if self._open or token.kind != "word" or token.text != "{":
            self._open = False
            return False
        self._body, self._depth, self._start = Body(name, file, certain), 1, True
        return True

    def _collected(self, token: Token, body: Body) -> bool:
        if token.kind == "word" and self._start:
            self._depth += (token.text == "{") - (token.text == "}")
        if token.kind in ("word", "operator"):
            self._start = token.kind == "operator" or (self._start and token.text in KEYWORDS)
        if self._depth:
            body.tokens.append(token)
        else:
            self.known[body.name] = body
            self.bodies.append(body)
            self._body = None
        return True


def _defined(token: Token, pending: list[Token]) -> str:
    """The name of the function that this token begins to define, or ""."""
    words = [w.text for w in pending]
    spoken = len(words) > 1 and words[-2] == "function"
    if not words or not (token.text == "(" or (spoken and token.text in ("{", "\n"))):
        return ""
    plain = pending[-1].elements is None and _NAME.fullmatch(words[-1])
    before = words[: -2 if spoken else -1]
    return words[-1] if plain and words[-1] not in KEYWORDS and set(before) <= KEYWORDS else ""
