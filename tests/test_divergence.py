"""Where ranks stop making the same collective calls: small functions, one per line of reasoning."""

from __future__ import annotations

import pytest

from mmcodemod.pipeline import build_project
from mmcodemod.project.divergence import Cause, Divergence, plain
from mmcodemod.project.rank_tests import saved_by_all
from mmcodemod.project.sides import Side
from mmcodemod.source.tree import MemoryTree

HEAD = """
import os
import time
import torch
import torch.distributed as dist


def main(args, model):
"""
END = """

if __name__ == "__main__":
    main(None, None)
    loss = None
    loss.backward()
"""


def found(body: str, before: str = "") -> list[str]:
    """The divergences of `main` with this body, as "line cause side"."""
    shift = (HEAD.replace("\n\ndef main", f"\n{before}\n\ndef main")).count("\n")
    return [f"{d.at[0] - shift} {told(d)}" for d in divergences(body, before)]


def divergences(body: str, before: str = "") -> list[Divergence]:
    """The divergences of `main` with this body."""
    indented = "".join(f"    {line}\n" if line else "\n" for line in body.strip("\n").splitlines())
    code = HEAD.replace("\n\ndef main", f"\n{before}\n\ndef main") + indented + END
    project = build_project(MemoryTree({"train.py": code.encode()}))
    return [d for d in project.get(plain) if d.frame.function.endswith("::main")]


def told(d: Divergence) -> str:
    side = d.side.name if d.side else "?"
    return f"{d.cause.value} {side} {','.join(letter.name for letter in d.letters)}"


DIFFER = {
    "barrier under a guard": ("if dist.get_rank() == 0:\n    dist.barrier()", "1 arm MAIN barrier"),
    "guard by truth": ("if not dist.get_rank():\n    dist.barrier()", "1 arm MAIN barrier"),
    "guard in a variable": (
        "rank = int(os.environ['RANK'])\nmaster = rank == 0\nif master:\n    dist.barrier()",
        "3 arm MAIN barrier",
    ),
    "local rank of a list": ("if args.local_rank in [-1, 0]:\n    dist.barrier()", "1 arm MAIN barrier"),
    "early return": ("if dist.get_rank() != 0:\n    return\ndist.barrier()", "1 leave OTHERS barrier"),
    "continue in a loop": (
        "for step in range(9):\n    if dist.get_rank() > 0:\n        continue\n    dist.barrier()",
        "2 leave OTHERS barrier",
    ),
    "break before what follows in the loop": (
        "for step in range(9):\n    if dist.get_rank() == 0:\n        break\n    dist.all_reduce(step)",
        "2 leave MAIN all_reduce",
    ),
    "return in a loop before what follows the loop": (
        "for step in range(9):\n    if dist.get_rank() == 0:\n        return\ndist.barrier()",
        "2 leave MAIN barrier",
    ),
    "conditional expression": ("x = dist.barrier() if dist.get_rank() == 0 else None", "1 arm MAIN barrier"),
    "short circuit": ("dist.get_rank() == 0 and dist.barrier()", "1 arm MAIN barrier"),
    "one more than the other side": (
        "if dist.get_rank() == 0:\n    dist.barrier()\n    dist.barrier()\nelse:\n    dist.barrier()",
        "1 arm MAIN barrier",
    ),
    "a file of this machine": (
        "if os.path.exists('cache'):\n    return\ndist.barrier()",
        "1 leave ? barrier",
    ),
    "who gets in is open": (
        "if dist.get_rank() == 0 or args.everywhere:\n    dist.barrier()",
        "1 arm ? barrier",
    ),
    "as often as this machine has files": (
        "for name in os.listdir('parts'):\n    dist.barrier()",
        "1 loop ? barrier",
    ),
    "the others end well": (
        "if dist.get_rank() != 0:\n    exit(0)\ndist.barrier()",
        "1 leave OTHERS barrier",
    ),
    "a difference beside tests that make each other good": (
        "if dist.get_rank() > 0:\n    dist.barrier()\nif dist.get_rank() == 0:\n    dist.barrier()\n"
        "if dist.get_rank() == 0:\n    dist.all_reduce(model)",
        "5 arm MAIN all_reduce",
    ),
    "a guard in a guard": (
        "if dist.get_rank() == 0:\n    if args.sync:\n        if dist.get_rank() == 0:\n"
        "            dist.barrier()",
        "1 arm MAIN barrier",
    ),
    "a caught exception": (
        "try:\n    model.step()\n    dist.barrier()\nexcept Exception:\n    pass",
        "1 handler ? barrier",
    ),
}

SAME = {
    "both sides": "if dist.get_rank() == 0:\n    dist.barrier()\nelse:\n    dist.barrier()",
    "first the others, then the main rank": (
        "if dist.get_rank() > 0:\n    dist.barrier()\nprint(1)\nif dist.get_rank() == 0:\n    dist.barrier()"
    ),
    "no collective": "if dist.get_rank() == 0:\n    print(1)",
    "several ranks at all": "if args.local_rank != -1:\n    dist.barrier()",
    "a setting": "if args.sync:\n    dist.barrier()",
    "the world in a variable": (
        "several = dist.is_available() and dist.is_initialized()\nif not several or dist.get_rank() == 0:\n"
        "    print(1)\nif several:\n    dist.barrier()\n    if dist.get_rank() == 0:\n        print(2)\n"
        "else:\n    if dist.get_rank() == 0:\n        dist.barrier()"
    ),
    "the world": "if dist.get_world_size() > 1:\n    dist.barrier()",
    "everybody ends at last": "dist.barrier()\nif dist.get_rank() == 0:\n    exit()",
    "an exit with an error": "if dist.get_rank() != 0:\n    os._exit(1)\ndist.barrier()",
    "an error": "if dist.get_rank() != 0:\n    raise SystemExit(1)\ndist.barrier()",
    "an assertion": "assert dist.get_rank() == 0\ndist.barrier()",
    "others stop at an assertion in one branch": (
        "if dist.get_rank() != 0:\n    dist.barrier()\nif args.cached:\n    if dist.get_rank() == 0:\n"
        "        dist.barrier()\nelse:\n    assert dist.get_rank() == 0\n    dist.barrier()"
    ),
    "a loop over a setting": "for step in range(args.steps):\n    dist.barrier()",
    "a decision that is shared": (
        "flag = torch.tensor(float(os.path.exists('x')))\ndist.all_reduce(flag)\n"
        "if flag:\n    return\ndist.barrier()"
    ),
    "a value that is gathered": (
        "rank = dist.get_rank()\nlosses = [None]\ndist.all_gather_object(losses, rank)\nif losses[0]:\n"
        "    dist.barrier()"
    ),
}


