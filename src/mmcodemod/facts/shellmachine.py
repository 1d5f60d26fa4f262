"""Reads the tokens of a shell script in order and collects its commands. Nothing is run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field

from mmcodemod.facts.lines import Position
from mmcodemod.facts.sbatch import variables
from mmcodemod.facts.shellbuiltins import ASSIGNMENT, Builtins, is_assignment
from mmcodemod.facts.shellcases import Case
from mmcodemod.facts.shellenv import environment
from mmcodemod.facts.shellfunctions import KEYWORDS, Body, Functions
from mmcodemod.facts.shellifs import FIXED, TESTS, Ifs, asked_empty
from mmcodemod.facts.shelljobs import (
    around,
    is_batch,
    is_literal,
    job_asks,
    job_tokens,
    job_variables,
    submits,
)
from mmcodemod.facts.shellscope import Hidden, Scope
from mmcodemod.facts.shelltexts import Inner, inner, placed_tokens
from mmcodemod.facts.shellvalues import Expander, Piece, Value, Word, arguments
from mmcodemod.facts.shellwords import Token, tokens
from mmcodemod.facts.shellwrites import Written, written
from mmcodemod.model.frozen import frozen, mutable
from mmcodemod.model.pattern import regex

MAX_SIZE = 300_000  # characters of a script, and of all that it sources
MAX_COMMANDS = 20_000
MAX_DEPTH = 8  # files and functions within each other
MAX_READ_AGAIN = 50_000  # tokens of functions and sourced files

Load = Callable[[str, str | None], tuple[str, str] | None]
"""The path and the text of the file that `source` names, seen from the folder that `cd` led to."""

_COUNTED = regex(r"([A-Za-z_]\w*) *(?:\+\+|--|[-+*/%]?=(?!=))|(?:\+\+|--)([A-Za-z_]\w*)")
_OPENING = {"then", "do", "else"}
_GIVEN = {"#", "@", "*", "1"}  # variables that say what the script is given
_CLOSING = {"elif", "else", "fi", "done"}
_CHAINS = ("&&", "||", "|", "|&")
_LINE_END = Token("operator", "\n", (0, 0), (0, 0))


@frozen(slots=True)
class Command:
    """A simple command. `env`: exported variables and `A=1 command` prefixes; `cwd`: where `cd` has led,
    relative to where the script starts ("" there, None unknown); `wrapper`: the words in front of a shell
    that is given the command as a text; `batch`: what `#SBATCH` lines ask for; `written`: files that the
    script may have written before."""

    words: tuple[Word, ...]
    env: dict[str, Word]
    cwd: str | None = ""
    wrapper: tuple[Word, ...] = ()
    batch: tuple[Word, ...] = ()
    written: tuple[Written, ...] = ()

    @property
    def at(self) -> Position:
        return self.words[0].at


@mutable()
class Budget:
    """What may still be read a second time."""

    characters: int = MAX_SIZE
    tokens: int = MAX_READ_AGAIN


@mutable()
class Machine:
    """Follows assignments, `cd`, branches, functions and sourced files through the text, in order. The
    commands of sourced files are left out: such a file is a script of its own. Without `load` nothing but
    the script's own text is read, neither a sourced file nor the text of `bash -c`. `ends`: does `exit` end
    the text? Not that of a page, whose commands are typed into several shells."""

    load: Load | None = None
    scope: Scope = field(default_factory=Scope)
    commands: list[Command] = field(default_factory=list)
    budget: Budget = field(default_factory=Budget)
    depth: int = 0
    wrapper: tuple[Word, ...] = ()
    batch: tuple[Word, ...] = ()
    pending: list[Token] = field(default_factory=list)
    functions: Functions = field(default_factory=Functions)
    ifs: Ifs = field(default_factory=Ifs)
    patterns: list[bool] = field(default_factory=list)  # of each open `case`: is a pattern to come?
    cases: list[Case] = field(default_factory=list)  # the same, as far as their branches are decided
    sourced: list[str] = field(default_factory=list)  # the files that are being read
    arithmetic: int = 0  # open brackets of `(( ... ))`
    last: Token = _LINE_END  # that was fed
    ends: bool = True
    stopped: bool = False  # by an `exit` that nothing depends on
    link: str = "\n"  # the operator in front of the command
    braces: int = 0  # that are open
    chained: bool = False  # does what surrounds the text being read say whether it runs?
    asks: bool = False  # is the loop whose `do` is to come one over the script's arguments?
    outputs: list[Token] = field(default_factory=list)  # files of `>`, of the command that is being read
    heres: list[Token] = field(default_factory=list)  # here-documents of the same
    piped: list[Token] = field(default_factory=list)  # and of a `cat` in front of `|`

    def __post_init__(self) -> None:
        self.builtins = Builtins(self.scope)

    @property
    def expander(self) -> Expander:
        return self.scope.expander

    def read(self, items: Iterable[Token]) -> bool:
        """A whole script, then the functions that it never calls; false when it has too many commands."""
        for token in items:
            self.feed(token)
            if len(self.commands) >= MAX_COMMANDS:
                return False
        self.feed(_LINE_END)
        for token in [*self.functions.left_open(), _LINE_END]:
            self.feed(token)
        for body in reversed(self.functions.bodies):
            if not body.called and not body.file:
                self.stopped = False
                self._call(body, None)
        return True

    def feed(self, token: Token) -> None:
        if self.stopped:
            return
        before, self.last = self.last, token
        if self.functions.takes(token, self.pending, self.expander.file, not self.scope.logs):
            return
        if token.kind == "word":
            self.pending.append(token)
            return
        if token.kind == "output":
            self.outputs.append(token)
            return
        if token.kind == "here":
            self.heres.append(token)
            return
        words, self.pending = self.pending, []
        if self._is_arithmetic(token, words, before) or self._is_pattern(token, words):
            return
        first = words[0].text if words else ""
        self._statement(words)
        self._write()
        self.piped = self.heres if first == "cat" and token.text == "|" else []
        self.heres = []
        if words or token.text != "\n" or self.link not in _CHAINS:
            self.link = token.text
        may_stop = first in TESTS or self.builtins.uncertain
        self.builtins.uncertain = may_stop and token.text in ("&&", "||")
        self._operator(token)

    def _write(self) -> None:
        """What `>` sends to files."""
        outputs, self.outputs = self.outputs, []
        for token in outputs:
            for word in self.expander.words(token):
                self.scope.write(word)

    def _operator(self, token: Token) -> None:
        if token.text == "(":
            self.scope.open_subshell()
        elif self.patterns and token.text == ")" and self.patterns[-1]:
            self.patterns[-1] = False  # of `case $x in a)`, all on one line
            self.scope.open_branch(self.cases[-1].branch())
        elif token.text == ")":
            self.scope.close_subshell()
        elif self.patterns and token.text.startswith((";;", ";&")):
            self.patterns[-1] = True
            self.cases[-1].goes_on |= "&" in token.text
            self.scope.close_branch()

    def _is_arithmetic(self, token: Token, words: list[Token], before: Token) -> bool:
        """`((N++))`: what it counts is unknown from here on."""
        if token.text == "(" == before.text and before.end == token.at and not self.arithmetic:
            self.scope.close_subshell()
            self.arithmetic = 1
        if not self.arithmetic:
            return False
        self.asks |= self._asks(words) and bool(words)
        for found in _COUNTED.finditer(" ".join(word.text for word in words)):
            self.scope.forget(found[1] or found[2])
        self.arithmetic += (token.text == "(") - (token.text == ")")
        return True

    def _is_pattern(self, token: Token, words: list[Token]) -> bool:
        """`a | b)` within a `case`, up to its bracket."""
        if not self.patterns or not self.patterns[-1] or (words and words[0].text == "esac"):
            return False
        self.cases[-1].patterns += words
        if token.text == ")":
            self.patterns[-1] = False
            self.scope.open_branch(self.cases[-1].branch())
        return True

    def _statement(self, words: list[Token]) -> None:
        words = self._without_keywords(words)
        if not words:
            return
        split = next((i for i, w in enumerate(words) if not is_assignment(w)), len(words))
        self.ifs.command(self._tested(words), asked_empty(words))
        if split == len(words):
            for word in words:
                self.builtins.assign(word)
            return
        name = words[split].text
        if name in self.functions.known:
            self._call(self.functions.known[name], self._expanded(words[split + 1 :]))
        elif name == "case":
            self.patterns.append(True)
            self.cases.append(Case(self._expanded(words[split + 1 : split + 2]), words[split + 3 :]))
        elif name == "for":
            self.asks = self._asks(words[split + 3 :])
            self.builtins.loop(words[split + 1 :])
        elif name == "exit":
            self.stopped = self._is_sure()
        elif handler := self.builtins.find(name):
            self.builtins.here = self.heres[-1] if self.heres else None
            handler(words[split + 1 :])
        else:
            self._command(words[:split], words[split:])

    def _tested(self, words: list[Token]) -> tuple[Word, ...] | None:
        """The words of a command whose outcome they may tell."""
        return self._expanded(words) if words[0].text in TESTS or words[0].text in FIXED else None

    def _is_sure(self) -> bool:
        """Does the command run whenever the script does, and in its own shell?"""
        depends = self.link in (*_CHAINS, "(") or self.braces or self.chained or self.builtins.uncertain
        return self.ends and self.scope.is_sure and not depends

    def _without_keywords(self, words: list[Token]) -> list[Token]:
        at = 0
        while at < len(words) and words[at].text in KEYWORDS:
            if words[at].text in _CLOSING or (words[at].text == "esac" and self._ends_case()):
                if arms := self.ifs.arms(words[at].text, self.scope.close_branch()):
                    self.scope.one_of(arms)
            if words[at].text in ("while", "until"):
                self.asks = self._asks(words[at + 1 :])
            empty = self.ifs.empty if words[at].text == "then" else ""
            runs = self.ifs.keyword(words[at].text)
            self.braces = max(0, self.braces + (words[at].text == "{") - (words[at].text == "}"))
            if words[at].text in _OPENING:
                loop = words[at].text == "do"
                self.scope.open_branch(runs, loop, empty, loop and self.asks)
            at += 1
        return words[at:]

    def _asks(self, words: list[Token]) -> bool:
        """Does a loop go over the arguments of the script, which nobody has given?"""
        read = {s.text for w in words for s in w.segments if s.kind == "var"}
        asked = words[:1] == [] or words[0].text == "getopts" or bool(read & _GIVEN)
        return asked and self.expander.arguments is None

    def _ends_case(self) -> bool:
        """Does `esac` end a branch, too? Not behind `;;`."""
        if self.patterns:
            self.cases.pop()
        return bool(self.patterns) and not self.patterns.pop()

    def _expanded(self, words: list[Token]) -> tuple[Word, ...]:
        return tuple(w for token in words for w in self.expander.words(token))

    def _command(self, prefixes: list[Token], words: list[Token]) -> None:
        expanded = self._expanded(words)
        if not expanded or self.scope.is_off:
            return
        env = dict(self.scope.exported) if len(self.scope.exported) < 200 else {}
        for token in prefixes:
            if found := ASSIGNMENT.match(token.text):
                value = self.expander.value(token, found.end())
                env[found[1]] = value.word(token, self.expander.file)
        env = environment(expanded, env)
        command = Command(expanded, env, self.scope.cwd, self.wrapper, self.batch, self.scope.written)
        text = inner(expanded) if self.load else None
        if text is not None and self.depth < MAX_DEPTH:
            self._read_text(text, command)
        elif not self.expander.file:
            self.commands.append(command)
            self._submit(command)
        if words[0].text in (".", "source"):
            self._source(expanded[1:])
        for word in written(expanded):
            self.scope.write(word)

    # -- what is written in other places ------------------------------------------------------------------

    def _read_text(self, text: Inner, command: Command) -> None:
        """The text of `eval` in this shell, others in one that knows what is exported."""
        for word in text.texts:
            if text.kind == "eval":
                self._within(placed_tokens(word), self.expander.file)
            else:
                child = self._child(text, command)
                child.read(self._counted(placed_tokens(word)))
                self.scope.written = child.scope.written
                self.expander.left = child.expander.left

    def _submit(self, command: Command) -> None:
        """The script that `sbatch` or a shell is given as a here-document."""
        given = (self.heres or self.piped)[-1:]
        if not self.load or not given or self.depth >= MAX_DEPTH or not submits(command.words):
            return
        self.budget.characters -= given[0].at[0] + len(given[0].text)
        if self.budget.characters < 0:
            return
        asked = job_asks(given[0], command.words)
        known = job_variables(given[0], self.expander.variables, command.env, asked)
        expander = Expander(known, self.expander.left, self.expander.file)
        expander.arguments = None if is_literal(given[0]) else self.expander.arguments
        scope = Scope(expander, dict(command.env), command.cwd, written=self.scope.written)
        batch = tuple(asked.values()) if is_batch(command.words) else self.batch
        wrapper, depth = (*self.wrapper, *around(command.words)), self.depth + 1
        job = Machine(self.load, scope, self.commands, self.budget, depth, wrapper, batch, ends=self.ends)
        job.read(self._counted(job_tokens(given[0])))
        self.expander.left = job.expander.left

    def _child(self, text: Inner, command: Command) -> Machine:
        shell = text.kind == "shell"
        env = command.env if shell else {}
        known = {name: Value((w.pieces or (Piece(w.text, w.at, w.unknown),),)) for name, w in env.items()}
        known |= variables(text.asked or {})
        expander = Expander(known, self.expander.left, self.expander.file)
        if shell and text.arguments:
            expander.arguments = arguments(text.arguments)
        return Machine(
            self.load,
            Scope(expander, dict(env), command.cwd if shell else None, written=self.scope.written),
            self.commands,
            self.budget,
            self.depth + 1,
            (*self.wrapper, *text.wrapper),
            self.batch if text.asked is None else tuple(text.asked.values()),
            ends=self.ends,
        )

    def _source(self, words: Sequence[Word]) -> None:
        """The variables of a sourced file count from here on; one that is not in the tree changes nothing."""
        found = self.load(words[0].text, self.scope.cwd) if self.load and words else None
        if found is None or found[0] in self.sourced or len(found[1]) > self.budget.characters:
            return
        path, text = found
        self.budget.characters -= len(text)
        self.sourced.append(path)
        outer = self.expander.arguments
        if words[1:]:
            self.expander.arguments = arguments(words[1:])
        self._within(tokens(text), path)
        if words[1:]:
            self.expander.arguments = outer
        self.sourced.pop()

    def _call(self, body: Body, given: Sequence[Word] | None) -> None:
        """Read the body of a function with the arguments of a call."""
        body.called = True
        if body.active:
            return
        body.active = True
        before, hidden = self.expander.arguments, dict[str, Hidden]()
        handed_on = before is None and given is not None and [w.text for w in given] == ["$@"]
        self.expander.arguments = None if given is None or handed_on else arguments(given)
        self.builtins.locals.append(hidden)
        self.builtins.uncertain |= not body.certain
        self._within(body.tokens, body.file)
        for name, value in self.builtins.locals.pop().items():
            self.scope.restore(name, value)
        self.expander.arguments, body.active = before, False

    def _within(self, items: Iterable[Token], file: str) -> None:
        """Read tokens in the middle of others. What may not run at all is a branch."""
        if self.depth >= MAX_DEPTH:
            return
        kept = self.expander.file, self.patterns, self.builtins.uncertain, self.ifs
        around = self.link, self.braces, self.chained, self.cases
        self.chained = self.chained or self.link in _CHAINS or self.braces > 0
        self.link, self.braces = "\n", 0
        level = len(self.scope.logs)
        self.expander.file, self.patterns, self.cases, self.ifs = file, [], [], Ifs()
        self.depth += 1
        if self.builtins.uncertain:
            self.scope.open_branch()
        self.builtins.uncertain = False
        for token in (*self._counted(items), _LINE_END):
            self.feed(token)
        self.scope.close_to(level)
        self.depth -= 1
        self.expander.file, self.patterns, self.builtins.uncertain, self.ifs = kept
        self.link, self.braces, self.chained, self.cases = around

    def _counted(self, items: Iterable[Token]) -> Iterator[Token]:
        for token in items:
            self.budget.tokens -= 1
            if self.budget.tokens < 0 or len(self.commands) >= MAX_COMMANDS:
                return
            yield token
