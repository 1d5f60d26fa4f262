"""Launches that die because `HfArgumentParser` has no field for a flag, or not in the required release of
transformers: ValueError, "Some specified arguments are not used". Must-analysis: of the only such parser of a
program, whose dataclasses are all of the tree or transformers' own. Source: transformers,
`HfArgumentParser.parse_args_into_dataclasses`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.knowledge.hf_arguments import BY_CLASS
from mmcodemod.knowledge.hf_field_releases import RELEASES
from mmcodemod.model.context import Context, Entry, Origin
from mmcodemod.model.frozen import frozen
from mmcodemod.model.pattern import regex
from mmcodemod.project import versions
from mmcodemod.project.death import Death, dead_at
from mmcodemod.project.flow import flow_of
from mmcodemod.project.model import Project
from mmcodemod.project.refused import as_written, flags_of
from mmcodemod.project.sole_definitions import Definitions, Sole
from mmcodemod.project.stated_versions import absence
from mmcodemod.project.texts_of_files import text_of

_MAKES, _PARSES = "HfArgumentParser(", ".parse_args_into_dataclasses("
_OPEN = ("return_remaining_strings", "parse_known_args", "from sys", "add_argument")
_PUTS = regex(r"\bargv\s*(?:\[[^\]]*\]\s*)?(?:=(?!=)|\+=)|\bargv\s*\.|\bimport argv\b")
_LIBRARY = regex(r"transformers(?:\.\w+)?\.(\w+)")
_WRAPPERS = ("torch.distributed.elastic.multiprocessing.errors.record",)
"""Decorators that by `functools.wraps` hand on what the parser asks a dataclass for."""
MAX_BASES = 8


@frozen()
class _Parser:
    """`parses`: the call of the file that reads the command line; `fields`: what it takes."""

    path: str
    parses: ast.Call
    fields: frozenset[str]


def unused(project: Project, context: Context) -> Death | None:
    """How a launch dies that gives a flag which no dataclass has; None when nothing shows that."""
    entry = context.entry
    if entry is None or context.origin is not Origin.LAUNCHED or entry.library:
        return None
    memo = project.get(_memo)
    if entry not in memo:
        memo[entry] = _parser(project, entry)
    parser = memo[entry]
    for name in flags_of(context) if parser else ():
        why = _refusal(project, context, parser, name)  # type: ignore[arg-type]
        if why:
            at = project.place(parser.path, parser.parses)  # type: ignore[union-attr]
            return dead_at(at, "ValueError", why)
    return None


def _refusal(project: Project, context: Context, parser: _Parser, name: str) -> str:
    """Why a flag is not taken; "" where it is."""
    if not _takes(parser.fields, name):
        return f"no dataclass of the parser there has a field for `{as_written(context, name)}`"
    required = context.dependencies.get("transformers")
    ends = absence(project, context, "transformers", *RELEASES.get(name, ("", "")))
    if required is None or not ends or project.once(_declares, name):
        return ""
    flag = as_written(context, name)
    return f"transformers has `{flag}` {ends}, and {versions.stated(required)} is required"


def _declares(project: Project, name: str) -> bool:
    """Has a class of the tree a field of that name?"""
    annotated = re.compile(rf"^[ \t]+{name}[ \t]*:", re.MULTILINE)
    return any(annotated.search(text_of(project, path)) for path in project.index.python_files)


def _memo(project: Project) -> dict[Entry, _Parser | None]:
    return {}


def _takes(fields: frozenset[str], name: str) -> bool:
    """Is it a field, the beginning of one, or `no_` before it?"""
    begins = (name, name.removeprefix("no_"))
    return name in fields or any(known.startswith(begins) for known in fields)


def _parser(project: Project, entry: Entry) -> _Parser | None:
    path = _file(project, entry)
    if not path or any(map(_PUTS.search, _texts(project, entry))):
        return None
    tree, definitions = project.index.files[path].tree, Definitions(project, entry.path)
    made = next(_calls(tree, "HfArgumentParser"), None)
    parses = next(_calls(tree, "parse_args_into_dataclasses"), None)
    if made is None or parses is None or parses.args or parses.keywords or made.keywords:
        return None
    if len(made.args) != 1 or not _comes(project, entry, path, parses):
        return None
    if _library(definitions.of(made.func, path)) != "HfArgumentParser":
        return None
    given = made.args[0].elts if isinstance(made.args[0], (ast.Tuple, ast.List)) else made.args
    fields = [_fields(project, definitions, definitions.of(cls, path), 0) for cls in given]
    return _Parser(path, parses, frozenset().union(*fields)) if all(fields) else None  # type: ignore[arg-type]


def _file(project: Project, entry: Entry) -> str:
    """The file that makes the only such parser: that of the program, or else the only one of the run."""
    reach = project.reach(entry)
    paths = {facts.path for facts in project.mentioning("HfArgumentParser") if facts.id in reach}
    paths = {entry.path} & paths or paths
    text = text_of(project, path := paths.pop()) if len(paths) == 1 else ""
    alone = text.count(_MAKES) == 1 and text.count(_PARSES) == 1
    return path if alone and not any(word in text for word in _OPEN) else ""


def _texts(project: Project, entry: Entry) -> Iterator[str]:
    """The files of the run that speak of the words of the command line."""
    reach = project.reach(entry)
    paths = {f.path for f in project.mentioning("argv") if f.id in reach}
    yield from (text_of(project, path) for path in paths)


def _calls(tree: ast.Module, name: str) -> Iterator[ast.Call]:
    for node in walk(tree):
        if isinstance(node, ast.Call) and name == getattr(node.func, "attr", getattr(node.func, "id", "")):
            yield node


def _comes(project: Project, entry: Entry, path: str, parses: ast.Call) -> bool:
    """Does a launch that gives a flag come by the call: under no test but whether a file alone is given?"""
    functions = project.index.files[path].functions.values()
    own = [f.id for f in functions if any(c is parses for c in project.resolver.body(f.id).calls)]
    if len(own) != 1 or own[0] not in project.reach(entry):
        return False
    flow = flow_of(project, own[0])
    tested = all(not side and "len(sys.argv) == 2" in unparse(t.test) for t, side in flow.tests(parses))
    return tested and not any(isinstance(a, ast.Try) for a in flow.around(parses))


def _library(found: Sole | None) -> str:
    name = _LIBRARY.fullmatch(found.library) if found else None
    return name[1] if name else ""


def _keeps_fields(definitions: Definitions, decorator: ast.expr, path: str) -> bool:
    """Does it make a dataclass, or leave one as it is?"""
    found = definitions.of(decorator, path)
    return "dataclass" in unparse(decorator) or (found is not None and found.library in _WRAPPERS)


def _fields(
    project: Project, definitions: Definitions, cls: Sole | None, depth: int
) -> frozenset[str] | None:
    """The fields of a dataclass with those of its bases; None where they do not all show."""
    if cls is None or not isinstance(cls.node, ast.ClassDef):
        return BY_CLASS.get(_library(cls))
    made = all(_keeps_fields(definitions, d, cls.path) for d in cls.node.decorator_list)
    plain = made and not cls.node.keywords
    if not plain or depth > MAX_BASES or "aliases" in text_of(project, cls.path):
        return None
    bases = [definitions.of(base, cls.path) for base in cls.node.bases]
    inherited = [_fields(project, definitions, base, depth + 1) for base in bases]
    own = {
        s.target.id for s in cls.node.body if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)
    }
    return frozenset(own).union(*inherited) if all(inherited) else None  # type: ignore[arg-type]
