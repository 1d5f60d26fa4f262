"""Makes the DeepSpeed configuration known before the model is loaded.

before: model = AutoModel.from_pretrained(name); args = TrainingArguments(deepspeed="ds.json")
after:  args = TrainingArguments(deepspeed="ds.json"); model = AutoModel.from_pretrained(name)
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

import libcst as cst

from mmcodemod.api import (
    Applicability,
    Fix,
    Place,
    Project,
    Site,
    Wanted,
    by_kind,
    edits_between,
    initialized,
    named,
)

NAME = "dschf"
CLASS = "HfDeepSpeedConfig"
CONFIG = Wanted(
    f"transformers.integrations.{CLASS}",
    "transformers.integrations",
    CLASS,
    homes=("transformers.integrations.deepspeed", "transformers.deepspeed"),
)
COMMENT = "# keep this object alive"
PROCESSES = {
    "torch.distributed.init_process_group",
    "deepspeed.init_distributed",
    "torch.cuda.set_device",
}
SIMPLE = (ast.Assign, ast.AnnAssign, ast.Expr, ast.Import, ast.ImportFrom)


def moved(project: Project, load: Site, announced: Sequence[Place]) -> Fix | None:
    """Move the statement that builds the arguments, and what it needs, up to before the load."""
    own = project.resolver.body(load.function).calls
    calls = [c for c in own if len(announced) == 1 and project.place(load.path, c) == announced[0]]
    block = _block(project.index.files[load.path].tree, load.node, calls[0]) if calls else None
    chosen = _independent(block, load.node, calls[0], _fixed(project, load)) if block else None
    if not block or not chosen or _prepares(project, load, block[: chosen[-1]]):
        return None
    module, node = _parsed(project, load)
    before = [_holds(s, load.node) for s in block].index(True)
    after = module.visit(_MoveUp(node, before, chosen, len(block)))
    return _fix(project, load, "build the training arguments before the load", Applicability.SAFE, after)


def announce(project: Project, load: Site) -> Fix | None:
    """Build an HfDeepSpeedConfig before the load, from the configuration that the engine gets."""
    config = _config(project, load)
    if config is None or _uses(project, load, NAME):
        return None
    tree, text = project.index.files[load.path].tree, project.index.text(load.path)
    builds = named(load.path, text, tree, load.node, CONFIG)
    if builds is None:
        return None
    module, node = _parsed(project, load)
    inserting = _InsertBefore(node, cst.parse_statement(f"{NAME} = {builds.text}({config})  {COMMENT}"))
    edits = edits_between(load.path, text, module.visit(inserting).code)
    title = f"build {CLASS} before the load"
    return Fix(title, Applicability.UNSAFE, (*builds.edits, *edits)) if inserting.done else None


def shown(announced: bool) -> Fix:
    """What to do, where no edit is certain to be right."""
    what = "the TrainingArguments" if announced else f"an {CLASS} that is kept"
    return Fix(f"build {what} before this load", Applicability.DISPLAY)


def _fix(project: Project, load: Site, title: str, how: Applicability, after: cst.Module) -> Fix | None:
    edits = edits_between(load.path, project.index.text(load.path), after.code)
    return Fix(title, how, edits) if edits else None


def _parsed(project: Project, load: Site) -> tuple[cst.Module, cst.CSTNode]:
    module = cst.parse_module(project.index.text(load.path))
    return module, by_kind(module, {"Call"})["Call"][load.ordinal]


# -- which statements can move ------------------------------------------------------------------------


def _block(tree: ast.AST, load: ast.AST, call: ast.AST) -> list[ast.stmt] | None:
    """The block in which one statement loads and a later one builds the arguments."""
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list) and (held := _direct(body, load)) and (other := _direct(body, call)):
                return body if body.index(held) < body.index(other) else None
    return None


def _direct(body: list[ast.stmt], node: ast.AST) -> ast.stmt | None:
    """The simple statement of a block that holds a node."""
    return next((s for s in body if isinstance(s, SIMPLE) and _holds(s, node)), None)


def _holds(statement: ast.AST, node: ast.AST) -> bool:
    return any(n is node for n in ast.walk(statement))


def _fixed(project: Project, load: Site) -> set[str]:
    """Names of imports, classes and functions: a call through them changes no object that is read here."""
    file = project.index.files[load.path]
    own = project.index.function(load.function).imports
    return {item.bound for item in (*file.imports, *own)} | set(file.classes) | set(file.functions)


def _independent(block: list[ast.stmt], load: ast.AST, call: ast.AST, fixed: set[str]) -> list[int] | None:
    """Positions of the statements to move; None when they depend on the model or on what lies between."""
    first = next(i for i, s in enumerate(block) if _holds(s, load))
    last = next(i for i, s in enumerate(block) if _holds(s, call))
    moving, reads = [last], _reads(block[last])
    for position in range(last - 1, first, -1):
        if _binds(block[position]) & reads:
            moving.insert(0, position)
            reads |= _reads(block[position])
    stays = [s for i, s in enumerate(block[first:last], first) if i not in moving]
    binds = {n for i in moving for n in _binds(block[i])}
    touched = {n for s in stays for n in (*_binds(s), *(_touches(s) - fixed))}
    if not all(isinstance(block[i], SIMPLE) for i in moving) or reads & touched:
        return None
    return None if binds & {n for s in stays for n in (*_reads(s), *_binds(s))} else moving


def _prepares(project: Project, load: Site, statements: list[ast.stmt]) -> bool:
    """Does a statement behind the load set up processes or the environment, which the arguments read?"""
    behind = [s for s in statements if s.lineno > load.node.lineno]
    for node in (n for s in behind for n in ast.walk(s)):
        if isinstance(node, ast.Call) and project.names(node.func, load.function) & PROCESSES:
            return True
        if isinstance(node, ast.Attribute) and "os.environ" in project.names(node, load.function):
            return True
    return False


def _reads(statement: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def _binds(statement: ast.AST) -> set[str]:
    """Names that a statement gives a value, or whose object it changes by assignment."""
    found: set[str] = set()
    for node in ast.walk(statement):
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
            found |= _root(node)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {a.asname or a.name.partition(".")[0] for a in node.names}
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
    return found


def _touches(statement: ast.AST) -> set[str]:
    """Names whose object a call may change: its receiver, and what it is handed."""
    found: set[str] = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and not _harmless(node):
            found |= _root(node.func) if isinstance(node.func, ast.Attribute) else set()
            for expr in (*node.args, *(k.value for k in node.keywords)):
                found |= {expr.id} if isinstance(expr, ast.Name) else set()
    return found


def _harmless(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id in ("print", "len", "str", "repr", "isinstance")


def _root(node: ast.expr) -> set[str]:
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return {node.id} if isinstance(node, ast.Name) else set()


# -- the configuration that is at hand ----------------------------------------------------------------


def _config(project: Project, load: Site) -> str | None:
    """The text of the configuration that `deepspeed.initialize` gets, when it can stand at the load."""
    for _, call in initialized(project, {load.function}):
        for keyword in call.keywords:
            if keyword.arg in ("config", "config_params") and _available(project, load, keyword.value):
                return ast.get_source_segment(project.index.text(load.path), keyword.value)
    return None


def _available(project: Project, load: Site, expr: ast.expr) -> bool:
    """A literal, or a name (or its attribute) that has its only value before the load."""
    if isinstance(expr, ast.Constant):
        return isinstance(expr.value, str)
    if not isinstance(expr, (ast.Name, ast.Attribute)) or len(_root(expr)) != 1:
        return False
    (name,) = _root(expr)
    node = project.index.function(load.function).node
    bound = [s for s in ast.walk(node) if isinstance(s, (*SIMPLE, ast.For, ast.With)) and name in _binds(s)]
    if bound:
        return all(isinstance(s, SIMPLE) and s.lineno < load.node.lineno for s in bound)
    parameters = [a.arg for a in ast.walk(node) if isinstance(a, ast.arg)]
    return name in parameters or name in project.index.files[load.path].bindings


def _uses(project: Project, load: Site, name: str) -> bool:
    node = project.index.function(load.function).node
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(node))


# -- the transformations ------------------------------------------------------------------------------


def _contains(statement: cst.CSTNode, target: cst.CSTNode) -> bool:
    todo = [statement]
    while todo:
        node = todo.pop()
        if node is target:
            return True
        todo += node.children
    return False


class _MoveUp(cst.CSTTransformer):
    """Reorders the one block that directly holds the load."""

    def __init__(self, load: cst.CSTNode, before: int, chosen: list[int], size: int) -> None:
        self._load = load
        self._before = before
        self._chosen = chosen
        self._size = size

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        return updated_node.with_changes(body=self._ordered(original_node.body, updated_node.body))

    def leave_Module(self, original_node: cst.Module, updated_node: cst.Module) -> cst.Module:
        return updated_node.with_changes(body=self._ordered(original_node.body, updated_node.body))

    def _ordered(
        self, original: Sequence[cst.BaseStatement], updated: Sequence[cst.BaseStatement]
    ) -> list[cst.BaseStatement]:
        body = list(updated)
        at = original[self._before] if len(original) == self._size else None
        if not isinstance(at, cst.SimpleStatementLine) or not _contains(at, self._load):
            return body
        taken = [body[i] for i in self._chosen]
        rest = [s for i, s in enumerate(body) if i not in self._chosen]
        return [*rest[: self._before], *taken, *rest[self._before :]]


class _InsertBefore(cst.CSTTransformer):
    """Inserts a statement before the simple statement that holds the load; its comments stay above both."""

    def __init__(self, load: cst.CSTNode, line: cst.BaseCompoundStatement | cst.SimpleStatementLine) -> None:
        self._load = load
        self._line = line
        self.done = False

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.FlattenSentinel[cst.BaseStatement]:
        if self.done or not _contains(original_node, self._load):
            return updated_node
        self.done = True
        line = self._line.with_changes(leading_lines=updated_node.leading_lines)
        return cst.FlattenSentinel([line, updated_node.with_changes(leading_lines=())])
