"""What the model is made of that a run trains: of classes of which the run takes one, by a key of a table
or a side of a test, the one that its launch names; an open fact where that is open and the kinds differ."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import permutations

from mmcodemod.facts.syntax import unparse
from mmcodemod.model.context import Context
from mmcodemod.model.context import Origin as From
from mmcodemod.model.frozen import frozen
from mmcodemod.model.verdict import Excluded
from mmcodemod.project.flow import flow_of
from mmcodemod.project.looked_up import LookedUp, looked_up
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin
from mmcodemod.project.own_tests import let_to
from mmcodemod.project.settings import Settings, truths
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.trained import Kind, kind_of
from mmcodemod.project.values import Instance, Value, Values

MAX_WRAPS = 3


@frozen()
class Trained:
    """A kind of model; `open`: what decides whether it is that one, where several kinds are left."""

    kind: Kind
    open: str = ""


@frozen()
class _Side:
    """What one call makes, as far as the run may take it; `asked`: the key that is open, where it looks up
    one of several kinds; `narrowed`: is some of it left out?"""

    origin: Origin
    values: Values
    asked: str = ""
    narrowed: bool = False


def kind_in(project: Project, context: Context, owner: Origin) -> Trained:
    """The kind of the model that the run trains, `owner.expr`."""

    def judge(run: Context) -> Trained:
        return _judge(project, run, owner)

    return project.judging.once(context, owner.expr, f"kind in {owner.function}", judge)


def _judge(project: Project, context: Context, owner: Origin) -> Trained:
    found = kind_of(project, project.values(owner.expr, owner.function))
    if found.name != "transformer":
        return Trained(found)
    made = list(dict.fromkeys(_made(project, Settings(project, context), owner)))
    taken = [o for o in made if len(made) > 1 and not _kept_out(project, context, o)] or made
    sides = [_side(project, context, o) for o in taken]
    if len(taken) < len(made) or any(s.narrowed for s in sides):
        found = _kind_left(project, sides) or found
    asked = (s.asked for s in sides if s.asked)
    opened = next(asked, "") or _open_test(project, context, sides)
    return Trained(found, opened if found.name == "transformer" else "")


def _kept_out(project: Project, context: Context, origin: Origin) -> bool:
    """What an entry takes by its defaults, a run that nobody launches need not take."""
    launched = context.origin is From.LAUNCHED
    return launched and isinstance(let_to(project, context, origin.function, origin.expr), Excluded)


def _kind_left(project: Project, sides: list[_Side]) -> Kind | None:
    """The kind of what is left, None where no model of it shows."""
    left = frozenset().union(*(_unwrapped(project, s.values) for s in sides))
    return kind_of(project, left) if _is_model(project, left) else None


def _made(project: Project, settings: Settings, owner: Origin, depth: int = 0) -> Iterator[Origin]:
    """The calls that may make the model, or what else it may be; of what wraps it, what that is given."""
    for origin in settings.origins(owner.expr, owner.function):
        given = _wrapped(project, origin)
        if given is not None and depth < MAX_WRAPS:
            yield from _made(project, settings, Origin(given, origin.function), depth + 1)
        else:
            yield origin


def _wrapped(project: Project, origin: Origin) -> ast.expr | None:
    """`model` of `DistributedDataParallel(model)`."""
    if not isinstance(origin.expr, ast.Call) or not origin.expr.args:
        return None
    found = project.values(origin.expr, origin.function)
    return origin.expr.args[0] if found and all(_wraps(project, v) for v in found) else None


def _wraps(project: Project, value: Value) -> bool:
    """Is it DistributedDataParallel or its like?"""
    wraps = isinstance(value, Instance) and is_stub(value.cls)
    return wraps and bool(project.resolver.member(value, "module"))


def _unwrapped(project: Project, values: Values) -> Values:
    return frozenset(v for v in values if not _wraps(project, v))


def _side(project: Project, context: Context, origin: Origin) -> _Side:
    """With what its look-ups leave, in a launched run."""
    values = project.values(origin.expr, origin.function)
    found = list(looked_up(project, Settings(project, context), origin))
    never = frozenset[str]().union(*(f.named for f in found)).difference(*(f.taken for f in found))
    left = frozenset(v for v in values if not (isinstance(v, Instance) and v.cls in never))
    asked = next((f.key for f in found if _differ(_kinds(project, f.taken))), "")
    if context.origin is From.LAUNCHED:
        return _Side(origin, left, asked, bool(never))
    others = next((f.key for f in found if _leaves_out(project, f)), "")
    return _Side(origin, values, asked or others)


def _leaves_out(project: Project, found: LookedUp) -> bool:
    """Are there transformers in the table, and none that is taken?"""
    taken = _kinds(project, found.taken)
    return "transformer" not in taken and _differ(taken | _kinds(project, found.named))


def _kinds(project: Project, classes: frozenset[str]) -> set[str]:
    return {kind_of(project, frozenset((Instance(cls),))).name for cls in classes}


def _differ(kinds: set[str]) -> bool:
    return "transformer" in kinds and len(kinds) > 1


def _open_test(project: Project, context: Context, sides: list[_Side]) -> str:
    """The test that parts what makes models of different kinds and need not lead to the transformer, "" where
    none does."""
    shown = [(s.origin, kind_of(project, s.values).name) for s in sides if _is_model(project, s.values)]
    for (one, mine), (other, others) in permutations(shown, 2):
        asked = _asked(project, context, one, other) if mine == "transformer" != others else ""
        if asked:
            return asked
    return ""


def _is_model(project: Project, values: Values) -> bool:
    """Is it a model of the tree, or one whose kind shows?"""
    own = any(isinstance(v, Instance) and not is_stub(v.cls) and project.is_module(v.cls) for v in values)
    return own or bool(kind_of(project, values).name)


def _asked(project: Project, context: Context, one: Origin, other: Origin) -> str:
    """The test that has them on different sides and need not lead to the one, "" where none has."""
    if one.function != other.function:
        return ""
    flow = flow_of(project, one.function)
    sides = {id(test): side for test, side in flow.tests(other.expr)}
    for test, side in flow.tests(one.expr):
        parts = sides.get(id(test), side) is not side
        if parts and truths(project, context, test.test, one.function) != {side}:
            return unparse(test.test)
    return ""
