"""Moves a load out of `__init__` into a method, and calls it where from_pretrained has returned.

before: class Reader(LlamaForCausalLM):
            def __init__(self, config):
                super().__init__(config)
                self.tower = Tower()
                self.tower.load_state_dict(torch.load(config.tower_weights))
        model = Reader.from_pretrained(name)
after:          self.tower = Tower()
            def load_tower(self):
                self.tower.load_state_dict(torch.load(self.config.tower_weights))
        model = Reader.from_pretrained(name)
        model.load_tower()
"""

from __future__ import annotations

import ast

import libcst as cst

from mmcodemod.api import (
    Applicability,
    Edit,
    Finding,
    Fix,
    Project,
    Site,
    by_kind,
    edits_between,
    frozen,
    parsed,
)

CONFIG, LOADER = "config", "from_pretrained"
WHY = "# mmcodemod MM122: from_pretrained initialises anew what its checkpoint lacks"
TITLE = "load {} after from_pretrained has returned"


@frozen()
class Move:
    """The statements `first` to `last` of an `__init__` that go into `method`, and the call that builds."""

    first: int
    last: int
    method: str
    caller: str  # the function that calls from_pretrained, and the call
    load: ast.Call
    model: str


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """The method and its call; only a title where other code builds the model, or needs what is loaded."""
    title = TITLE.format(f"`{ast.unparse(site.node.func.value)}`")
    move = _move(project, site)
    edits = _edits(project, site, move) if move else ()
    return Fix(title, Applicability.UNSAFE if edits else Applicability.DISPLAY, edits)


def _move(project: Project, site: Site) -> Move | None:
    facts = project.index.function(site.function)
    edges = [e for e in project.callers(facts.id) if e.site is not None]
    if facts.name != "__init__" or isinstance(facts.node, ast.Module) or len(edges) != 1:
        return None
    (edge,) = edges
    built = edge.builds and isinstance(edge.call.func, ast.Attribute) and edge.call.func.attr == LOADER
    if not built or [a.arg for a in facts.node.args.args[:2]] != ["self", CONFIG]:
        return None
    model = _name_of(project, edge.caller.function, edge.call)
    rows = _rows(facts.node.body, site.node)
    if not model or rows is None or not _can_move(project, site, facts.node, rows):
        return None
    method = _method(project, site)
    return Move(*rows, method, edge.caller.function, edge.call, model) if method else None


def _name_of(project: Project, function: str, load: ast.Call) -> str:
    """`model` in `model = X.from_pretrained(...)`, which is a statement of its own."""
    for node in ast.walk(project.index.function(function).node):
        if isinstance(node, ast.Assign) and _same(node.value, load) and len(node.targets) == 1:
            return node.targets[0].id if isinstance(node.targets[0], ast.Name) else ""
    return ""


def _same(one: ast.AST, other: ast.AST) -> bool:
    spot = [getattr(n, k, None) for n in (one, other) for k in ("lineno", "col_offset", "end_col_offset")]
    return type(one) is type(other) and spot[:3] == spot[3:]


def _rows(body: list[ast.stmt], load: ast.Call) -> tuple[int, int] | None:
    """The statement of the load in `__init__`, with the assignments right above that make what it reads."""
    last = next((i for i, s in enumerate(body) if any(_same(n, load) for n in ast.walk(s))), None)
    if last is None or not isinstance(body[last], (ast.Expr, ast.Assign)):
        return None
    first, wanted = last, _reads(body[last])
    while first and _local(body[first - 1]) & wanted:
        first -= 1
        wanted |= _reads(body[first])
    return first, last


def _local(statement: ast.stmt) -> set[str]:
    """The variables that a plain assignment sets."""
    if not isinstance(statement, ast.Assign) or not all(isinstance(t, ast.Name) for t in statement.targets):
        return set()
    return {t.id for t in statement.targets if isinstance(t, ast.Name)}


