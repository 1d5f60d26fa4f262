"""Going through a syntax tree: as `ast` does, without contexts and operators."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from mmcodemod.facts.syntax import children, unparse, walk

LEFT_OUT = (ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop)
EVERY_KIND = '''
"""Of each kind of node one."""
from __future__ import annotations as notes
import a.b, c as d
async def f(a: int, /, b=1, *c, d: str = "", **e) -> None:
    global g; del a[0]; nonlocal_ = not -b; b += 1; h: int = 2; i: str
    async with x as (y, z): await x
    async for k in (yield x): continue
    return {**e, "a": 1}, {1, *c}, f"{b!r:>{h}}", (yield from c), lambda j, *, l=1: j
@d(1)
class C(B, metaclass=M):
    def g(self):
        nonlocal h
        for i in self: break
        else: pass
        while a < b <= c and (d or not e) and x is not None: raise E from e
        try: assert x, y
        except (A, B) as error: ...
        else: z = x if y else w
        finally: x[1:2, ::3] = a @ b if (n := 3) else b"", 1j, True, None, ...
        with a: [x for x in y if z for w in x], {x for x in y}, {x: y for x in y}, (x async for x in y)
match x:
    case 1 | [2, *rest] | {"k": v, **more} if v: pass
    case C(a, b=None) | "s" | -1 as whole: pass
    case True | _: pass
if a.b: [c, d]
elif e: pass
'''
SOURCES = {"every kind": EVERY_KIND, "empty": ""}
SOURCES |= {path.name: path.read_text() for path in sorted(Path(__file__).parent.glob("test_[a-c]*.py"))}


@pytest.mark.parametrize("name", SOURCES)
def test_it_gives_what_ast_gives_in_the_same_order(name):
    tree = ast.parse(SOURCES[name])
    nodes = list(walk(tree))
    assert nodes == [node for node in ast.walk(tree) if not isinstance(node, LEFT_OUT)]
    for node in nodes:
        assert children(node) == [n for n in ast.iter_child_nodes(node) if not isinstance(n, LEFT_OUT)]


@pytest.mark.parametrize("name", SOURCES)
def test_it_is_written_as_ast_writes_it(name):
    exprs = [node for node in walk(ast.parse(SOURCES[name])) if isinstance(node, ast.expr)]
    assert [unparse(e) for e in exprs] == [ast.unparse(e) for e in exprs]


def test_the_source_has_every_kind_of_node():
    seen = {type(node) for node in ast.walk(ast.parse(SOURCES["every kind"]))}
    base = (ast.expr, ast.stmt, ast.pattern, ast.excepthandler)
    every = {c.__name__ for b in base for c in b.__subclasses__()}
    newer = {"TryStar", "TypeAlias", "TemplateStr", "Interpolation"}
    assert every - newer <= {c.__name__ for c in seen}