@pytest.mark.parametrize("name", DIFFER)
def test_ranks_differ(name: str) -> None:
    body, wanted = DIFFER[name]
    assert found(body) == [wanted]


@pytest.mark.parametrize("name", SAME)
def test_ranks_agree(name: str) -> None:
    assert found(SAME[name]) == []


def test_through_a_function() -> None:
    before = "def sync():\n    dist.barrier()\n\n\ndef is_main():\n    return dist.get_rank() == 0\n"
    assert found("if is_main():\n    sync()", before) == ["1 arm MAIN barrier"]


def test_under_another_name() -> None:
    before = "from torch.distributed import barrier as sync\n"
    assert found("if dist.get_rank() == 0:\n    sync()", before) == ["1 arm MAIN barrier"]


def test_a_test_in_the_function_that_is_called() -> None:
    before = "def sync(really):\n    if really:\n        dist.barrier()\n"
    code = "if dist.get_rank() == 0:\n    sync(args.sync)"
    assert [letter.maybe for d in divergences(code, before) for letter in d.letters] == [True]
    before = (
        "def sync():\n    if dist.is_initialized() and dist.get_world_size() > 1:\n        dist.barrier()\n"
    )
    code = "if dist.get_rank() == 0:\n    if args.sync:\n        sync()"
    assert [letter.maybe for d in divergences(code, before) for letter in d.letters] == [False]


def test_a_setting_of_a_called_function_leaves_it_open() -> None:
    before = "def sync(args):\n    if args.wait:\n        dist.barrier()\n"
    own = "if dist.get_rank() == 0:\n    if args.wait:\n        dist.barrier()"
    assert [d.certain for d in divergences(own, before)] == [True]
    assert [d.certain for d in divergences("if dist.get_rank() == 0:\n    sync(args)", before)] == [False]


def test_what_the_others_get_to_in_a_function() -> None:
    before = "def wait():\n    if dist.get_rank() != 0:\n        dist.barrier()\n"
    assert found("if dist.get_rank() == 0:\n    wait()", before) == []
    assert found("if dist.get_rank() != 0:\n    wait()", before) == ["1 arm OTHERS barrier"]


def test_the_same_call_under_two_guards() -> None:
    before = "def sync():\n    dist.barrier()\n"
    body = "if dist.get_rank() == 0:\n    sync()\nif dist.get_rank() == 0:\n    sync()"
    assert found(body, before) == ["1 arm MAIN barrier", "3 arm MAIN barrier"]


def test_a_caller_makes_good() -> None:
    before = (
        "def enter():\n    if dist.get_rank() != 0:\n        dist.barrier()\n\n\n"
        "def leave():\n    if dist.get_rank() == 0:\n        dist.barrier()\n"
    )
    assert found("enter()\nprint(1)\nleave()", before) == []


def test_a_function_that_calls_itself() -> None:
    before = "def down(n):\n    dist.barrier()\n    if n:\n        down(n - 1)\n"
    assert found("if dist.get_rank() == 0:\n    down(3)", before) == ["1 arm MAIN barrier,barrier,barrier"]


def test_a_decorated_function() -> None:
    before = "@accelerator.on_main_process\ndef sync():\n    dist.barrier()\n"
    code = HEAD.replace("\n\ndef main", f"\n{before}\n\ndef main") + "    sync()\n" + END
    project = build_project(MemoryTree({"train.py": code.encode()}))
    causes = [(d.frame.function, d.cause, d.side) for d in project.get(plain)]
    assert causes == [("train.py::sync", Cause.DECORATOR, Side.MAIN)]


SAVED = {
    "on all ranks": ("accelerator.save_state(args.out)", True),
    "in a try that all ranks make": (
        "try:\n    accelerator.save_state(args.out)\nexcept OSError:\n    print('no')",
        True,
    ),
    "behind the rank": ("if accelerator.is_main_process:\n    accelerator.save_state(args.out)", False),
    "behind the rank or something else": (
        "if args.sharded or accelerator.is_main_process:\n    accelerator.save_state(args.out)",
        False,
    ),
}


@pytest.mark.parametrize("name", SAVED)
def test_what_all_ranks_save(name: str) -> None:
    body, by_all = SAVED[name]
    lines = [
        "accelerator = accelerate.Accelerator()",
        *body.splitlines(),
        "accelerator.backward(model(args))",
    ]
    code = HEAD.replace("import os", "import accelerate") + "".join(f"    {line}\n" for line in lines) + END
    project = build_project(MemoryTree({"train.py": code.encode()}))
    assert bool(project.get(saved_by_all)) is by_all
