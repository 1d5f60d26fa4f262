"""What has to move when calls leave a rank guard. Must-analysis on statements: None when it does not show
that every rank can run what moves."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field

from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.model.frozen import mutable
from mmcodemod.project.bits import Bits
from mmcodemod.project.callsites import CallSites
from mmcodemod.project.infer import Frame
from mmcodemod.project.model import Project
from mmcodemod.project.sides import Sides
from mmcodemod.project.taint import Taint

_LEAVES = (ast.Return, ast.Break, ast.Continue, ast.Raise, ast.Yield, ast.YieldFrom, ast.Await)
_QUIET = ("join", "str", "Path", "int", "format", "unwrap_model", "unwrap")  # calls that only compute a value
_AROUND = frozenset(
    ("print", "makedirs", "mkdir", "dump", "info", "warning", "debug", "log", "write", "set_postfix")
)
_NO_MODELS = ("tokenizer", "processor", "config")  # whose save_pretrained writes a few files

Asks = Callable[[ast.expr], "list[bool] | None"]  # `rank_parts` of a test


@mutable()
class Plan:
    """`free`: statements that every rank runs; `opened`: `if`s with such statements inside, `dropped` those
    of them that ask for the rank again; `named`: calls that get a statement of their own before the one that
    uses them. Statements by identity."""

    free: set[int] = field(default_factory=set)
    opened: set[int] = field(default_factory=set)
    dropped: set[int] = field(default_factory=set)
    named: dict[int, ast.Call] = field(default_factory=dict)
    kept: list[ast.stmt] = field(default_factory=list)
    gathered: set[str] = field(default_factory=set)  # names that get what a moving call returns

    @property
    def harmless(self) -> bool:
        """Does nothing stay behind the guard but messages, folders, configuration files, and writing what a
        call that moves has gathered?"""
        return all(_is_around(s) or self._writes(s) for s in self.kept)

    def _writes(self, statement: ast.stmt) -> bool:
        """`torch.save(state, path)`, `model.save_pretrained(path, state_dict=state)`"""
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(call, ast.Call) or _called(call) not in ("save", "save_pretrained", "save_file"):
            return False
        return id(statement) in self.named or bool(_names(call) & self.gathered)


def conjuncts(test: ast.expr) -> list[ast.expr]:
    """The parts of `a and b and c`."""
    return list(test.values) if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]


def rank_parts(project: Project, frame: Frame, test: ast.expr) -> list[bool] | None:
    """Of each part of a test joined by `and`: does it ask for the rank? None when a part may also differ for
    another reason, or when a part behind the rank calls something."""
    sites = project.get(CallSites)
    found: list[bool] = []
    for part in conjuncts(test):
        form = sites.form(part, frame)
        bits = project.get(Taint).test(form, frame)
        if bits not in (Bits.NONE, Bits.RANK) or (bits and project.get(Sides).of(form, frame) is None):
            return None
        if not bits and True in found and _calls(part):
            return None
        found.append(bool(bits))
    return found if True in found else None


def plan(project: Project, frame: Frame, body: Sequence[ast.stmt], calls: Iterable[ast.Call]) -> Plan | None:
    """How `calls` leave a guarded block."""
    wanted = {id(call): call for call in calls}
    made = Plan()
    if not _place(body, wanted, made, lambda test: rank_parts(project, frame, test)) or wanted:
        return None
    if not _with_what_they_read(body, made) or any(_leaves(s) for s in made.kept):
        return None
    return made if _known_everywhere(project, frame, body, made) else None


def _place(body: Sequence[ast.stmt], wanted: dict[int, ast.Call], made: Plan, asks: Asks) -> bool:
    """Sort the statements of a block into those that move and those that stay."""
    for statement in body:
        inside = [n for n in walk(statement) if id(n) in wanted]
        if not inside:
            made.kept.append(statement)
        elif isinstance(statement, ast.If):
            if not _opens(statement, made, asks) or not _place(statement.body, wanted, made, asks):
                return False
        elif not _moves(statement, inside, wanted, made):
            return False
    return True


def _opens(statement: ast.If, made: Plan, asks: Asks) -> bool:
    """Can every rank run the test, or is it the rank that it asks for again?"""
    again = asks(statement.test)
    if statement.orelse or (again != [True] and (again or _calls(statement.test))):
        return False
    made.opened.add(id(statement))
    if again:
        made.dropped.add(id(statement))
    return True


def _moves(statement: ast.stmt, inside: list[ast.AST], wanted: dict[int, ast.Call], made: Plan) -> bool:
    if len(inside) != 1 or not isinstance(statement, (ast.Expr, ast.Assign)):
        return False
    call = wanted.pop(id(inside[0]))
    if statement.value is call:
        made.free.add(id(statement))
        made.gathered |= _bound(statement)
    else:
        made.named[id(statement)] = call
        made.kept.append(statement)
    return True


def _with_what_they_read(body: Sequence[ast.stmt], made: Plan) -> bool:
    """Assignments that what moves needs move, too, where they only compute a value."""
    order = list(_flat(body, made))
    for n in range(len(order) - 1, -1, -1):
        needed = set().union(*(_read(s, made) for s in order[n + 1 :]))
        own = _bound(order[n]) & needed
        if own and id(order[n]) not in made.free | made.opened:
            if not _computes(order[n]) or id(order[n]) in made.named:
                return False
            made.free.add(id(order[n]))
            made.kept.remove(order[n])
    return True


def _flat(body: Sequence[ast.stmt], made: Plan) -> Iterator[ast.stmt]:
    for statement in body:
        if id(statement) in made.opened:
            assert isinstance(statement, ast.If)
            yield statement
            yield from _flat(statement.body, made)
        else:
            yield statement


def _read(statement: ast.stmt, made: Plan) -> set[str]:
    """The names that every rank has to know for a statement."""
    if id(statement) in made.dropped:
        return set()
    if id(statement) in made.opened:
        return _names(statement.test)  # type: ignore[attr-defined]
    if id(statement) in made.named:
        return _names(made.named[id(statement)])
    return _names(statement) if id(statement) in made.free else set()


def _known_everywhere(project: Project, frame: Frame, body: Sequence[ast.stmt], made: Plan) -> bool:
    """Does every rank have the names? Not those that only a rank guard gives a value."""
    taint, flows = project.get(Taint), project.get(CallSites).flows(frame.function)
    statements = list(_flat(body, made))
    here = set().union(*(_bound(s) for s in statements if id(s) in made.free))
    for name in sorted(set().union(*(_read(s, made) for s in statements)) - here):
        assigns = flows.assigns.get(name, [])
        guarded = [any(taint.test(t, frame) & Bits.RANK for t in a.tests) for a in assigns]
        if guarded and all(guarded):
            return False
    return True


def _names(node: ast.AST) -> set[str]:
    return {n.id for n in walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def _bound(statement: ast.stmt) -> set[str]:
    """The names that a statement, with all that is in it, gives a value."""
    return {n.id for n in walk(statement) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}


def _computes(statement: ast.stmt) -> bool:
    """Is it an assignment to names whose value comes from no call but those that put a path together?"""
    if not isinstance(statement, ast.Assign) or not all(isinstance(t, ast.Name) for t in statement.targets):
        return False
    calls = [n for n in walk(statement.value) if isinstance(n, ast.Call)]
    return all(_called(call) in _QUIET for call in calls)


def _called(call: ast.Call) -> str:
    func = call.func
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""


def _calls(node: ast.AST) -> bool:
    return any(isinstance(n, ast.Call) for n in walk(node))


def _leaves(statement: ast.stmt) -> bool:
    return any(isinstance(n, _LEAVES) for n in walk(statement))


def _is_around(statement: ast.stmt) -> bool:
    """A message, a folder, a configuration file, or an assignment that computes a value."""
    if isinstance(statement, (ast.With, ast.If)):
        return all(_is_around(s) for s in statement.body)
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return _computes(statement) or isinstance(statement, ast.Pass)
    call = statement.value
    if _called(call) == "save_pretrained" and isinstance(call.func, ast.Attribute):
        return unparse(call.func.value).endswith(_NO_MODELS)
    return _called(call) in _AROUND
