"""Words that a program adds to its own command line: what they set, the launch no longer says. May-analysis:
words that do not show may set any option.

Source: `sys.argv` is what HfArgumentParser reads unless it is given `args` (transformers/hf_argparser.py,
`parse_args_into_dataclasses`); of a flag that is given twice, argparse takes the last.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.knowledge.hf_deepspeed import is_parser_method
from mmcodemod.model.context import Context
from mmcodemod.model.frozen import frozen
from mmcodemod.model.place import Place
from mmcodemod.project.arguments import given_at
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origins
from mmcodemod.project.stubs import is_stub

_WORDS = "argv"
_ADDS = ("append", "extend", "insert")


@frozen()
class Added:
    """What `function` adds, at `at`: options by name, None where a word does not show."""

    function: str
    at: Place
    options: frozenset[str] | None


def set_by_own_words(project: Project, context: Context, name: str) -> Place | None:
    """Where the program of a run adds words that may set an option."""
    reach = project.reach(context.entry) if context.entry else None
    for added in project.get(_added):
        if (reach is None or added.function in reach) and (added.options is None or name in added.options):
            return added.at
    return None


def _added(project: Project) -> list[Added]:
    """All of the tree, in source order. Use through `project.get`."""
    return [
        Added(facts.id, project.place(facts.path, expr), _options(project, expr, facts.id))
        for facts in project.mentioning(_WORDS, "parse_args_into_dataclasses")
        if not is_stub(facts.id)
        for expr in sorted(_adds(project, facts.node, facts.id), key=lambda e: (e.lineno, e.col_offset))
    ]


def _adds(project: Project, node: ast.AST, function: str) -> Iterator[ast.expr]:
    """The words, or lists of words, that a function adds to those of the launch."""
    for found in own_nodes(node):
        match found:
            case ast.Call(func=ast.Attribute(value, attr), args=[*_, last]) if attr in _ADDS:
                yield from (last,) if _is_argv(value) else ()
            case ast.AugAssign(target, ast.Add(), value) if _is_argv(target):
                yield value
            case ast.Assign(targets, value) if any(_is_argv(t) for t in targets):
                yield value
            case ast.Call(func=ast.Attribute(attr=method)) if is_parser_method(method):
                yield from _given(project, found, function)


def _given(project: Project, call: ast.Call, function: str) -> Iterator[ast.expr]:
    """What a parser reads in place of `sys.argv`, where that has words of its own."""
    given = given_at(call, 0, "args") if isinstance(call.func, ast.Attribute) else None
    for origin in Origins(project).of(given, function) if given is not None else ():
        if isinstance(origin.expr, ast.BinOp | ast.List | ast.Tuple):
            yield origin.expr


def _is_argv(expr: ast.expr) -> bool:
    """`sys.argv`, and a part of it."""
    inner = expr.value if isinstance(expr, ast.Subscript) else expr
    return isinstance(inner, ast.Attribute) and inner.attr == _WORDS


def _options(project: Project, expr: ast.expr, function: str) -> frozenset[str] | None:
    """The options that some words set; None where one of them does not show."""
    words = list(_words(expr))
    if any(word is None for word in words):
        return None
    names = (word.partition("=")[0].lstrip("-") for word in words if word and word.startswith("-"))
    return frozenset(name.replace("-", "_") for name in names)


def _words(expr: ast.expr) -> Iterator[str | None]:
    """Each word of a text, a list, or a sum of lists; those of `sys.argv` are the launch's own."""
    if isinstance(expr, ast.BinOp) and isinstance(expr.op, ast.Add):
        yield from (*_words(expr.left), *_words(expr.right))
    elif isinstance(expr, ast.List | ast.Tuple):
        for element in expr.elts:
            yield from _words(element)
    elif isinstance(expr, ast.Starred):
        yield from _words(expr.value)
    elif not _is_argv(expr):
        yield expr.value if isinstance(expr, ast.Constant) and isinstance(expr.value, str) else None
