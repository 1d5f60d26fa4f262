"""What has happened before a call, and what may happen after it: one event, in small functions."""

from __future__ import annotations

import ast

import pytest

from mmcodemod.facts.terms import Call, plain_name
from mmcodemod.pipeline import build_project
from mmcodemod.project.infer import Frame
from mmcodemod.project.order import Order
from mmcodemod.project.passes import Lasts, Seen
from mmcodemod.source.tree import MemoryTree

HEAD = """
from contextlib import nullcontext
from library import ask, event, held, load, perhaps, stack


def helper():
    event()


def main():
"""
END = """    ask().backward()

if __name__ == "__main__":
    main()
"""
FIRST = HEAD.count("\n")
IN_HELPER = HEAD.splitlines().index("    event()") + 1 - FIRST

BEFORE = {
    "the event, then the call": ("event()\nload()", Seen.ALWAYS),
    "the call, then the event": ("load()\nevent()", Seen.NEVER),
    "in its own argument": ("load(event())", Seen.ALWAYS),
    "on one side of a test": ("if ask():\n    event()\nload()", Seen.MAYBE),
    "on both sides": ("if ask():\n    event()\nelse:\n    event()\nload()", Seen.ALWAYS),
    "on the side that leaves": ("if ask():\n    event()\n    return\nload()", Seen.NEVER),
    "on the side that stays": ("if ask():\n    event()\nelse:\n    return\nload()", Seen.ALWAYS),
    "in one arm of an expression": ("x = event() if ask() else None\nload()", Seen.MAYBE),
    "behind a short circuit": ("ask() and event()\nload()", Seen.MAYBE),
    "for each of a list": ("[event() for x in ask()]\nload()", Seen.MAYBE),
    "in a loop": ("for x in ask():\n    event()\nload()", Seen.MAYBE),
    "in a handler": ("try:\n    ask()\nexcept OSError:\n    event()\nload()", Seen.MAYBE),
    "at the end of a try": ("try:\n    ask()\nfinally:\n    event()\nload()", Seen.ALWAYS),
    "inside a block": ("with held():\n    load()", Seen.ALWAYS),
    "behind a block": ("with held():\n    pass\nload()", Seen.NEVER),
    "a block by way of a variable": (
        "h = held() if ask() else nullcontext()\nwith h:\n    load()",
        Seen.ALWAYS,
    ),
    "a block that another one is given": (
        "many = [ask(), held()]\nwith stack(many):\n    load()",
        Seen.ALWAYS,
    ),
    "a block that only made something": ("x = ask(held())\nwith x.open():\n    load()", Seen.NEVER),
    "in another function": ("helper()\nload()", Seen.ALWAYS),
    "a call that may be one": ("perhaps()\nload()", Seen.MAYBE),
    "a call that may be one, and one that is": ("perhaps()\nevent()\nload()", Seen.ALWAYS),
    "the call, then one that may be": ("load()\nperhaps()", Seen.NEVER),
    "in a module that is imported": ("import other\nload()", Seen.ALWAYS),
    "in a module that may be imported": ("if ask():\n    import other\nload()", Seen.MAYBE),
}
AFTER = {
    "the call, then the event": ("load()\nevent()", [2]),
    "the event, then the call": ("event()\nload()", []),
    "the call, then one that may be": ("load()\nperhaps()", []),
    "on the other side of a test": ("if ask():\n    load()\nelse:\n    event()", []),
    "behind a test with the call": ("if ask():\n    load()\nevent()", [3]),
    "the side of the call leaves": ("if ask():\n    load()\n    return\nevent()", []),
    "the call is in the test": ("if load():\n    event()", [2]),
    "later in a loop": ("for x in ask():\n    load()\n    event()", [3]),
    "earlier in a loop": ("for x in ask():\n    event()\n    load()", []),
    "skipped by continue, but behind the loop": (
        "for x in ask():\n    load()\n    continue\n    event()\nevent()",
        [5],
    ),
    "what the call is given to": ("event(load())", [1]),
    "in another function": ("load()\nhelper()", [IN_HELPER]),
}


def _order(body: str) -> tuple[Order, ast.Call]:
    text = HEAD + "".join(f"    {line}\n" for line in body.splitlines()) + END
    files = {"run.py": text, "other.py": "from library import event\nevent()\n"}
    project = build_project(MemoryTree({name: content.encode() for name, content in files.items()}))
    calls = project.resolver.body("run.py::main").calls
    call = next(c for c in calls if isinstance(c.func, ast.Name) and c.func.id == "load")
    return Order(project, [[Frame("run.py::main")]], _event), call


def _event(call: Call, frame: Frame) -> Lasts | None:
    return {"event": Lasts.RUN, "held": Lasts.BLOCK, "perhaps": Lasts.OPEN}.get(plain_name(call.func))


@pytest.mark.parametrize("name", BEFORE)
def test_before(name: str) -> None:
    body, seen = BEFORE[name]
    order, call = _order(body)
    state = order.before("run.py::main", call)
    assert state is not None
    assert state.seen is seen


@pytest.mark.parametrize("name", AFTER)
def test_after(name: str) -> None:
    body, lines = AFTER[name]
    order, call = _order(body)
    assert [place.line - FIRST for place in order.after("run.py::main", call)] == lines


def test_a_call_behind_return_is_never_reached() -> None:
    order, call = _order("event()\nif ask():\n    return\nelse:\n    return\nload()")
    assert order.before("run.py::main", call) is None
