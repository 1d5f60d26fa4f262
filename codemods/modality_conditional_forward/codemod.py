"""Lets every rank run the encoder: a sample without the modality gets zeros, or the side without it runs the
module on zeros and adds the sum of no feature, which is zero.

before: if "image" in row:
            sample["image"] = self.load(row["image"])
after:  if "image" in row:
            sample["image"] = self.load(row["image"])
        else:
            sample["image"] = torch.zeros(3, 336, 336)

before: if pixels is not None:
            embeds = merge(embeds, self.encode(pixels))
after:  if pixels is not None:
            embeds = merge(embeds, self.encode(pixels))
        else:
            dummy = embeds.new_zeros(1, 3, self.image_size, self.image_size)
            embeds = embeds + self.encode(dummy)[:0].sum()
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from mmcodemod.api import (
    Applicability,
    Branch,
    Edit,
    Emission,
    Finding,
    Fix,
    FunctionFacts,
    Project,
    Site,
    batch_key,
    flow_of,
    frozen,
    gaps,
    site,
    with_else,
)

COMMENT = "# mmcodemod MM201: every rank runs the encoder\n"
MAX_INLINE = 20  # a longer size gets a name
_SIZES = ("crop_size", "size")
_HALF = ("half(", "bfloat16", "float16")


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """A stand-in in the dataset, else one run on zeros in the model, else only a title."""
    branch: Branch = site.data
    names = " and ".join(f"`{m}`" for m in sorted(branch.lone))
    if branch.picks:
        title = f"run the other parts of {names} on zeros with weight zero, or give all ranks one kind a step"
        return Fix(title, Applicability.DISPLAY)
    if not _scatters(branch) and not branch.apart:
        found = _data_fix(project, branch)
        if found:
            return found
    edits = _model_edits(project, site, branch)
    if edits:
        title = f"run {names} on zeros, with weight zero, when the batch has none"
        return Fix(title, Applicability.UNSAFE, edits)
    title = f"give every sample a stand-in, or run {names} on zeros, with weight zero, on the other side"
    return Fix(title, Applicability.DISPLAY)


def _scatters(branch: Branch) -> bool:
    """Does the side with the modality count placeholders? Then a sample with a picture and no placeholder
    fails, and the stand-in has to be in the model."""
    nodes = list(ast.walk(branch.node))
    calls = [n.func.attr for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]
    stores = [n for n in nodes if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)]
    return bool(stores) or any(c.startswith(("masked_scatter", "index_put", "scatter")) for c in calls)


# -- the data side ----------------------------------------------------------------------------------------


def _data_fix(project: Project, branch: Branch) -> Fix | None:
    keys = [key for atom in branch.atoms for key in batch_key(project, branch.facts, atom)]
    found = {g.function.id: g for key in keys for g in gaps(project, key)}
    if not found:
        return None
    edits: list[Edit] = []
    for gap in found.values():
        new = _filled(project, gap)
        if not new:
            return None
        edits += new
    names = " and ".join(f"`{g.function.qualname}`" for g in found.values())
    title = f"put zeros into the samples without it in {names}, so that every rank runs the encoder"
    return Fix(title, Applicability.UNSAFE, tuple(edits))


def _filled(project: Project, gap: Emission) -> tuple[Edit, ...]:
    """The `else` arm of the one `if` under which a dataset sets its key."""
    facts = gap.function
    flow = flow_of(project, facts.id)
    found = [s for s in flow.statements if s.lineno in gap.lines and isinstance(s, ast.Assign)]
    test = flow.parent(found[0]) if len(found) == 1 else None
    if not isinstance(test, ast.If) or test.orelse or found[0] not in test.body:
        return ()
    if any(isinstance(a, ast.If) for a in flow.ancestors(test)) or not _imports_torch(project, facts):
        return ()
    if any(word in ast.unparse(test) for word in _HALF):
        return ()
    lines = next(_stand_ins(project, facts, test), "")
    if not lines:
        return ()
    target = ast.unparse(found[0].targets[0]).replace("'", '"')
    at = site(project, facts.id, test)
    text = project.index.text(facts.path)
    return with_else(facts.path, text, at.ordinal, COMMENT + lines.replace("STAND_IN", target))


def _imports_torch(project: Project, facts: FunctionFacts) -> bool:
    imports = [*project.index.files[facts.path].imports, *facts.imports]
    return any(i.bound == "torch" and i.name is None for i in imports)


def _stand_ins(project: Project, facts: FunctionFacts, test: ast.If) -> Iterator[str]:
    """Statements that make zeros of the size of a picture, as far as the dataset itself tells the size."""
    for node in ast.walk(test):
        if isinstance(node, ast.Call) and (side := _resized(node)):
            yield f"STAND_IN = torch.zeros(3, {side}, {side})\n"
    known = _names_before(facts, test)
    for node in _nodes_of_class(project, facts):
        owner = _owner_of_size(node, facts, known)
        if owner:
            yield (
                f"{_SIZES[0]} = {owner}\n"
                f'STAND_IN = torch.zeros(3, {_SIZES[0]}["height"], {_SIZES[0]}["width"])\n'
            )


def _resized(call: ast.Call) -> str:
    """S in `resize(picture, [S, S])`, `picture.resize((S, S))` and `Resize((S, S))`."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    sizes = [
        a for a in (*call.args, *(k.value for k in call.keywords)) if isinstance(a, (ast.List, ast.Tuple))
    ]
    if name.lower() != "resize" or len(sizes) != 1 or len(sizes[0].elts) != 2:
        return ""
    sides = {ast.unparse(e) for e in sizes[0].elts}
    plain = all(isinstance(e, ast.Constant) or _is_plain(e) for e in sizes[0].elts)
    return sides.pop() if plain and len(sides) == 1 else ""


