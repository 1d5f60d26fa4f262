"""Where code may see to it that a cut leaves something of the answer: it refuses samples by their length in
tokens, shortens the prompt first, or gives a label to the end of what is left. May-analysis."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import Via, own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import unparse
from mmcodemod.model.pattern import regex
from mmcodemod.model.place import Place
from mmcodemod.project.flow import leaves
from mmcodemod.project.ignored_labels import Cut, cuts, is_ignored, prompt_masks
from mmcodemod.project.model import Project

_TOKENS = regex(r"tokeniz|encode|apply_chat_template|input_ids|(^|_)ids$|^labels$")
_LARGER, _SMALLER = (ast.Gt, ast.GtE), (ast.Lt, ast.LtE)


def lengthy_prompts(project: Project, key: str) -> Place | None:
    """The first such place, for the labels that samples have under `key`."""
    return project.once(_first, key)


def _first(project: Project, key: str) -> Place | None:
    found = [project.get(_refused), _shortened(project, key), _labelled_end(project, key)]
    return next((at for at in found if at is not None), None)


# -- samples that are refused by their length ----------------------------------------------------------------


def _refused(project: Project) -> Place | None:
    """`if len(ids) > n: continue` (or return, or raise), or the samples kept that are shorter than n."""
    for facts in project.mentioning("len("):
        if facts.id in project.trained:
            for node in own_nodes(facts.node):
                if any(_is_length(project, facts, e) for e in _too_long(node)):
                    return project.place(facts.path, node)
    return None


def _too_long(node: ast.AST) -> Iterator[ast.expr]:
    """What is measured where a test leaves a sample out for being too long."""
    if isinstance(node, ast.If) and leaves(node.body) and not isinstance(node.body[-1], ast.Break):
        yield from _sides(node.test, _LARGER)
    elif isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        for test in (t for g in node.generators for t in g.ifs):
            yield from _sides(test, _SMALLER)
    elif isinstance(node, ast.Lambda):
        yield from _sides(node.body, _SMALLER)
    elif isinstance(node, ast.Return) and node.value is not None:
        yield from _sides(node.value, _SMALLER)


def _sides(test: ast.expr, operators: tuple[type[ast.cmpop], ...]) -> Iterator[ast.expr]:
    """The left sides of `x < n` in a test, and the right sides of `n > x`."""
    turned = _LARGER if operators is _SMALLER else _SMALLER
    for node in own_nodes(test):
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            if isinstance(node.ops[0], operators):
                yield node.left
            elif isinstance(node.ops[0], turned):
                yield node.comparators[0]


def _is_length(project: Project, facts: FunctionFacts, expr: ast.expr) -> bool:
    """Is it `len(x)` of what holds tokens?"""
    if isinstance(expr, ast.Name):
        return any(
            _is_length(project, facts, e) for e in _values(project, facts, expr) if isinstance(e, ast.Call)
        )
    measured = (
        expr.args[0] if isinstance(expr, ast.Call) and unparse(expr.func) == "len" and expr.args else None
    )
    if measured is None:
        return False
    told = (measured, *(e for n in own_nodes(measured) for e in _values(project, facts, n)))
    return any(_TOKENS.search(word) for e in told for word in _words(e))


def _values(project: Project, facts: FunctionFacts, node: ast.AST) -> list[ast.expr]:
    """What a name is given."""
    sources = project.resolver.body(facts.id).names.get(node.id, ()) if isinstance(node, ast.Name) else ()
    return [s.expr for s in sources if s.via is Via.VALUE]


def _words(expr: ast.expr) -> Iterator[str]:
    """The names and keys in an expression."""
    for node in own_nodes(expr):
        word = getattr(node, "id", None) or getattr(node, "attr", None) or getattr(node, "value", None)
        if isinstance(word, str):
            yield word


# -- prompts that are shortened first, and ends that get a label -------------------------------------------


def _shortened(project: Project, key: str) -> Place | None:
    """`prompt = prompt[: n // 2]`, to another length than that of the whole, where `[-100] * len(prompt)`
    makes the labels."""
    whole = {_bound(cut.node) for cut in cuts(project, key)}
    for facts, mask in project.get(prompt_masks):
        measured = {n.args[0].id for n in own_nodes(mask) if _measures(n)}  # type: ignore[attr-defined]
        for name in measured:
            for value in _values(project, facts, ast.Name(name)):
                if isinstance(value, ast.Subscript) and _bound(value) not in {"", *whole}:
                    return project.place(facts.path, value)
    return None


def _measures(node: ast.AST) -> bool:
    """`len(prompt)`"""
    called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len"
    return called and bool(node.args) and isinstance(node.args[0], ast.Name)  # type: ignore[attr-defined]


def _bound(node: ast.Subscript) -> str:
    """`n` of `x[:n]` and `x[-n:]`, as it is written."""
    last = node.slice.elts[-1] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
    if not isinstance(last, ast.Slice):
        return ""
    lower = last.lower.operand if isinstance(last.lower, ast.UnaryOp) else last.lower
    return unparse(bound) if (bound := last.upper or lower) is not None else ""


def _labelled_end(project: Project, key: str) -> Place | None:
    """`labels[-1] = eos` after the labels were cut in the same function."""
    for cut in cuts(project, key):
        facts = project.index.function(cut.function)
        for node in own_nodes(facts.node):
            if isinstance(node, ast.Assign) and _labels_end(project, facts, node, cut):
                return project.place(facts.path, node)
    return None


def _labels_end(project: Project, facts: FunctionFacts, node: ast.Assign, cut: Cut) -> bool:
    ends = [t.value for t in node.targets if isinstance(t, ast.Subscript) and unparse(t.slice) == "-1"]
    kept = [e for end in ends for e in _values(project, facts, end)]
    after = node.lineno > cut.node.lineno and any(n is cut.node for e in kept for n in own_nodes(e))
    return after and not is_ignored(project, node.value, facts.id)
