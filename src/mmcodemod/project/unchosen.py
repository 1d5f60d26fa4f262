"""Does a run take up a class or function of the tree that it has to choose? Excluded where every place that
names it is one which the launch decides the other way: a side of a test, an entry of a table. Unclear where a
flag that nothing gives decides, fatal where some place is plain."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from mmcodemod.facts.definitions import PLAIN_DECORATORS
from mmcodemod.facts.python import ClassFacts, FunctionFacts
from mmcodemod.model.context import Context
from mmcodemod.model.grade import How
from mmcodemod.model.pattern import regex
from mmcodemod.model.verdict import Answer, Excluded, Fatal, Unclear
from mmcodemod.project.keyed import entry_of
from mmcodemod.project.model import Project
from mmcodemod.project.namespace_stores import is_parsed
from mmcodemod.project.naming_places import Naming, namings
from mmcodemod.project.origins import Origins
from mmcodemod.project.own_tests import come_in
from mmcodemod.project.registered import unpicked

_SHOWN = (How.DIRECT, How.SELF, How.MRO, How.POINTS_TO, How.FACTORY)
_LOOKS_UP = regex(rb"(?<![\w.])(getattr|globals|locals|vars|eval|exec)\(|\bimport_module\(")
_IN_IT = (b"getattr(", b"globals(", b"locals(", b"vars(", b"eval(", b"exec(", b"import_module(")
"""What code that looks something up has one of: found far faster than the expression."""


def taken_up(project: Project, context: Context, target: str) -> Answer:
    """`target`: the id of a class, or of a function that is no method."""
    facts = _facts(project, target)
    if facts is None:
        return Fatal()

    def judge(run: Context) -> Answer:
        if isinstance(facts, ClassFacts) and (fact := unpicked(project, run, facts)):
            return Unclear(fact)
        return Fatal() if _hidden(project, run, facts) else _worst(_answers(project, run, facts))

    return project.judging.once(context, facts, "chosen", judge)


def _facts(project: Project, target: str) -> ClassFacts | FunctionFacts | None:
    """What stands at the top of a module."""
    path, _, name = target.partition("::")
    file = project.index.files.get(path)
    if file is None or "." in name or name.startswith("<"):
        return None
    return file.classes.get(name) or file.functions.get(name)


def _derived(project: Project, facts: ClassFacts) -> bool:
    return bool(project.resolver.classes.subclasses(facts.id))


def _hidden(project: Project, context: Context, facts: ClassFacts | FunctionFacts) -> bool:
    """May it be run by what does not name it: a registry, a subclass, another name, a look-up?"""
    if facts.decorators - PLAIN_DECORATORS - {"dataclass"} or facts.qualname in project.get(_renamed):
        return True
    if isinstance(facts, ClassFacts) and _derived(project, facts):
        return True
    return any(_looked_up(project, context, caller, call) for caller, call in _makers(project, facts))


Made = tuple[How, ast.Call]


def _makers(project: Project, facts: ClassFacts | FunctionFacts) -> Iterator[tuple[str, Made]]:
    """The calls that run it, each in its function."""
    init = project.resolver.classes.find(facts.id, "__init__") if isinstance(facts, ClassFacts) else facts.id
    receiver = facts.id if isinstance(facts, ClassFacts) else ""
    for edge in project.callers(init) if init else ():
        own = edge.callee.receiver == receiver and (not receiver or edge.caller.receiver != receiver)
        if edge.site is not None and own:
            yield edge.caller.function, (edge.how, edge.call)


def _looked_up(project: Project, context: Context, caller: str, made: Made) -> bool:
    """Does the call find it by something else than names and tables that are written out?"""
    how, call = made
    if context.entry is None or caller not in project.reach(context.entry):
        return False
    if caller.startswith("<") or (how not in _SHOWN and not _from_table(project, how, call.func, caller)):
        return True
    code = project.source(project.index.function(caller))
    found = set(_LOOKS_UP.findall(code)) if any(word in code for word in _IN_IT) else set()
    return bool(found - {b"vars"}) or (bool(found) and not _only_of_options(project, caller))


def _only_of_options(project: Project, function: str) -> bool:
    """Does every `vars(args)` there ask for what a parser made?"""
    given = [call.args for call in project.calls_of(function, ("vars",))]
    return bool(given) and all(len(a) == 1 and is_parsed(project.values(a[0], function)) for a in given)


def _from_table(project: Project, how: How, func: ast.expr, caller: str) -> bool:
    """Is what is called looked up in a table there, or where the attribute that holds it is stored?"""
    if how is not How.REGISTRY:
        return False
    found = [func] if _of_table(func) else [o.expr for o in Origins(project).of(func, caller)]
    return bool(found) and all(map(_of_table, found))


def _of_table(func: ast.expr) -> bool:
    taken = func.func if isinstance(func, ast.Call) else func
    return isinstance(taken, ast.Subscript) or (isinstance(taken, ast.Attribute) and taken.attr == "get")


def _renamed(project: Project) -> frozenset[str]:
    """What some file imports under another name."""
    files = [project.index.files[path] for path in project.index.python_files]
    imports = [item for file in files for item in file.imports]
    imports += [item for file in files for f in file.functions.values() for item in f.imports]
    return frozenset(item.name for item in imports if item.name and item.name != item.bound)


def _answers(project: Project, context: Context, facts: ClassFacts | FunctionFacts) -> Iterator[Answer]:
    assert context.entry is not None
    for naming in namings(project, context.entry, facts.qualname):
        if not naming.only_asks and not naming.function.startswith(f"{facts.id}."):
            yield _named(project, context, naming)


def _named(project: Project, context: Context, naming: Naming) -> Answer:
    """What one place that names it says."""
    if not isinstance(naming.node.ctx, ast.Load):
        return Fatal()
    here = come_in(project, context, naming)
    if isinstance(here, Excluded) or not isinstance(naming.parent, ast.Dict):
        return here
    taken = _worst(entry_of(project, context, naming))
    return taken if not isinstance(taken, Fatal) else here


def _worst(answers: Iterable[Answer]) -> Answer:
    """The easiest way in; fatal when there is none."""
    best: Answer | None = None
    for answer in answers:
        if isinstance(answer, Fatal):
            return answer
        best = answer if best is None or isinstance(answer, Unclear) else best
    return best or Fatal()
