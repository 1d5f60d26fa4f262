"""Launches that die because the program uses an option which the launch leaves at None as something that None
is not: `for port in args.ports` where `--ports` has no default. Must-analysis (see strict_parsers,
argument_reads, fatal_uses, words_left_out).

Source: argparse, `ArgumentParser.parse_args`: an optional argument without a default that the command line
does not give is None, whatever its `type` and `nargs` are.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.model.context import Context, Entry, Origin
from mmcodemod.model.frozen import frozen
from mmcodemod.project.argument_names import bound_in
from mmcodemod.project.argument_reads import ArgumentReads, NameRead, Read, walked
from mmcodemod.project.argument_writers import by_libraries, hides_names, is_put
from mmcodemod.project.death import Death, dead_at
from mmcodemod.project.fatal_uses import Use, fatal_use, statement_of
from mmcodemod.project.flow import leaves
from mmcodemod.project.launch_sides import lets_in
from mmcodemod.project.made_objects import Made
from mmcodemod.project.model import Project
from mmcodemod.project.settings import Settings
from mmcodemod.project.strict_parsers import Parser, attribute_of, is_of_argparse, parser_file, strict_parser
from mmcodemod.project.words_left_out import Left, left_out

_ACTIONS = ("store", "append", "extend")  # what begins at None
_PLAIN = ("int", "float", "str")  # types whose values are numbers and texts
_DEFAULTS = "argument_default"  # a keyword of the parser
_STOPS = ("error", "exit")  # `parser.error(...)`
MAX_LEFT = 60  # names and parameters that are followed


def unset(project: Project, context: Context) -> Death | None:
    """How a launch dies that leaves out an option which the program cannot do without; None when nothing
    shows that."""
    entry = context.entry
    if entry is None or context.origin is not Origin.LAUNCHED or entry.library or entry.symbol != "<module>":
        return None
    for end in project.once(_every, entry):
        left = left_out(project, context, end.parser, end.added)
        if left is not Left.OPEN and _is_met(project, context, end):
            return replace(_told(project, end), sure=left is Left.SURELY)
    return None


def _every(project: Project, entry: Entry) -> tuple[_End, ...]:
    return tuple(_ends(project, entry))


@frozen()
class _End:
    """A use that ends the run where the launch leaves out the option that `added` adds."""

    read: Read | NameRead
    use: Use
    option: str
    added: ast.Call
    parser: Parser


def _told(project: Project, end: _End) -> Death:
    at = project.place(end.read.function.partition("::")[0], end.read.node)
    left = f"the launch leaves `{_flag(end.added)}` at None, its default"
    used = f"`{unparse(end.read.node)}` is used there: {end.use.why}"
    return dead_at(at, end.use.error, f"{left}, and {used}")


def _flag(added: ast.Call) -> str:
    texts = [str(a.value) for a in added.args if isinstance(a, ast.Constant)]
    return next((text for text in texts if text.startswith("--")), texts[0])


def _is_met(project: Project, context: Context, end: _End) -> bool:
    """Does a launch that leaves the option out surely come by the use?"""
    inside = all(lets_in(project, context, *condition) for condition in end.read.conditions)
    return inside and (isinstance(end.read, Read) or _holds_none(project, context, end))


def _holds_none(project: Project, context: Context, end: _End) -> bool:
    """Is a name None in every way in which the run comes to it, and of that option?"""
    found = Settings(project, context).of(end.read.node, end.read.function)
    return bool(found) and all(s.value is None and s.flag == end.option and not s.given for s in found)


# -- what may end a run, whatever the launch gives -----------------------------------------------------------


def _ends(project: Project, entry: Entry) -> Iterator[_End]:
    """In the order of the run, as far as one option goes; names come last."""
    path = parser_file(project, entry)
    parser = strict_parser(project, path) if path else None
    if parser is None or not is_of_argparse(project, path) or _DEFAULTS in project.index.text(path):
        return
    none = {attribute_of(c): c for c in parser.added if _begins_at_none(parser, c)}
    if not (none := {name: c for name, c in none.items() if not _is_open(project, entry, name)}):
        return
    found = walked(project, entry.path, Made(path, (parser.parses,)))
    if found.trained and not hides_names(project, entry):
        yield from _Uses(project, parser, found, none).ends()


def _is_open(project: Project, entry: Entry, name: str) -> bool:
    """May something else give the namespace a value of that name?"""
    return not name or by_libraries(name) or is_put(project, name, entry)


def _begins_at_none(parser: Parser, added: ast.Call) -> bool:
    """Is it the only option of that name, and None where the command line does not give it?"""
    keywords = {k.arg: k.value for k in added.keywords}
    action = keywords.get("action", ast.Constant("store"))
    plain = isinstance(action, ast.Constant) and action.value in _ACTIONS
    default = keywords.get("default", ast.Constant(None))
    left = isinstance(default, ast.Constant) and default.value is None and "required" not in keywords
    alone = [attribute_of(c) for c in parser.added].count(attribute_of(added)) == 1
    return plain and left and alone and _texts_are_flags(added)


def _texts_are_flags(added: ast.Call) -> bool:
    return all(isinstance(a, ast.Constant) and str(a.value).startswith("-") for a in added.args)


class _Uses:
    """The uses of some options, `none` by name, that a walk comes by."""

    def __init__(
        self, project: Project, parser: Parser, found: ArgumentReads, none: dict[str, ast.Call]
    ) -> None:
        self._project, self._parser, self._found, self._none = project, parser, found, none
        plain = {attribute_of(c) for c in parser.added if _is_plain(c)}
        self._known = {id(r.node) for r in found.reads if r.node.attr in plain}

    def ends(self) -> Iterator[_End]:
        asked = set[str]()  # of which the program itself says that it needs them
        for read in self._found.reads:
            name = read.node.attr
            if name in self._none and name not in asked:
                if _stops(self._project, read):
                    asked.add(name)
                elif use := self._use(read):
                    yield _End(read, use, name, self._none[name], self._parser)
        yield from self._by_name(asked)

    def _use(self, read: Read | NameRead) -> Use | None:
        return fatal_use(self._project, read.node, read.function, self._known)

    def _by_name(self, asked: set[str]) -> Iterator[_End]:
        """Names that hold such an option, or a parameter that is given one."""
        settings = Settings(self._project)
        for read in [n for n in self._found.names if self._is_own(n) and self._use(n)][:MAX_LEFT]:
            held = settings.of(read.node, read.function)
            options = {s.flag for s in held} & self._none.keys() - asked
            use = self._use(read)
            if len(held) == len(options) == 1 and use and not self._is_asked(read):
                (name,) = options
                yield _End(read, use, name, self._none[name], self._parser)

    def _is_own(self, read: NameRead) -> bool:
        """Is it bound once in its function, as a parameter or by a plain assignment?"""
        facts = self._project.index.function(read.function)
        if facts.is_module or any(isinstance(n, (ast.Global, ast.Nonlocal)) for n in walk(facts.node)):
            return False
        bound = list(bound_in(facts.node.body)).count(read.node.id)
        return bound + (read.node.id in facts.parameters.names) == 1

    def _is_asked(self, read: NameRead) -> bool:
        """Does an earlier statement of the function stop where the name is None?"""
        before = (n for n in self._found.names if n.node.id == read.node.id and n.function == read.function)
        return any(_stops(self._project, n) for n in before)


def _is_plain(added: ast.Call) -> bool:
    keywords = {k.arg: k.value for k in added.keywords}
    kind = keywords.get("type", ast.Name("str"))
    return not keywords.keys() & {"action", "nargs"} and isinstance(kind, ast.Name) and kind.id in _PLAIN


def _stops(project: Project, read: Read | NameRead) -> bool:
    """Does it stand in a test behind which the program may end itself? Then it ends there, and says why."""
    statement = statement_of(project, read.node, read.function.partition("::")[0])
    if isinstance(statement, ast.Assert):
        return True
    if not isinstance(statement, ast.If):
        return False
    body = [*statement.body, *statement.orelse]
    calls = (n for s in body for n in own_nodes(s) if isinstance(n, ast.Call))
    return leaves(statement.body) or leaves(statement.orelse) or any(_ends_program(c) for c in calls)


def _ends_program(call: ast.Call) -> bool:
    return getattr(call.func, "attr", getattr(call.func, "id", "")) in _STOPS
