"""Compare functions of framework models with an installed library. Run by the interpreter that has it:
reads [[module, qualified name, positional names, keyword-only names]] as JSON from stdin, prints
{"checked": n, "absent": [...], "unreadable": [...], "problems": [...]}."""

from __future__ import annotations

import importlib
import inspect
import json
import sys
import warnings


def _find(module: str, qualname: str):
    top, *inside = module.split(".")
    found = importlib.import_module(top)
    for part in inside:  # `deepspeed.zero` is an attribute, not a module of its own
        found = getattr(found, part, None) or importlib.import_module(f"{found.__name__}.{part}")
    for part in qualname.split("."):
        found = inspect.getattr_static(found, part) if inspect.isclass(found) else getattr(found, part)
    return found


def _parameters(found):
    if isinstance(found, (classmethod, staticmethod)):
        found = found.__func__
    return list(inspect.signature(found).parameters.values())


def _problems(real, positional: list[str], keywords: list[str]) -> list[str]:
    """What a call that fits the model would not find in the library."""
    kinds = {p.kind for p in real}
    named = [p.name for p in real if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    every = {p.name for p in real}
    open_names = inspect.Parameter.VAR_KEYWORD in kinds
    open_places = inspect.Parameter.VAR_POSITIONAL in kinds
    found = []
    for place, name in enumerate(positional):
        if name in named and named.index(name) != place and not open_places:
            found.append(f"{name} is number {named.index(name)}, not {place}")
        elif name not in every and not (open_names or open_places):
            found.append(f"no parameter {name}")
    found += [f"no parameter {name}" for name in keywords if name not in every and not open_names]
    return found


def main() -> None:
    warnings.simplefilter("ignore")
    result = {"checked": 0, "absent": [], "unreadable": [], "problems": []}
    for module, qualname, positional, keywords in json.load(sys.stdin):
        where = f"{module}.{qualname}"
        try:
            real = _parameters(_find(module, qualname))
        except (ImportError, AttributeError, RuntimeError):  # lazy modules raise the last
            result["absent"].append(where)
        except (TypeError, ValueError):
            result["unreadable"].append(where)
        else:
            result["checked"] += 1
            result["problems"] += [f"{where}: {p}" for p in _problems(real, positional, keywords)]
    print(json.dumps(result))


main()
