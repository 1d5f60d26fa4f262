"""`ast` and LibCST agree about the nodes of every file: count, order and names, kind by kind.

Over src/, codemods/, tests/ and samples/; over the wheels as well when MMCODEMOD_WHEELS names their folder.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import libcst as cst
import pytest
from cases import all_cases

from mmcodemod.project.site import KINDS, nodes_of_kind
from mmcodemod.scan.walk import by_kind

ROOT = Path(__file__).parents[1]
NAMES = [kind.__name__ for kind in KINDS]
OWN = sorted(
    f for folder in ("src", "codemods", "tests", "samples", "bench") for f in (ROOT / folder).rglob("*.py")
)
SAMPLED = [(f"{c.id} {p}", data) for c in all_cases() for p, data in c.files.items() if p.endswith(".py")]
WHEELS = os.environ.get("MMCODEMOD_WHEELS", "")

# Everything that a careless order would mix up.
HARD = """
@decorated(first(), key=second())
def outer(a=default(1), *rest: kind(2), b: note(3) = default(4), **more) -> result(5):
    x = before() if test() else after()
    y = [inner(i) for i in outer_of(z) if keep(i)]
    w = {key(k): value(v) for k, v in pairs()}
    f(f"{hidden(1)} {hidden(2)!r}", shown(1), *star(), **stars())
    with open(path()) as handle, lock():
        return handle.read()(chained)(again())
    async def coroutine():
        async with session() as s:
            async for item in s.items():
                await item.run()
    for i in range(len(seq())): use(i)
    while (n := step()) < limit(): use(n)
    if one(): pass
    elif two(): pass
    else: three()
    match subject():
        case Point(x=0) | [1, *_] if guard(x): first_case()
        case {"k": str(v)} if other_guard(): second_case()
        case _: last_case()
    try: risky()
    except kind_of() as e: handle(e)
    else: fine()
    finally: done()
    assert sure(), message()
    del table[gone()]
    z: annotated() = given() if flag() else other()
    return lambda q=late(): q.call(q)(1)[index(2)].tail()
class Made(Base(1), metaclass=Meta(2)):
    field: kind() = value()
    @property
    def late(self): return first(second(third()))
"""


def tail(node: Any) -> str:
    """The last name of a call's function or of a definition, "" for other nodes."""
    named = getattr(node, "func", None) or getattr(node, "name", None)
    last = getattr(named, "attr", named)
    if isinstance(last, cst.Name):
        return last.value
    return last if isinstance(last, str) else getattr(last, "id", "")


def disagreements(data: bytes) -> list[str]:
    """What the two readings of a file do not agree on; nothing when one of them cannot read it."""
    try:
        tree, module = ast.parse(data), cst.parse_module(data)
    except (SyntaxError, ValueError, KeyError, RecursionError, cst.ParserSyntaxError):
        return []
    found = by_kind(module, set(NAMES))
    wrong = []
    for kind in NAMES:
        ours, theirs = nodes_of_kind(tree, kind), found[kind]
        if len(ours) != len(theirs):
            wrong.append(f"{kind}: ast {len(ours)}, LibCST {len(theirs)}")
        elif [tail(n) for n in ours] != [tail(n) for n in theirs]:
            wrong.append(f"{kind}: another order")
    return wrong


def wheels() -> Iterator[Path]:
    yield from sorted(Path(WHEELS).rglob("*.py"))


@pytest.mark.parametrize("file", OWN, ids=lambda file: file.relative_to(ROOT).as_posix())
def test_own_files(file: Path) -> None:
    assert disagreements(file.read_bytes()) == []


@pytest.mark.parametrize(("name", "data"), SAMPLED, ids=[name for name, _ in SAMPLED])
def test_samples(name: str, data: bytes) -> None:
    assert disagreements(data) == []


def test_hard_code() -> None:
    assert disagreements(HARD.encode()) == []
    assert len(nodes_of_kind(ast.parse(HARD), "Call")) > 40


@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")  # theirs, not ours
@pytest.mark.skipif(not WHEELS, reason="MMCODEMOD_WHEELS names no folder")
def test_wheels() -> None:
    files = list(wheels())
    assert files, f"no Python below {WHEELS}"
    wrong = {str(file): found for file in files if (found := disagreements(file.read_bytes()))}
    assert wrong == {}
