"""What the YAML or JSON file that a launch names says for a key that code reads: `conf["trainer"]["dtype"]`,
`args.run_cfg.mode`; `args.max_norm` where the code puts the entries of all sections side by side.
Must-analysis: plain values of one file, which neither a word of the launch nor a line of the code gives anew.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.model.context import Context
from mmcodemod.model.option import Option
from mmcodemod.model.pattern import regex
from mmcodemod.project.config_reads import changed, given_anew
from mmcodemod.project.flags import PASSED_ON
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin

Follow = Callable[[ast.expr, str], list[Origin]]
Keys = tuple[str, ...]

_FILES = (".yaml", ".yml", ".json")
_LOADS = ("yaml.load", "yaml.safe_load", "yaml.full_load", "json.load", "OmegaConf.load")
_ROOTS = ("config", "cfg", "conf", "configs", "args", "opt", "opts", "hps", "hparams", "params", "settings")
_NAMED = regex(r"[\w./-]+\.(?:ya?ml|json)\b")
MAX_STEPS = 4  # names for parts of the mapping
_REFERS = ("${", "$(", ", ")  # to another key; a list is kept as one text


def file_key(
    project: Project, context: Context | None, expr: ast.expr, function: str, follow: Follow
) -> tuple[str, Option] | None:
    """The key that an expression reads of the launch's own file, and what the file has there. `follow` says
    where a name comes from."""
    if context is None or context.entry is None or not any(p.endswith(_FILES) for p in context.configs):
        return None
    keys = _keys(expr, function, follow)
    if not keys or context.option(PASSED_ON).at is not None:
        return None
    key = ".".join(keys) if len(keys) > 1 else _in_section(project, context, keys[0])
    option = context.option(key)
    if not key or not _is_plain(option) or not _is_alone(project, context, key):
        return None
    within = project.reach(context.entry)
    return None if given_anew(context, key) or changed(project, key, within) else (key, option)


# -- the key -------------------------------------------------------------------------------------------


def _keys(expr: ast.expr, function: str, follow: Follow, depth: int = 0) -> Keys:
    """The keys from the whole configuration on; none where it is no configuration, or that does not show."""
    key = _last(expr)
    if not key or depth > MAX_STEPS:
        return ()
    base: ast.expr = expr.value  # type: ignore[attr-defined]
    if _last(base) and not _is_own(base):
        outer = _keys(base, function, follow, depth)
        return (*outer, key) if outer else ()
    ends = follow(base, function)
    if _is_loaded(ends):
        return (key,)
    further = [o for o in ends if o.expr is not base and _last(o.expr)]
    if not further:
        return (key,) if unparse(base).rpartition(".")[2].lstrip("_") in _ROOTS else ()
    if len(ends) > 1:  # which of them it is does not show
        return ()
    outer = _keys(further[0].expr, further[0].function, follow, depth + 1)
    return (*outer, key) if outer else ()


def _last(expr: ast.expr) -> str:
    """The key that an attribute, or a subscript by a text, reads."""
    match expr:
        case ast.Attribute(attr=name):
            return name
        case ast.Subscript(slice=ast.Constant(value=str(name))):
            return name
    return ""


def _is_own(expr: ast.expr) -> bool:
    """`self.cfg`."""
    return isinstance(expr, ast.Attribute) and isinstance(expr.value, ast.Name) and expr.value.id == "self"


def _is_loaded(ends: list[Origin]) -> bool:
    """Does a library read it from a file?"""
    calls = [unparse(o.expr.func) for o in ends if isinstance(o.expr, ast.Call)]
    return bool(ends) and len(calls) == len(ends) and all(c.endswith(_LOADS) for c in calls)


# -- sections side by side -----------------------------------------------------------------------------


def _in_section(project: Project, context: Context, name: str) -> str:
    """The only key of the run's files that ends with the name, one section deep, where the code drops the
    sections; "" otherwise."""
    roots = [project.sources.root(p) for p in context.configs if p.endswith(_FILES)]
    tops = [m for root in roots if root for m in root.members]
    found = [f"{m.key}.{name}" for m in tops if m.node.member(name) is not None]
    alone = len(found) == 1 and all(m.key != name for m in tops)
    assert context.entry is not None
    reach = project.reach(context.entry)
    return found[0] if alone and any(f in reach for f in project.get(_flattening)) else ""


def _flattening(project: Project) -> list[str]:
    """The functions that put every entry of every section into one mapping."""
    return [f.id for f in project.mentioning(".items()") if any(map(_flattens, walk(f.node)))]


def _flattens(node: ast.AST) -> bool:
    """`for section in config: for k, v in config[section].items(): plain[k] = v`."""
    return isinstance(node, ast.For) and any(
        isinstance(store.targets[0].slice, ast.Name) and store.targets[0].slice.id == key
        for inner in node.body
        for key, store in _entries(inner, node.target)
        if isinstance(store.targets[0], ast.Subscript)
    )


def _entries(inner: ast.stmt, section: ast.expr) -> Iterator[tuple[str, ast.Assign]]:
    """The assignments in a loop over the entries of a section, with the name that holds the key."""
    match inner:
        case ast.For(
            target=ast.Tuple(elts=[ast.Name(id=key), ast.Name()]),
            iter=ast.Call(func=ast.Attribute(value=held, attr="items")),
        ) if {n.id for n in walk(section) if isinstance(n, ast.Name)} & {
            n.id for n in walk(held) if isinstance(n, ast.Name)
        }:
            yield from ((key, s) for s in inner.body if isinstance(s, ast.Assign))


# -- the value -----------------------------------------------------------------------------------------


def _is_plain(option: Option) -> bool:
    if option.at is None or not option.known or option.note == "list":
        return False
    return not (isinstance(option.value, str) and any(part in option.value for part in _REFERS))


def _is_alone(project: Project, context: Context, key: str) -> bool:
    """Does it come from one file of the run, and has no other that the launch names such a key?"""
    words = frozenset(word.rpartition("/")[2] for word in _NAMED.findall(context.command))
    sources = project.sources
    near = sources.once(("near", words), lambda: _called(project, words))
    roots = {p: sources.root(p) for p in {*near, *context.configs} if p.endswith(_FILES)}
    names = {p.rpartition("/")[2] for p, root in roots.items() if root and root.find(key) is not None}
    at = context.option(key).at
    return at is not None and at.path in context.configs and names == {at.path.rpartition("/")[2]}


def _called(project: Project, names: frozenset[str]) -> list[str]:
    """The files of the tree, in whatever folder, with such names."""
    return [p for p in project.tree.paths if p.rpartition("/")[2] in names]
