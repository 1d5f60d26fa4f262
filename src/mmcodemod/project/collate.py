"""Collators: where they put modality keys into a batch, callees included, and what stand-ins they make.
May-analysis over the call graph, at most MAX_DEPTH calls deep."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.model.frozen import frozen
from mmcodemod.model.pattern import regex
from mmcodemod.model.place import Place
from mmcodemod.project.branches import WORDS, function_scope
from mmcodemod.project.callgraph import Edge
from mmcodemod.project.emptied import Emptied, emptied
from mmcodemod.project.flow import Flow, flow_of, raises
from mmcodemod.project.gathered_samples import asks_for_gathered
from mmcodemod.project.infer import Frame
from mmcodemod.project.merged_keys import chosen_keys, shown_keys
from mmcodemod.project.modality import MODALITY, Scope, asks, presence
from mmcodemod.project.modality_keys import KEYS, constant, is_none, names_modality
from mmcodemod.project.model import Project
from mmcodemod.project.row_columns import columns
from mmcodemod.project.set_anyway import set_anyway
from mmcodemod.project.sure_samples import settled

MAX_DEPTH = 4
_PROCESSOR = regex(r"(\w+_)?(image_|video_|audio_|feature_|vision_)?(processor|extractor|preprocess\w*)")
_GROUPS = regex(
    r"modalit|multi_?modal|has_image|['\"](image|pixel_values|video|audio)s?['\"] (not )?in ", re.IGNORECASE
)
_STAND_IN = regex(r"fake|dummy|placeholder|blank|padding_image|empty_image", re.IGNORECASE)


@frozen()
class Omission:
    """A modality key that a collator's batch gets only where `test` is `outcome`. `where` is the function
    that decides, `line` the line that sets the key, `call` the collator's call that leads there (None:
    itself)."""

    where: FunctionFacts
    test: ast.If | ast.IfExp
    outcome: bool
    line: int
    call: ast.Call | None

    @property
    def condition(self) -> str:
        """The condition as the end of a clause."""
        return f"{'only if' if self.outcome else 'unless'} `{unparse(self.test.test)}`"


def collators(project: Project) -> Iterator[FunctionFacts]:
    """Functions that make a batch: `__call__` of collator classes, and functions named so."""
    return (facts for facts in project.mentioning(*WORDS) if is_collator(facts))


def is_collator(facts: FunctionFacts) -> bool:
    """Is it a collate function, or the `__call__` of a collator class?"""
    if facts.is_module or facts.name.startswith("test"):
        return False
    if facts.owner:
        return facts.name in ("__call__", "torch_call") and "collat" in facts.owner.lower()
    return "collat" in facts.name.lower()


def omissions(project: Project, facts: FunctionFacts) -> list[Omission]:
    """The places that decide whether the batch of a collator has a modality."""
    found: dict[tuple[str, int], Omission] = {}
    for frame in project.frames(facts.id):
        for omission in _within(project, frame, None, 0, set()):
            found.setdefault((omission.where.id, omission.test.lineno), omission)
    return sorted(found.values(), key=lambda o: ("len(" not in unparse(o.test.test), o.where.path, o.line))


def _within(
    project: Project, frame: Frame, call: ast.Call | None, depth: int, seen: set[Frame]
) -> Iterator[Omission]:
    if frame in seen or depth > MAX_DEPTH or frame.function.startswith("<"):
        return
    seen.add(frame)
    facts = project.index.function(frame.function)
    if not facts.is_module:
        yield from _own(project, facts, call)
    for edge in _edges(project, frame):
        yield from _within(project, edge.callee, call or edge.call, depth + 1, seen)


def _edges(project: Project, frame: Frame) -> list[Edge]:
    """Calls that hand the samples on; a collator that is called speaks for itself."""
    edges = project.graph.edges.get(frame, [])
    return [
        e
        for e in edges
        if e.site is not None
        and _passes_modality(e.call)
        and not e.callee.function.startswith("<")
        and not is_collator(project.index.function(e.callee.function))
    ]


def _passes_modality(call: ast.Call) -> bool:
    """Are images, videos or the batch handed on?"""
    arguments = [*call.args, *(k.value for k in call.keywords)]
    parts = [part for a in arguments for part in walk(a)]
    names = [n.id for n in parts if isinstance(n, ast.Name)]
    keys = [
        n.slice.value for n in parts if isinstance(n, ast.Subscript) and isinstance(n.slice, ast.Constant)
    ]
    return any(isinstance(k, str) and KEYS.fullmatch(k) for k in keys) or any(
        MODALITY.search(n) or n in ("features", "instances", "examples", "batch") for n in names
    )


def _own(project: Project, facts: FunctionFacts, call: ast.Call | None) -> Iterator[Omission]:
    return (
        Omission(facts, test, outcome, line, call) for test, outcome, line in project.once(_left_out, facts)
    )


def _left_out(project: Project, facts: FunctionFacts) -> list[tuple[ast.If | ast.IfExp, bool, int]]:
    return list(_tests_of(project, facts))


def _tests_of(project: Project, facts: FunctionFacts) -> Iterator[tuple[ast.If | ast.IfExp, bool, int]]:
    """Tests on which a key hangs, with the outcome that sets it and the line."""
    scope = function_scope(project, facts)
    flow = flow_of(project, facts.id)
    for statement in flow.statements:
        if _sets_modality(statement):
            test, outcome = _deciding(flow, statement, scope, settled(project, facts))
            if test is not None and not _set_otherwise(flow, test, outcome) and not _sure(flow, statement):
                yield test, outcome, statement.lineno
            elif test is None and (none := _none_there(facts, scope, statement)) is not None:
                yield none.branch, none.outcome, statement.lineno
    for way, outcome, line in _ways(scope, flow):
        if (way.lineno, way.col_offset) not in settled(project, facts) and _asks(way.test, scope):
            yield way, outcome, line


def _sure(flow: Flow, statement: ast.stmt) -> bool:
    """Are the keys of a statement set in any case, on other lines?"""
    keys = _keys_put(statement)
    return bool(keys) and all(set_anyway(flow, key, statement.lineno) for key in keys)


def _keys_put(statement: ast.stmt) -> set[str]:
    """The modality keys that a statement puts into a batch by name."""
    if isinstance(statement, ast.AugAssign):
        return shown_keys(statement.value) or set()
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        named = {str(k.arg) for k in call.keywords if names_modality(k.arg)}
        return named.union(*(shown_keys(a) or () for a in call.args))
    key = _key_of(statement)
    return {key} if key else set()


def _ways(scope: Scope, flow: Flow) -> Iterator[tuple[ast.If | ast.IfExp, bool, int]]:
    """Tests on each sample that alone fill a column of the batch, and conditional expressions of which one
    arm adds a key that nothing else sets: each with its outcome and the line."""
    yield from columns(scope, flow)
    for found in chosen_keys(scope, flow):
        if not set_anyway(flow, found.key, found.line):
            yield found.choice, found.outcome, found.line


def _none_there(facts: FunctionFacts, scope: Scope, statement: ast.stmt) -> Emptied | None:
    """Where a name that is put under a key is None, because there was nothing to gather."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Name):
        return None
    keys = [t.slice.value for t in statement.targets if _is_key(t)]  # type: ignore[attr-defined]
    return next((none for key in keys if (none := emptied(facts, scope, key)) is not None), None)


