"""Takes calls out of a rank guard: every rank makes them, what stands around them keeps the guard."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

import libcst as cst

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.syntax import unparse
from mmcodemod.model.fix import Edit
from mmcodemod.model.frozen import frozen
from mmcodemod.project.guards import Plan, conjuncts, plan, rank_parts
from mmcodemod.project.infer import Frame
from mmcodemod.project.model import Project
from mmcodemod.project.site import Site
from mmcodemod.scan.rewrite import edits_between, parsed
from mmcodemod.scan.walk import by_kind, walk

NAMES = ("state_dict", "full_state_dict")  # for a call that gets a statement of its own
RESULTS = ("gathered", "gathered_result")  # for one that returns something else
Statements = list[cst.BaseStatement]
Body = Sequence[cst.BaseStatement]


@frozen()
class TakenOut:
    """`harmless` when nothing but messages, folders and configuration files stays behind the guard."""

    edits: tuple[Edit, ...]
    harmless: bool


def taken_out(project: Project, site: Site, frame: Frame, calls: Sequence[ast.Call]) -> TakenOut | None:
    """The edits that take `calls` out of the `if` at `site`; None when that may change anything else."""
    node = site.node
    text = project.index.text(site.path)
    asks = rank_parts(project, frame, node.test)
    made = plan(project, frame, node.body, calls)
    if asks is None or made is None or node.orelse or _is_elif(project, site):
        return None
    name = _free_name(project, frame, calls) if made.named else ""
    module = parsed(text)
    if module is None or (made.named and not name):
        return None
    change = Unguard(by_kind(module, {"If"})["If"][site.ordinal], node, _Split(made, name), asks)
    edits = _changed(site.path, text, module, change)
    return TakenOut(edits, made.harmless) if edits else None


def turned_round(project: Project, site: Site, frame: Frame, calls: Iterable[ast.Call]) -> TakenOut | None:
    """The same where the others leave (`if rank != 0: return`) before `calls`: what follows gets the opposite
    guard, the calls none."""
    node, function = site.node, project.index.function(frame.function).node
    if isinstance(function, ast.Module) or node not in function.body or node.orelse:
        return None
    rest = function.body[function.body.index(node) + 1 :]
    asks = rank_parts(project, frame, node.test)
    made = plan(project, frame, rest, calls)
    if len(node.body) != 1 or not _bare(node.body[0]) or asks != [True] or made is None or made.named:
        return None
    text = project.index.text(site.path)
    module = parsed(text)
    if module is None:
        return None
    change = TurnRound(by_kind(module, {"If"})["If"][site.ordinal], rest, _Split(made, ""))
    edits = _changed(site.path, text, module, change)
    return TakenOut(edits, made.harmless) if edits else None


def _bare(statement: ast.stmt) -> bool:
    """`return`, or `return None`."""
    if not isinstance(statement, ast.Return):
        return False
    return statement.value is None or (
        isinstance(statement.value, ast.Constant) and statement.value.value is None
    )


def _changed(path: str, text: str, module: cst.Module, change: Unguard | TurnRound) -> tuple[Edit, ...]:
    after = module.visit(change).code
    return edits_between(path, text, after) if change.fits else ()


def _is_elif(project: Project, site: Site) -> bool:
    return project.line(site.path, site.at.line).startswith("elif")


def _free_name(project: Project, frame: Frame, calls: Sequence[ast.Call]) -> str:
    """A name for what the calls return that the function does not use yet, "" when all are taken."""
    node = project.index.function(frame.function).node
    used = {n.id for n in own_nodes(node) if isinstance(n, ast.Name)}
    arguments = getattr(node, "args", None)
    used |= {a.arg for a in ast.walk(arguments) if isinstance(a, ast.arg)} if arguments else set()
    states = any("state_dict" in unparse(call.func) for call in calls)
    return next((name for name in (NAMES if states else RESULTS) if name not in used), "")


class _Split:
    """Puts the statements of a block in order: guarded runs and free statements."""

    def __init__(self, made: Plan, name: str) -> None:
        self._plan = made
        self._name = name
        self.fits = True

    def block(self, nodes: Sequence[ast.stmt], body: Body, guard: cst.If) -> Statements:
        """The block with `guard` (an `if` to copy) around what stays behind."""
        if len(nodes) != len(body):
            self.fits = False
            return list(body)
        found: Statements = []
        run: Statements = []
        for node, statement in zip(nodes, body):
            if id(node) in self._plan.named:
                self._close(found, run, guard)
                call = self._plan.named[id(node)]
                found.append(self._own(call, statement))
                run = [self._using(call, statement)]
            elif id(node) in self._plan.free:
                self._close(found, run, guard)
                found.append(statement)
                run = []
            elif id(node) in self._plan.opened:
                self._close(found, run, guard)
                found += self._opened(node, statement, guard)
                run = []
            else:
                run.append(statement)
        self._close(found, run, guard)
        return found

    def _close(self, found: Statements, run: Statements, guard: cst.If) -> None:
        if run:
            lines = run[0].leading_lines  # type: ignore[attr-defined]
            blank = [line for line in lines if line.comment is None]
            inner = run[0].with_changes(leading_lines=[line for line in lines if line.comment])
            body = guard.body.with_changes(body=[inner, *run[1:]])
            found.append(guard.with_changes(body=body, leading_lines=blank if found else [], orelse=None))

    def _opened(self, node: ast.stmt, statement: cst.BaseStatement, guard: cst.If) -> Statements:
        assert isinstance(node, ast.If) and isinstance(statement, cst.If)
        body = _statements(statement)
        inner = self.block(node.body, body, guard.with_changes(leading_lines=[]))
        if id(node) not in self._plan.dropped:
            return [statement.with_changes(body=_block(statement, inner))]
        lines = [*statement.leading_lines, *inner[0].leading_lines]  # type: ignore[attr-defined]
        return [inner[0].with_changes(leading_lines=lines), *inner[1:]]

    def _own(self, call: ast.Call, statement: cst.BaseStatement) -> cst.BaseStatement:
        line = cst.ensure_type(cst.parse_statement(f"{self._name} = None"), cst.SimpleStatementLine)
        target = cst.ensure_type(line.body[0], cst.Assign)
        value = self._node(call, statement)
        if value is None:
            self.fits = False
            return statement
        own = line.with_changes(body=[target.with_changes(value=value)])
        return own.with_changes(leading_lines=statement.leading_lines)  # type: ignore[attr-defined]

    def _using(self, call: ast.Call, statement: cst.BaseStatement) -> cst.BaseStatement:
        value = self._node(call, statement)
        if value is None:
            return statement
        changed = statement.deep_replace(value, cst.Name(self._name))
        assert isinstance(changed, cst.BaseStatement)
        return changed.with_changes(leading_lines=[])

    @staticmethod
    def _node(call: ast.Call, statement: cst.BaseStatement) -> cst.Call | None:
        """The LibCST node of a call inside a statement, by its text; None when it is not the only one."""
        wanted = unparse(call)
        code = cst.Module([]).code_for_node
        calls = (n for n in walk(statement) if isinstance(n, cst.Call))
        found = [n for n in calls if _same(code(n), wanted)]
        return found[0] if len(found) == 1 else None


def _same(code: str, wanted: str) -> bool:
    try:
        return unparse(ast.parse(code.strip(), mode="eval")) == wanted
    except SyntaxError:
        return False


def _statements(node: cst.If) -> Statements:
    """The statements of an `if`, also of one that stands in a line."""
    if isinstance(node.body, cst.IndentedBlock):
        return list(node.body.body)
    small = cst.ensure_type(node.body, cst.SimpleStatementSuite)
    return [cst.SimpleStatementLine(small.body, trailing_whitespace=small.trailing_whitespace)]


def _block(node: cst.If, body: Statements) -> cst.BaseSuite:
    if isinstance(node.body, cst.IndentedBlock):
        return node.body.with_changes(body=body)
    return cst.IndentedBlock(body)


def _comments_at_the_end(node: cst.If) -> bool:
    return isinstance(node.body, cst.IndentedBlock) and any(line.comment for line in node.body.footer)


class Unguard(cst.CSTTransformer):
    """Splits the `if` at `node`.

    before: if rank == 0 and step % every == 0:
                write()
                dist.barrier()
    after:  if step % every == 0:
                if rank == 0:
                    write()
                dist.barrier()
    """

    def __init__(self, node: cst.CSTNode, tree: ast.If, split: _Split, asks: list[bool]) -> None:
        super().__init__()
        self._node, self._tree, self._split, self._asks = node, tree, split, asks
        self.fits = False

    def leave_If(
        self, original_node: cst.If, updated_node: cst.If
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        if original_node is not self._node or _comments_at_the_end(original_node):
            return updated_node
        parts = _parts(original_node.test)
        if len(parts) != len(self._asks) or len(parts) != len(conjuncts(self._tree.test)):
            return updated_node
        guard = updated_node.with_changes(test=_joined(parts, self._asks, True), leading_lines=[])
        guard = guard.with_changes(body=_block(guard, []))
        body = self._split.block(self._tree.body, _statements(updated_node), guard)
        self.fits = self._split.fits
        if not all(self._asks):
            around = updated_node.with_changes(test=_joined(parts, self._asks, False))
            return around.with_changes(body=_block(updated_node, body))
        lines = [*updated_node.leading_lines, *body[0].leading_lines]  # type: ignore[attr-defined]
        return cst.FlattenSentinel([body[0].with_changes(leading_lines=lines), *body[1:]])


def _parts(test: cst.BaseExpression) -> list[cst.BaseExpression]:
    """The parts of `a and b and c`, in order."""
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And):
        left = [test.left] if test.left.lpar else _parts(test.left)
        right = [test.right] if test.right.lpar else _parts(test.right)
        return [*left, *right]
    return [test]


def _joined(parts: list[cst.BaseExpression], asks: list[bool], wanted: bool) -> cst.BaseExpression:
    chosen = [part for part, ask in zip(parts, asks) if ask is wanted]
    found = chosen[0]
    for part in chosen[1:]:
        found = cst.BooleanOperation(found, cst.And(), part)
    return found


class TurnRound(cst.CSTTransformer):
    """Gives what follows an early return the opposite guard.

    before: if rank != 0:
                return
            write()
            dist.barrier()
    after:  if rank == 0:
                write()
            dist.barrier()
    """

    def __init__(self, node: cst.CSTNode, rest: Sequence[ast.stmt], split: _Split) -> None:
        super().__init__()
        self._node, self._rest, self._split = node, rest, split
        self.fits = False

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.BaseSuite:
        at = next((n for n, s in enumerate(original_node.body) if s is self._node), None)
        if at is None:
            return updated_node
        leaving = cst.ensure_type(updated_node.body[at], cst.If)
        if _comments_at_the_end(leaving):
            return updated_node
        guard = cst.If(_opposite(leaving.test), cst.IndentedBlock([]))
        body = self._split.block(self._rest, updated_node.body[at + 1 :], guard)
        self.fits = self._split.fits and bool(body)
        if not self.fits:
            return updated_node
        lines = [*leaving.leading_lines, *body[0].leading_lines]  # type: ignore[attr-defined]
        first = body[0].with_changes(leading_lines=lines)
        return updated_node.with_changes(body=[*updated_node.body[:at], first, *body[1:]])


def _opposite(test: cst.BaseExpression) -> cst.BaseExpression:
    """The test that holds where `test` does not."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return test.expression
    if isinstance(test, cst.Comparison) and len(test.comparisons) == 1:
        operator = test.comparisons[0].operator
        if isinstance(operator, (cst.Equal, cst.NotEqual)):
            flipped = cst.Equal() if isinstance(operator, cst.NotEqual) else cst.NotEqual()
            return test.with_changes(comparisons=[test.comparisons[0].with_changes(operator=flipped)])
    simple = isinstance(test, (cst.Name, cst.Attribute, cst.Call, cst.Comparison)) or bool(test.lpar)
    inner = test if simple else test.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return cst.UnaryOperation(cst.Not(), inner)
