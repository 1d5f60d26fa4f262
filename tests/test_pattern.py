"""Patterns of modules are compiled when they are first used; here all of them are."""

import ast
import gc
import pkgutil
import re
from importlib import import_module
from pathlib import Path

import pytest

import mmcodemod
from mmcodemod.engine.registry import rules
from mmcodemod.model.pattern import _Late, regex

SOURCES = Path(mmcodemod.__file__).parent.rglob("*.py")
APART = {"models", "knowledge"}  # frameworks' own code, and the layer below


def test_it_is_the_compiled_pattern_to_those_who_use_it():
    late, compiled = regex(r"(\w)b", re.IGNORECASE), re.compile(r"(\w)b", re.IGNORECASE)
    assert late.sub(r"\1", "AB ab") == compiled.sub(r"\1", "AB ab") == "A a"
    assert late.fullmatch("xb").groups() == ("x",)
    assert [m.span() for m in late.finditer("ab ab")] == [(0, 2), (3, 5)]
    assert (late.pattern, late.groups) == (compiled.pattern, compiled.groups)
    with pytest.raises(AttributeError):
        late.searches  # noqa: B018


def test_every_pattern_can_be_compiled():
    rules()
    for found in pkgutil.walk_packages(mmcodemod.__path__, "mmcodemod."):
        if ".models" not in found.name and not found.name.endswith("__main__"):
            import_module(found.name)
    patterns = [late for late in gc.get_objects() if isinstance(late, _Late)]
    assert len(patterns) > 300
    for late in patterns:
        re.compile(late.pattern, late.flags)


def test_no_module_compiles_one_when_it_is_loaded():
    found = [path for path in SOURCES if APART.isdisjoint(path.parts) and any(_compiled(path))]
    assert found == []


def _compiled(path: Path):
    """Uses of `re.compile` outside of functions; those whose method is taken at once are used anyway."""
    todo = list(ast.parse(path.read_text(encoding="utf-8")).body)
    while todo:
        node = todo.pop()
        if not isinstance(node, (ast.FunctionDef, ast.Lambda)):
            yield isinstance(node, ast.Call) and ast.unparse(node.func) == "re.compile"
            todo += ast.iter_child_nodes(node)