def _sets_modality(statement: ast.stmt) -> bool:
    """`batch["pixel_values"] = ...`, or `batch.update(image_processor(...))`."""
    if isinstance(statement, ast.Assign):
        value = statement.value
        return not is_none(value) and any(_is_key(t) and not _rewrites(t, value) for t in statement.targets)
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        return _updates(statement.value)
    merges = isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.BitOr)
    return merges and _is_output(statement.target) and bool(shown_keys(statement.value))  # type: ignore[attr-defined]


def _is_key(target: ast.expr) -> bool:
    return (
        isinstance(target, ast.Subscript)
        and names_modality(constant(target.slice))
        and _is_output(target.value)
    )


def _is_output(holder: ast.expr) -> bool:
    """A whole batch, not one sample of it: `batch`, `features`, `mm_inputs`."""
    return isinstance(holder, ast.Name) and not holder.id.startswith("input_dict")


def _rewrites(target: ast.expr, value: ast.expr) -> bool:
    """`batch["pixel_values"] = batch["pixel_values"][0]`: the key was there before."""
    return unparse(target) in {unparse(n) for n in walk(value) if isinstance(n, ast.Subscript)}


def _updates(call: ast.Call) -> bool:
    """`batch.update(image_processor(...))`, `batch.update(pixel_values=...)`"""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "update":
        return False
    given = [k.arg for k in call.keywords if k.arg is not None and not is_none(k.value)]
    if _is_output(call.func.value) and any(KEYS.fullmatch(key) for key in given):
        return True
    if not call.args:
        return False
    inner = call.args[0]
    if _is_output(call.func.value) and shown_keys(inner):
        return True
    if not isinstance(inner, ast.Call):
        return False
    name = inner.func.attr if isinstance(inner.func, ast.Attribute) else getattr(inner.func, "id", "")
    return bool(_PROCESSOR.fullmatch(name)) and _passes_modality(inner)