def _reads(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def _binds(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _can_move(
    project: Project, site: Site, init: ast.FunctionDef | ast.AsyncFunctionDef, rows: tuple[int, int]
) -> bool:
    """Do the statements need nothing that only `__init__` has, and nobody there what they make?"""
    first, last = rows
    moved, rest = init.body[first : last + 1], [*init.body[:first], *init.body[last + 1 :]]
    own = {a.arg for a in ast.walk(init.args) if isinstance(a, ast.arg)} - {"self", CONFIG}
    outer = own.union(*map(_binds, rest))
    made = set().union(*map(_binds, moved))
    if CONFIG in outer | made or any(isinstance(n, ast.ImportFrom | ast.Import) for n in rest):
        return False
    later = set().union(*map(_reads, init.body[last + 1 :]))
    return not (set().union(*map(_reads, moved)) & outer - made or made & later)


def _method(project: Project, site: Site) -> str:
    """A name that no file of the tree uses yet."""
    receiver = site.node.func.value
    name = f"load_{receiver.attr}" if isinstance(receiver, ast.Attribute) else "load_own_weights"
    used = any(name in project.index.text(facts.path) for facts in project.mentioning(name))
    return "" if used or name in project.index.text(site.path) else name


# -- edits -----------------------------------------------------------------------------------------------


def _edits(project: Project, site: Site, move: Move) -> tuple[Edit, ...]:
    path = move.caller.partition("::")[0]
    texts = {p: project.index.text(p) for p in (site.path, path)}
    modules = {p: parsed(text) for p, text in texts.items()}
    if any(module is None for module in modules.values()):
        return ()
    edits: list[Edit] = []
    for each, module in modules.items():
        assert module is not None
        after, done = module, True
        if each == site.path:
            out = TakeOut(_init(module, site), move, module)
            after, done = after.visit(out), out.done
        if each == path:
            call = CallAfter(_statement(after, move), move)
            after, done = after.visit(call), done and call.done
        if not done:
            return ()
        edits += edits_between(each, texts[each], after.code)
    return tuple(edits)


def _init(module: cst.Module, site: Site) -> cst.CSTNode:
    """The `__init__` around the load."""
    load = by_kind(module, {"Call"})["Call"][site.ordinal]
    return next(f for f in by_kind(module, {"FunctionDef"})["FunctionDef"] if _holds(f, load))


def _statement(module: cst.Module, move: Move) -> cst.CSTNode | None:
    """The line that is `model = X.from_pretrained(...)`, the only one."""
    wanted = ast.dump(move.load)
    found = [
        line
        for line in by_kind(module, {"SimpleStatementLine"})["SimpleStatementLine"]
        if isinstance(line, cst.SimpleStatementLine) and _assigned(module, line) == wanted
    ]
    return found[0] if len(found) == 1 else None


def _assigned(module: cst.Module, line: cst.SimpleStatementLine) -> str:
    value = line.body[0].value if len(line.body) == 1 and isinstance(line.body[0], cst.Assign) else None
    if not isinstance(value, cst.Call):
        return ""
    return ast.dump(ast.parse(module.code_for_node(value).strip(), mode="eval").body)


def _holds(node: cst.CSTNode, wanted: cst.CSTNode) -> bool:
    return node is wanted or any(_holds(child, wanted) for child in node.children)


class TakeOut(cst.CSTTransformer):
    """Puts some statements of an `__init__` into a method behind it."""

    def __init__(self, init: cst.CSTNode, move: Move, module: cst.Module) -> None:
        super().__init__()
        self.init, self.move, self.done = init, move, False
        text = f"def {move.method}(self):\n{module.default_indent}pass\n"
        self.method = cst.ensure_type(cst.parse_statement(text, module.config_for_parsing), cst.FunctionDef)

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        body = updated_node.body.body
        if original_node is not self.init or not isinstance(updated_node.body, cst.IndentedBlock):
            return updated_node
        moved = body[self.move.first : self.move.last + 1]
        rest = [*body[: self.move.first], *body[self.move.last + 1 :]]
        if not rest or any(isinstance(s, cst.SimpleStatementLine) and len(s.body) != 1 for s in body):
            return updated_node
        self.done = True
        own = [s.visit(_OwnConfig()) for s in moved]
        first = cst.ensure_type(own[0], cst.SimpleStatementLine)
        own[0] = first.with_changes(leading_lines=[n for n in first.leading_lines if n.comment])
        method = self.method.with_changes(
            leading_lines=[cst.EmptyLine(indent=False)], body=self.method.body.with_changes(body=own)
        )
        kept = updated_node.with_changes(body=updated_node.body.with_changes(body=rest))
        return cst.FlattenSentinel([kept, method])


class _OwnConfig(cst.CSTTransformer):
    """`config` becomes `self.config`, which transformers sets."""

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        if original_node.value != CONFIG:
            return updated_node
        return cst.Attribute(cst.Name("self"), updated_node)

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        return updated_node.with_changes(attr=original_node.attr)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return updated_node.with_changes(keyword=original_node.keyword)


class CallAfter(cst.CSTTransformer):
    """`model.load_tower()` behind one statement."""

    def __init__(self, statement: cst.CSTNode | None, move: Move) -> None:
        super().__init__()
        self.statement, self.done = statement, False
        self.call = cst.parse_statement(f"{WHY}\n{move.model}.{move.method}()\n")

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        if original_node is not self.statement:
            return updated_node
        self.done = True
        return cst.FlattenSentinel([updated_node, self.call])
