"""Library names of values: what a framework model stands for has the name that the library gives it."""

from __future__ import annotations

from mmcodemod.project.modules import Modules
from mmcodemod.project.stubs import class_of, is_stub
from mmcodemod.project.values import Bound, ClassRef, External, FunctionRef, Instance, Made, Value


def library_name(modules: Modules, value: Value) -> str:
    """The dotted name of a library function, class or method, e.g. "accelerate.Accelerator().prepare"; ""
    for what the tree defines."""
    if isinstance(value, External):
        return value.name
    if isinstance(value, ClassRef):
        return _dotted(modules, value.cls)
    if isinstance(value, FunctionRef):
        return _dotted(modules, value.function)
    if isinstance(value, Bound) and is_stub(value.function):
        definer, _, method = value.function.rpartition(".")
        owner = _dotted(modules, value.receiver)
        owner += "()" if "@" in value.receiver else ""
        return f"{owner}.{method}" if owner else f"{_dotted(modules, definer)}.{method}"
    return ""


def made_by(modules: Modules, value: Value) -> str:
    """The library callable whose call gave the value, "" for what the tree makes."""
    if isinstance(value, Made):
        return value.by
    return _dotted(modules, value.cls) if isinstance(value, Instance) else ""


def unmade(cls: str) -> Instance:
    """An object of a class that is not seen being made."""
    return Instance(f"{cls}@" if is_stub(cls) and "@" not in cls else cls)


def _dotted(modules: Modules, identity: str) -> str:
    """The library's name for a class or function of a framework model."""
    if not is_stub(identity):
        return ""
    path, _, qualname = class_of(identity).partition("::")
    return f"{modules.name(path)}.{qualname}"