def _deciding(
    flow: Flow, statement: ast.stmt, scope: Scope, ends: Mapping[tuple[int, int], bool]
) -> tuple[ast.If | None, bool]:
    """The first open test on the modality of which only one side gets to a statement, and which side."""
    for test, outcome in flow.tests(statement):
        if (test.lineno, test.col_offset) in ends:
            continue
        if _asks(test.test, scope) and not raises(test.body) and not raises(test.orelse):
            return test, outcome
    return None, False


def _asks(test: ast.expr, scope: Scope) -> bool:
    """A test on the modality itself, or on a local dict that holds it: `inputs.get("images") is not None`."""
    if presence(test, scope) or asks_for_gathered(test, scope):
        return True
    for part in walk(test):
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr == "get":
            key = part.args[0] if part.args else None
            if isinstance(key, ast.Constant) and isinstance(key.value, str) and KEYS.fullmatch(key.value):
                return True
    return False


def _set_otherwise(flow: Flow, test: ast.If, outcome: bool) -> bool:
    """Does the other side set the modality too, on all its own sides?"""
    arms = flow.arms(test)
    other = list(arms.false if outcome else arms.true)
    inner = [s for s in walk(ast.Module(body=other, type_ignores=[])) if isinstance(s, ast.stmt)]
    closed = not any(isinstance(s, ast.If) and not s.orelse for s in other)
    return closed and any(_sets_modality(s) for s in inner)


def stand_in(project: Project, facts: FunctionFacts) -> int | None:
    """The line of a collator that puts a stand-in into an empty modality, by data flow: on one side of a
    test on it, a modality variable or key gets a new image, zeros, or something called fake or dummy."""
    scope = function_scope(project, facts)
    for node in own_nodes(facts.node):
        if isinstance(node, ast.If) and presence(node.test, scope):
            lines = [_fills(s) for s in node.body] + [_sets_stand_in(s) for s in (*node.body, *node.orelse)]
            found = [line for line in lines if line is not None]
            if found:
                return found[0]
        elif isinstance(node, ast.Assign) and _or_stand_in(node.value, scope) and _names_modality(node):
            return node.lineno
    return None


def _or_stand_in(value: ast.expr, scope: Scope) -> bool:
    """`images or [Image.new(...)]`, `images if images else [Image.new(...)]`"""
    if isinstance(value, ast.BoolOp) and isinstance(value.op, ast.Or):
        return is_stand_in(value.values[-1])
    chosen = isinstance(value, ast.IfExp) and presence(value.test, scope)
    return bool(chosen) and (is_stand_in(value.body) or is_stand_in(value.orelse))  # type: ignore[attr-defined]


