"""Framework models as values: stand-ins for library classes and functions, told apart by where they are
made. Ids of the tree pass through unchanged."""

from __future__ import annotations

from mmcodemod.facts.python import Parameters
from mmcodemod.facts.terms import Call, Name, Starred, Term
from mmcodemod.project.frame import Frame

MODELS = "<models>"  # path prefix of the framework models that ship with mmcodemod
INTRINSICS = "mmcodemod_intrinsics."  # what stub modules say that Python has no word for
MAX_NESTED = 3  # objects made by objects that are told apart


def is_stub(identity: str) -> bool:
    """Is it the id of a path, function, class or object of a framework model?"""
    return identity.startswith(MODELS)


def class_of(identity: str) -> str:
    """The class of an object that `allocated` named; any other class id stays what it is."""
    return identity.partition("@")[0] if identity.startswith(MODELS) else identity


def allocated(cls: str, call: Call, frame: Frame) -> str:
    """The id of the object of a framework model's class that one call makes in one frame."""
    return f"{cls}@{site_of(call, frame)}" if is_stub(cls) and "@" not in cls else cls


def site_of(call: Call, frame: Frame) -> str:
    """Where a call stands: the place in the tree, or the place in a stub and whom the stub works for."""
    path = frame.function.partition("::")[0]
    place = f"{path}:{call.lineno}:{call.col_offset}"
    nested = frame.receiver.count("@") + frame.site.count("@")
    return f"{place}@{frame.receiver}@{frame.site}" if is_stub(path) and nested < MAX_NESTED else place


def handed_on(parameters: Parameters, call: Call) -> bool:
    """Does a stub function `f(self, *args, **kwargs)` pass all that it gets on to this call?"""
    if not parameters.rest or not parameters.keywords:
        return False
    if (
        len(parameters.plain) + len(parameters.keyword_only) > 1
        or len(call.args) != 1
        or len(call.keywords) != 1
    ):
        return False
    starred, spread = call.args[0], call.keywords[0]
    return (
        isinstance(starred, Starred)
        and spread.arg is None
        and _named(starred.value, parameters.rest)
        and _named(spread.value, parameters.keywords)
    )


def _named(expr: Term, name: str) -> bool:
    return isinstance(expr, Name) and expr.id == name
