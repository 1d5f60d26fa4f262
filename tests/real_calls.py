"""Runs a script and prints the calls between functions of its folder that really happen, as call graph JSON.

`python real_calls.py main.py`. The counterpart of what the call graph says: names are dotted, comprehensions
and class bodies count as the function that holds them, library code between two functions is left out, and
so are imports.
"""

from __future__ import annotations

import ast
import json
import os
import runpy
import sys
from pathlib import Path
from types import FrameType

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


class Names:
    """Dotted names of the code below one folder, from the text of its files and the names of its modules."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._files: dict[str, dict[tuple[int, str], str]] = {}

    def of(self, frame: FrameType) -> str | None:
        """None for code of other folders, and for code that is no function."""
        code = frame.f_code
        if not Path(code.co_filename).is_relative_to(self._root):
            return None
        module = frame.f_globals["__name__"].replace("__main__", "main")
        if code.co_name == "<module>":
            return str(module)
        inside = self._read(code.co_filename).get((code.co_firstlineno, code.co_name))
        return inside and f"{module}{inside}"

    def _read(self, path: str) -> dict[tuple[int, str], str]:
        if path not in self._files:
            self._files[path] = {}
            _collect(ast.parse(Path(path).read_text()), "", self._files[path])
        return self._files[path]


def _collect(node: ast.AST, name: str, found: dict[tuple[int, str], str]) -> None:
    lambdas = 0
    stack = _inside(node)
    while stack:
        child = stack.pop()
        if isinstance(child, SCOPES):
            lambdas += isinstance(child, ast.Lambda)
            own = getattr(child, "name", f"<lambda{lambdas}>")
            line = min([child.lineno, *(d.lineno for d in getattr(child, "decorator_list", ()))])
            if not isinstance(child, ast.ClassDef):
                found[line, getattr(child, "name", "<lambda>")] = f"{name}.{own}"
            _collect(child, f"{name}.{own}", found)
            stack.extend(_outside(child))
        else:
            stack.extend(list(ast.iter_child_nodes(child))[::-1])


def _inside(node: ast.AST) -> list[ast.AST]:
    """What runs in the scope of a node, last first."""
    body = getattr(node, "body", [])
    return body[::-1] if isinstance(body, list) else [body]


def _outside(node: ast.AST) -> list[ast.AST]:
    """Decorators, defaults and bases run in the scope around, last first."""
    args = getattr(node, "args", None)
    defaults = [*args.defaults, *(d for d in args.kw_defaults if d)] if args else []
    return [*defaults, *getattr(node, "bases", []), *getattr(node, "decorator_list", [])]


class Recorder:
    """Collects (caller, callee) while it is the profiler of the thread."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._seen: dict[int, FrameType] = {}
        self.edges: dict[str, set[str]] = {}

    def __call__(self, frame: FrameType, event: str, arg: object) -> None:
        if event != "call" or id(frame) in self._seen:
            return
        self._seen[id(frame)] = frame  # a generator's frame is entered again and again
        callee = self._names.of(frame)
        if callee is not None and frame.f_code.co_name != "<module>":
            self.edges.setdefault(self._caller(frame), set()).add(callee)

    def _caller(self, frame: FrameType) -> str:
        current = frame.f_back
        while current is not None:
            name = self._names.of(current)
            if name is not None:
                return name
            current = current.f_back
        return "main"


def record(script: Path) -> dict[str, list[str]]:
    """The calls that running `script` makes."""
    recorder = Recorder(Names(script.parent))
    sys.path[0] = str(script.parent)
    sys.dont_write_bytecode = True
    sys.setprofile(recorder)
    try:
        runpy.run_path(str(script), run_name="__main__")
    finally:
        sys.setprofile(None)
    return {caller: sorted(callees) for caller, callees in sorted(recorder.edges.items())}


if __name__ == "__main__":
    stdout = os.dup(1)
    os.dup2(2, 1)  # what the script prints is not the answer
    edges = record(Path(sys.argv[1]).resolve())
    os.write(stdout, json.dumps(edges, indent=1).encode())
