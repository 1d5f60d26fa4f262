"""Which methods of their arguments builtins call.

Source: the Python data model, docs.python.org/3/reference/datamodel.html."""

from __future__ import annotations

# Builtins and the methods of their arguments that they call: the first that there is.
BUILTIN_METHODS: dict[str, tuple[tuple[str, ...], ...]] = {
    "len": (("__len__",),), "str": (("__str__", "__repr__"),), "print": (("__str__", "__repr__"),),
    "repr": (("__repr__",),), "bool": (("__bool__", "__len__"),), "abs": (("__abs__",),),
    "int": (("__int__",),), "float": (("__float__",),), "hash": (("__hash__",),), "next": (("__next__",),),
    "iter": (("__iter__", "__getitem__"),), "reversed": (("__reversed__", "__len__"),),
}  # fmt: skip
_BUILDING = ("list", "tuple", "set", "frozenset", "dict", "sorted", "enumerate", "zip", "map", "filter")
ITERATING = frozenset((*_BUILDING, "sum", "any", "all", "min", "max"))