def _names_modality(assign: ast.Assign) -> bool:
    names = [n.id for t in assign.targets for n in walk(t) if isinstance(n, ast.Name)]
    return any(MODALITY.search(n) for n in names) or any(_is_key(t) for t in assign.targets)


def _sets_stand_in(statement: ast.stmt) -> int | None:
    """The line of `batch["pixel_values"] = torch.zeros(...)`."""
    for node in walk(statement):
        if isinstance(node, ast.Assign) and any(_is_key(t) for t in node.targets):
            if is_stand_in(node.value):
                return node.lineno
    return None


def grouping_sampler(project: Project) -> str:
    """The sampler on the way of training that looks at the modality of samples, "" when there is none.
    Use through `project.get(grouping_sampler)`."""
    for path in project.index.python_files:
        for cls in project.index.files[path].classes.values():
            methods = {f"{path}::{method}" for method in cls.methods.values()}
            if cls.name.endswith("Sampler") and methods & project.trained:
                if _GROUPS.search(unparse(cls.node)):
                    return cls.name
    return ""


def dataset_stand_ins(project: Project) -> list[tuple[FunctionFacts, Place]]:
    """Where a dataset sets the modality of a sample that has none. Use through `project.get(...)`."""
    found = []
    for facts in project.mentioning(*WORDS):
        if facts.name == "__getitem__" and facts.body.tests and asks(project.source(facts)):
            scope = function_scope(project, facts)
            for node in own_nodes(facts.node):
                if isinstance(node, ast.If) and presence(node.test, scope):
                    found += [(facts, project.place(facts.path, s)) for s in _otherwise(node)]
    return found


def _otherwise(test: ast.If) -> list[ast.stmt]:
    """The statement of the other side that sets a key which the first side sets too."""
    keys = {_key_of(s) for s in test.body} - {None}
    inner = [n for s in test.orelse for n in walk(s) if isinstance(n, ast.stmt)]
    return [s for s in inner if _key_of(s) in keys][:1]


def _key_of(statement: ast.stmt) -> str | None:
    """The modality key that `sample["key"] = ...` sets."""
    if isinstance(statement, ast.Assign) and not is_none(statement.value):
        for target in statement.targets:
            key = constant(target.slice) if isinstance(target, ast.Subscript) else None
            if names_modality(key):
                return str(key)
    return None


def _fills(statement: ast.stmt) -> int | None:
    for node in walk(statement):
        if isinstance(node, ast.Assign):
            if _names_modality(node) and is_stand_in(node.value):
                return node.lineno
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in ("append", "extend") and node.args and is_stand_in(node.args[0]):
                if MODALITY.search(unparse(node.func.value)) or _is_key(node.func.value):
                    return node.lineno
    return None


def is_stand_in(value: ast.expr) -> bool:
    """A new image, zeros or random numbers, or something called fake or dummy."""
    text = unparse(value)
    makes = re.search(r"\b(new_)?(zeros|ones|full|empty|randn|rand)(_like)?\(|\bImage\.new\(", text)
    return bool(makes or _STAND_IN.search(text))


def trains_modality(project: Project, facts: FunctionFacts) -> bool:
    """Does the tree train a model that may have an encoder: a processor handed to the collator, or one of
    transformers' vision or audio classes?"""
    names = {outside.name for calls in project.graph.external.values() for outside in calls}
    vision = re.compile(r".*(Vision2Seq|ImageTextToText|Vision\w*Model|ForConditionalGeneration|VL\w*)\..*")
    return any(vision.fullmatch(name) for name in names) or any(
        project.is_module(f"{f.path}::{f.owner}") and MODALITY.search(f.qualname)
        for f in project.forward_functions()
        if f.owner
    )