def _is_plain(expr: ast.expr) -> bool:
    """Attributes of `self`."""
    while isinstance(expr, ast.Attribute):
        expr = expr.value
    return isinstance(expr, ast.Name) and expr.id == "self"


def _names_before(facts: FunctionFacts, test: ast.If) -> set[str]:
    before = [n for n in ast.walk(facts.node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return {n.id for n in before if n.lineno < test.lineno}


def _nodes_of_class(project: Project, facts: FunctionFacts) -> Iterator[ast.AST]:
    yield from ast.walk(facts.node)
    if facts.owner:
        yield from ast.walk(project.index.cls(f"{facts.path}::{facts.owner}").node)


def _owner_of_size(node: ast.AST, facts: FunctionFacts, known: set[str]) -> str:
    """`self.processor.crop_size` where its height is read; a local name is followed to attributes of self."""
    if (
        isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Constant)
        and node.slice.value == "height"
    ):
        node = node.value
    elif not (isinstance(node, ast.Attribute) and node.attr == _SIZES[0]):
        return ""
    if not isinstance(node, ast.Attribute) or node.attr not in _SIZES or _SIZES[0] in known:
        return ""
    if _is_plain(node):
        return ast.unparse(node)
    made = [
        n.value
        for n in ast.walk(facts.node)
        if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == ast.unparse(node.value)
    ]
    return f"{ast.unparse(made[0])}.{node.attr}" if len(made) == 1 and _is_plain(made[0]) else ""


# -- the model side ---------------------------------------------------------------------------------------


@frozen()
class Run:
    """How the side with the modality gets its features: `statements` to repeat, then `value` to sum up."""

    statements: tuple[ast.Assign, ...]
    value: ast.expr
    variable: str


def _model_edits(project: Project, site: Site, branch: Branch) -> tuple[Edit, ...]:
    """The `else` arm of `if x is not None:`, for an embedding that is there on both sides."""
    node, flow = branch.node, flow_of(project, branch.facts.id)
    modality = _present(branch)
    if not isinstance(node, ast.If) or node.orelse or not modality or branch.false or flow.is_elif(node):
        return ()
    merged = _merged(branch, node)
    run = _run(branch, node, modality, merged)
    size = _image_size(project, branch)
    if not merged or run is None or not size:
        return ()
    lines = _lines(branch, run, merged, modality, size)
    return with_else(site.path, project.index.text(site.path), site.ordinal, COMMENT + lines)


def _present(branch: Branch) -> str:
    """x in `if x is not None`, "" for other tests. Only pictures: the shape of sound is not known."""
    test = branch.node.test if isinstance(branch.node, ast.If) else branch.asked
    name = ""
    if (
        isinstance(test, ast.Compare)
        and isinstance(test.ops[0], ast.IsNot)
        and isinstance(test.left, ast.Name)
    ):
        right = test.comparators[0]
        name = test.left.id if isinstance(right, ast.Constant) and right.value is None else ""
    return name if any(word in name for word in ("image", "pixel", "img", "picture")) else ""


def _merged(branch: Branch, node: ast.If) -> str:
    """The variable into which the features go: it has a value before the test."""
    before = _names_before(branch.facts, node)
    for statement in reversed(node.body):
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        while isinstance(target, ast.Subscript):
            target = target.value
        if isinstance(target, ast.Name) and target.id in before and "embed" in target.id:
            return target.id
    return ""


def _run(branch: Branch, node: ast.If, modality: str, merged: str) -> Run | None:
    """The statements that run all of the modules, at the top of the true side."""
    wanted, found = set(branch.lone), []
    for statement in node.body:
        calls = [c for c in branch.true if c.modules & branch.lone and _within(c.call, statement)]
        if not calls:
            continue
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1 or _repeats(statement):
            return None
        wanted -= {m for c in calls for m in c.modules}
        target = statement.targets[0]
        if isinstance(target, ast.Name) and target.id != merged:
            found.append(statement)
            value: ast.expr = target
        else:
            value = max((c.call for c in calls), key=lambda c: (c.end_lineno or 0, len(ast.unparse(c))))
            if not all(_within(c.call, value) for c in calls):
                return None
        if not wanted:
            return _closed(branch, node, Run(tuple(found), value, modality))
    return None


def _within(node: ast.AST, around: ast.AST) -> bool:
    return any(n is node for n in ast.walk(around))


def _repeats(statement: ast.Assign) -> bool:
    """A list of features has no sum."""
    kinds = (ast.ListComp, ast.GeneratorExp, ast.List, ast.Tuple, ast.Lambda)
    return any(isinstance(n, kinds) for n in (statement.value, *statement.targets))


def _closed(branch: Branch, node: ast.If, run: Run) -> Run | None:
    """The run, if what it reads is the modality, its own names, or there before the test."""
    facts = branch.facts
    assert not isinstance(facts.node, ast.Module)
    parameters = {a.arg for a in ast.walk(facts.node.args) if isinstance(a, ast.arg)}
    known = parameters | _names_before(facts, node) | {"self", "torch", "F"}
    exprs: list[ast.expr] = []
    for statement in run.statements:
        exprs.append(statement.value)
        known |= {ast.unparse(statement.targets[0])}
    read = _read([*exprs, run.value])
    return run if run.variable in read and read <= known else None


def _read(exprs: Sequence[ast.expr]) -> set[str]:
    return {n.id for e in exprs for n in ast.walk(e) if isinstance(n, ast.Name)}


def _image_size(project: Project, branch: Branch) -> str:
    """An attribute of the model that holds the side of a picture, as its class or its tower shows it."""
    owner = branch.frame.receiver or f"{branch.facts.path}::{branch.facts.owner}"
    for base in project.bases(owner):
        for node in ast.walk(base.node):
            if isinstance(node, ast.Attribute) and node.attr == "image_size" and _is_plain(node):
                return ast.unparse(node)
    return ""


def _lines(branch: Branch, run: Run, merged: str, modality: str, size: str) -> str:
    names = {n.id for n in ast.walk(branch.facts.node) if isinstance(n, ast.Name)}
    dummy = "dummy" if "dummy" not in names else f"dummy_{modality}"
    lines = f"{dummy} = {merged}.new_zeros(1, 3, {size}, {size})\n"
    if len(size) > MAX_INLINE and "size" not in names:
        lines = f"size = {size}\n{dummy} = {merged}.new_zeros(1, 3, size, size)\n"
    for statement in run.statements[:-1] if _inline(run) else run.statements:
        lines += _renamed(statement, modality, dummy) + "\n"
    value = run.statements[-1].value if _inline(run) else run.value
    return lines + f"{merged} = {merged} + {_renamed(value, modality, dummy)}[:0].sum()\n"


def _inline(run: Run) -> bool:
    """Can the last statement be part of the sum?"""
    last = run.statements[-1].targets[0] if run.statements else None
    return last is run.value and isinstance(run.statements[-1].value, (ast.Call, ast.Attribute))


def _renamed(node: ast.AST, old: str, new: str) -> str:
    """The code of a node with one name replaced, double quotes for strings."""
    text = ast.unparse(_Renamed(old, new).visit(ast.parse(ast.unparse(node))))
    return text.replace("'", '"') if '"' not in text else text


class _Renamed(ast.NodeTransformer):
    def __init__(self, old: str, new: str) -> None:
        self.old, self.new = old, new

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self.new, node.ctx) if node.id == self.old else node
