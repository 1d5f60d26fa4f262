"""Words that several reporters of call graphs use."""

from __future__ import annotations

from mmcodemod.model.callmap import Doubt
from mmcodemod.model.grade import How
from mmcodemod.report.escape import visible

MODEL = "<models>/"  # path prefix of mmcodemod's own models of frameworks

KINDS: dict[Doubt, str] = {  # the most telling first
    "remote-code": "models whose code is fetched when the run starts (trust_remote_code)",
    "parameter": "parameters for which nothing known is passed",
    "value": "values that could not be worked out",
    "name": "names that nothing in the tree defines",
    "member": "methods that neither the tree nor a model of a framework defines",
    "arguments": "functions that do not take what the call passes",
    "library-object": "objects that a library made",
    "builtin-value": "methods of lists, dicts and strings",
}
HOWS = {
    "direct": "a plain call of a name",
    "self": "a method of the object itself",
    "mro": "found in the order of base classes",
    "pointsto": "worked out from the values that may get here",
    "factory": "a library method builds an object of this class",
    "registry": "looked up in a registry",
    "callback": "handed to code that may call it",
    "framework": "a framework runs it when the object is called",
    "patched": "assigned over the method",
    "name-only": "assumed: too many candidates to be sure of one",
    "library": "a function of a library, by name",
    "import": "importing a module runs its code",
}


def place(path: str, line: int) -> str:
    """`path:line`; a model of a framework is named as such."""
    if path.startswith(MODEL):
        name = path.removeprefix(MODEL).removesuffix(".py").replace("__", ".")
        return f"({visible(name)})"
    return f"{visible(path)}:{line}"


_HOWS = frozenset(how.value for how in How)
SURENESS = {
    "exact": "certain",
    "inferred": "worked out",
    "assumed": "assumed",
}


def sureness(how: str) -> str:
    """exact, inferred or assumed: how sure an edge is, as in the traces of `check`."""
    return How(how).confidence.value if how in _HOWS else "exact"
