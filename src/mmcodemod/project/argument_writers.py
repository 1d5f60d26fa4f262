"""Who else may put an attribute into the namespace of a parser: stores by that name, a text that is the name,
and code that stores under names which do not show. May-analysis over the code of a tree."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator

from mmcodemod.facts.syntax import walk
from mmcodemod.model.context import Entry
from mmcodemod.project.model import Project
from mmcodemod.project.read_first import read_first

_UPDATES = ("update", "setdefault", "__setitem__", "__ior__")
_MODULES = ("self", "cls", "model", "module", "parent", "layer", "parent_module", "submodule", "mod")
_TELLS = ("print", "pprint", "info", "debug", "warning", "log", "dump", "dumps")
_COPIES = ("str", "dict", "sorted", "len", "init", "update")
_READS = ("getattr", "hasattr")
_BY_TEXT = (
    *("setattr", "__dict__", "vars(", "exec(", "locals(", "Namespace"),
    *("fromkeys", "namedtuple", "make_dataclass", "set_defaults"),
)
"""Code that makes attributes of texts."""
_NO_NAMESPACE = ("self", "cls")
_ANY = "**"
_RANKS = ("local_rank", "rank", "global_rank", "world_size", "device", "gpu", "n_gpu", "distributed")
_BY_LIBRARIES = (*_RANKS, "dist_backend", "dist_url", "deepspeed", "deepspeed_config", "deepscale_config")


def by_libraries(name: str) -> bool:
    """Is it a name under which helpers of launchers and libraries put something there?"""
    return name in _BY_LIBRARIES


def is_put(project: Project, name: str, entry: Entry | None = None) -> bool:
    """May some code of the tree, or of what an entry reaches, put an attribute of that name into a
    namespace?"""
    files = project.once(_naming, name)
    return bool(files) if entry is None else not files.isdisjoint(project.reach(entry).files)


def is_stored(project: Project, name: str, entry: Entry | None) -> bool:
    """The same, but for texts in lists, or for functions of the file, where a file stores nothing by a text:
    those are words to look for."""
    if not is_put(project, name, entry) or entry is None:
        return is_put(project, name, entry)
    return not project.once(_storing, name).isdisjoint(project.reach(entry).files)


def _naming(project: Project, name: str) -> frozenset[str]:
    files = dict.fromkeys(f.path for f in project.mentioning(name))
    return frozenset(path for path in files if not project.once(_put_in, path).isdisjoint((name, _ANY)))


def _put_in(project: Project, path: str) -> frozenset[str]:
    """The names under which `_putting` finds a place in a file; _ANY where it does under every name."""
    nodes = list(walk(project.index.files[path].tree))
    pairs = [pair for node in nodes if isinstance(node, ast.Dict) for pair in zip(node.keys, node.values)]
    kept = {id(k) for k, v in pairs if isinstance(v, ast.Attribute) and v.attr == getattr(k, "value", None)}
    kept |= {id(arg) for node in nodes if _called(node) in _READS for arg in node.args[1:2]}  # type: ignore[attr-defined]
    return frozenset(name for node in nodes if id(node) not in kept for name in _named(node))


def _named(node: ast.AST) -> Iterator[str]:
    """The names that `_names` finds in a node."""
    if isinstance(node, ast.Attribute):
        yield from (node.attr,) if _names(node, node.attr) else ()
    elif isinstance(node, ast.Call) and _called(node) == "set_defaults":
        yield from (keyword.arg or _ANY for keyword in node.keywords)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def _storing(project: Project, name: str) -> frozenset[str]:
    trees = {path: project.index.files[path].tree for path in project.once(_naming, name)}
    return frozenset(p for p, tree in trees.items() if _putting(tree, name, _words(project, p, tree)))


def _words(project: Project, path: str, tree: ast.AST) -> frozenset[int]:
    """What is in lists, or given to its own functions, in a file that stores nothing by a text."""
    if any(word in project.index.text(path) for word in _BY_TEXT):
        return frozenset()
    nodes = list(walk(tree))
    own = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    lists = [node.elts for node in nodes if isinstance(node, (ast.List, ast.Tuple, ast.Set))]
    calls = (node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name))
    lists += [call.args for call in calls if call.func.id in own]  # type: ignore[attr-defined]
    return frozenset(id(element) for elements in lists for element in elements)


def is_made(project: Project, name: str) -> bool:
    """May some code of the tree put it there that has not read it before?"""
    trees = (project.index.files[path].tree for path in project.once(_naming, name))
    return any(_putting(tree, name, read_first(tree, name)) for tree in trees)


def places_naming(project: Project, name: str, files: Container[str]) -> int:
    """How many places of some files may put it there."""
    trees = (project.index.files[path].tree for path in project.once(_naming, name) if path in files)
    return sum(_putting(tree, name) for tree in trees)


def _putting(tree: ast.AST, name: str, but: Container[int] = ()) -> int:
    """How many places of a file may put it there, but for some. A dictionary that keeps the attribute itself
    under its own name (`{"arch": args.arch}`) reads it first, and `getattr` reads alone."""
    nodes = list(walk(tree))
    kept = {
        id(key)
        for node in nodes
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values)
        if isinstance(value, ast.Attribute) and value.attr == name
    }
    kept |= {id(arg) for node in nodes if _called(node) in _READS for arg in node.args[1:2]}  # type: ignore[attr-defined]
    others = (node for node in nodes if id(node) not in kept and id(node) not in but)
    return sum(_names(node, name) for node in others)


def _names(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Attribute):
        stored = node.attr == name and not isinstance(node.ctx, ast.Load)
        return stored and getattr(node.value, "id", "") not in _NO_NAMESPACE
    if _called(node) == "set_defaults":
        return any(keyword.arg in (name, None) for keyword in node.keywords)  # type: ignore[attr-defined]
    return isinstance(node, ast.Constant) and node.value == name


def hides_names(project: Project, entry: Entry) -> bool:
    """May some file that a run loads do so under names that do not show?"""
    files = project.reach(entry).files & set(project.index.python_files)
    return any(is_hidden(project, path) for path in sorted(files))


def is_hidden(project: Project, path: str) -> bool:
    """May a file put attributes into a namespace whose names do not show?"""
    return project.once(_hides, path)


def _hides(project: Project, path: str) -> bool:
    text = project.index.text(path)
    said = any(w in text for w in ("setattr", "__dict__", "vars(", "exec(", "__getattr__"))
    return said and any(_hidden(project.index.files[path].tree))


def _hidden(tree: ast.Module) -> Iterator[ast.AST]:
    holder = {id(inner): node for node in walk(tree) for inner in ast.iter_child_nodes(node)}
    for node in walk(tree):
        called = _called(node)
        if called == "exec" or (called in ("setattr", "__setattr__") and not _shows(node)):
            yield node
        elif (called == "vars" or getattr(node, "attr", "") == "__dict__") and _of_other(node):
            if _is_written(holder[id(node)], node):
                yield node
        elif isinstance(node, ast.Attribute) and node.attr == "__getattr__" and not _loads(node):
            yield node


def _called(node: ast.AST) -> str:
    func = node.func if isinstance(node, ast.Call) else None
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""


def _loads(node: ast.Attribute) -> bool:
    return isinstance(node.ctx, ast.Load)


def _shows(node: ast.AST) -> bool:
    """`setattr(x, "name", value)`, which `is_put` sees, or one of an object that is no namespace."""
    args = node.args if isinstance(node, ast.Call) else []
    if len(args) < 2:
        return False
    return isinstance(args[1], ast.Constant) or (isinstance(args[0], ast.Name) and args[0].id in _MODULES)


def _of_other(node: ast.AST) -> bool:
    """Is it `vars(x)` or `x.__dict__`, of something else than the object itself?"""
    inner = next(iter(node.args), None) if isinstance(node, ast.Call) else getattr(node, "value", None)
    return inner is not None and getattr(inner, "id", "") not in _NO_NAMESPACE


def _is_written(holder: ast.AST, node: ast.AST) -> bool:
    """May what holds the dictionary put something there? Only what reads or copies it does not."""
    if isinstance(holder, ast.Attribute):
        return holder.attr in _UPDATES
    if isinstance(holder, ast.Subscript):
        return not isinstance(holder.ctx, ast.Load) and not isinstance(holder.slice, ast.Constant)
    if isinstance(holder, ast.Call):
        return _called(holder) not in (*_TELLS, *_COPIES)
    if isinstance(holder, ast.keyword):
        return holder.arg not in (None, "config", "hparams")
    return isinstance(holder, (ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.Return, ast.AugAssign))
