"""Names that a file reads while it is loaded, and that nothing binds there: `NameError`. Decorators, defaults
and bases are evaluated then, and so are annotations. Must-analysis: statements at the top of the file alone.

Source: the language reference, "Function definitions": annotations are evaluated with the definition, unless
`from __future__ import annotations` or Python 3.14 puts that off.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterator

from mmcodemod.model.place import Place
from mmcodemod.project.death import Death, dead_at
from mmcodemod.project.forgotten import known_elsewhere, set_from_outside
from mmcodemod.project.import_order import Run
from mmcodemod.project.model import Project
from mmcodemod.project.module_names import binds_otherwise, bound_at_top, bound_in, outlined_names
from mmcodemod.project.own_submodules import is_own_submodule
from mmcodemod.project.sure_steps import sure_names

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_GIVEN = frozenset((*dir(builtins), "__qualname__", "__module__"))


def unbound_at_top(project: Project, run: Run) -> Death | None:
    """How a statement ends the run that loads its file."""
    name = reads_unbound(project, run.path).get(run.node.lineno)
    if name is None:
        return None
    return dead_at(Place(run.path, name.lineno), "NameError", f"nothing binds `{name.id}` in {run.path}")


def reads_unbound(project: Project, path: str) -> dict[int, ast.Name]:
    """The first such name of each statement at the top of a file, by the line of the statement. A file that
    imports `*` may bind any name."""
    return project.once(_unbound, path)


def _unbound(project: Project, path: str) -> dict[int, ast.Name]:
    facts = project.index.files.get(path)
    if facts is None or facts.stars:
        return {}
    known = outlined_names(facts) | _GIVEN
    late = any(i.module == "__future__" and i.name == "annotations" for i in facts.imports)
    tree = project.index.trees.glance(path).tree  # most files have no such name, and are not looked at again
    found = [(node, name) for node in tree.body for name in _read(node, late) if name.id not in known]
    if not found or binds_otherwise(tree):
        return {}
    bound = bound_at_top(tree)
    left = [(node, name) for node, name in found if name.id not in bound and _is_forgotten(project, name.id)]
    left = [(node, name) for node, name in left if not is_own_submodule(project, path, name.id)]
    return {node.lineno: name for node, name in reversed(left)}


def _is_forgotten(project: Project, name: str) -> bool:
    """Is it a module of Python, or known to another file, and does nobody put it there?"""
    known = name in sys.stdlib_module_names or name in project.get(known_elsewhere)
    return known and not set_from_outside(project, name)


def _read(node: ast.stmt, late: bool) -> Iterator[ast.Name]:
    """The names that a statement surely reads; `late`: are annotations left alone?"""
    if isinstance(node, _FUNCTIONS):
        yield from _of_definition(node, late)
    elif isinstance(node, ast.ClassDef):
        for expr in (*node.decorator_list, *node.bases, *(k.value for k in node.keywords)):
            yield from sure_names(expr)
        yield from _of_methods(node, late)
    elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.Expr)) and node.value is not None:
        yield from sure_names(node.value)


def _of_methods(node: ast.ClassDef, late: bool) -> Iterator[ast.Name]:
    """What the definitions in a class read of the module."""
    own = bound_in(node)
    methods = (m for m in node.body if isinstance(m, _FUNCTIONS))
    return (name for m in methods for name in _of_definition(m, late) if name.id not in own)


def _of_definition(node: ast.FunctionDef | ast.AsyncFunctionDef, late: bool) -> Iterator[ast.Name]:
    given = node.args
    every = (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg)
    told = [*(a.annotation for a in every if a is not None), node.returns]
    read = [*node.decorator_list, *given.defaults, *given.kw_defaults, *([] if late else told)]
    return (name for expr in read if expr is not None for name in sure_names(expr))
