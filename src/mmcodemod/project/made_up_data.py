"""Loops whose batches are random numbers, in a file that saves nothing or with a loss that has no aim: they
show that a program runs, or what it takes, and train nothing that anyone keeps."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.model.pattern import regex
from mmcodemod.model.place import Place
from mmcodemod.project.flow import flow_of
from mmcodemod.project.model import Project
from mmcodemod.project.timed_loops import of_numbers

_RANDOM = regex(r"^(torch|np|numpy|random|rng)\.(random\.)?(rand\w*|normal|uniform)$")
_KEEPS_OR_READS = regex(r"(?i)save|checkpoint_|push_to_hub|load_dataset|\bopen\(|\bnext\(|ImageFolder|\.read")


def made_up(project: Project, function: str, node: ast.AST) -> Place | None:
    """Where the batches of the loops around a call are made up; None where data may be read, or kept."""
    path = function.partition("::")[0]
    text = project.index.text(path)
    if "rand" not in text:
        return None
    loops = [loop for loop in flow_of(project, function).loops(node) if isinstance(loop, ast.For)]
    aimless = _aimless(loops[0]) if loops else None
    if aimless is not None:
        return Place(path, aimless.lineno)
    if _KEEPS_OR_READS.search(text):
        return None
    drawn = _of_loader(project.index.files[path].tree) if "DataLoader" in text else _of_loop(loops)
    return Place(path, drawn.lineno) if drawn is not None and loops else None


def _aimless(loop: ast.For) -> ast.Call | None:
    """The random numbers of a loop whose loss is the mean or the sum of what the model makes of them: it has
    nothing to learn, whatever the file saves."""
    made = {
        node.targets[0].id: node.value
        for node in walk(loop)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    for value in made.values():
        match value:
            case ast.Call(ast.Attribute(ast.Name(output), "mean" | "sum"), [], []):
                passed = made.get(output)
                given = passed.args if isinstance(passed, ast.Call) and not passed.keywords else []
                drawn = [_drawn(made.get(a.id)) if isinstance(a, ast.Name) else None for a in given]
                if drawn and None not in drawn:
                    return drawn[0]
    return None


def _drawn(value: ast.expr | None) -> ast.Call | None:
    return next(_random(value), None) if isinstance(value, ast.Call) else None


def _of_loop(loops: list[ast.For]) -> ast.Call | None:
    """The random numbers that loops over numbers draw."""
    if not all(of_numbers(loop.iter) for loop in loops):
        return None
    return next((call for loop in loops for call in _random(loop)), None)


def _of_loader(module: ast.Module) -> ast.Call | None:
    """The random numbers that samples are made of, where each loader of a file loads such samples."""
    classes = [node for node in walk(module) if isinstance(node, ast.ClassDef)]
    made = {cls.name: call for cls in classes if (call := _sample(cls))}
    loaders = [c for c in walk(module) if isinstance(c, ast.Call) and _name(c.func) == "DataLoader"]
    found = [made.get(name) for loader in loaders for name in _loaded(module, loader)]
    return found[0] if found and None not in found else None


def _sample(cls: ast.ClassDef) -> ast.Call | None:
    """The random numbers of a class whose `__getitem__` takes nothing from what the object holds."""
    for method in cls.body:
        if isinstance(method, ast.FunctionDef) and method.name == "__getitem__":
            held = any(isinstance(n, ast.Subscript) and _held(n.value) for n in walk(method))
            return None if held else next(_random(method), None)
    return None


def _loaded(module: ast.Module, loader: ast.Call) -> set[str]:
    """The names of the classes whose objects a loader is given; "" for what does not show."""
    given = [*loader.args[:1], *(k.value for k in loader.keywords if k.arg == "dataset")]
    names = {node.id for node in given if isinstance(node, ast.Name)}
    assigned = [n for n in walk(module) if isinstance(n, ast.Assign) and _targets(n) & names]
    values = [n.value for n in assigned] if names else given
    return {_name(v.func) if isinstance(v, ast.Call) else "" for v in values} or {""}


def _targets(node: ast.Assign) -> set[str]:
    return {n.id for target in node.targets for n in walk(target) if isinstance(n, ast.Name)}


def _random(node: ast.AST) -> Iterator[ast.Call]:
    return (c for c in walk(node) if isinstance(c, ast.Call) and _RANDOM.match(unparse(c.func)))


def _held(node: ast.expr) -> bool:
    return unparse(node).startswith("self.")


def _name(node: ast.expr) -> str:
    return getattr(node, "attr", getattr(node, "id", ""))
