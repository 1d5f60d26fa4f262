"""Bodies of functions that are let go: whoever looks at them later sees what was there."""

from __future__ import annotations

import ast
from collections.abc import Callable
from operator import add

import pytest

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.extract import outlined
from mmcodemod.facts.late import LateBody, let_go
from mmcodemod.facts.outline import Outline
from mmcodemod.project.trees import Trees

SOURCE = '''# a file with a bit of everything
import torch

@torch.no_grad()
def plain(x, *, scale=(1,
                       2)):
    """What it does: ünïcode.

  less indented than the code
    """
    if x:
        return [y * scale for y in x]


def joined(x):
    first = x
    second = first
    third = second
    return first, \\
        second, \\
        third, \\


class Model(torch.nn.Module):
    async def forward(self, x):  # with a comment
        text = f"ä{x}"
        for part in x:
            await part
        return text

    def outer(self):
        def inner(y):
            a = y
            b = a
            c = b
            return c
        return inner

    key = sorted([], key=lambda x: (
        x.first,
        x.second,
        x.third,
        x.fourth,
    ))
\tdef last(self): pass
'''.replace("\tdef", "    def").encode()
LOOKS = (
    *(len, bool, list, reversed),
    *(lambda body: body[0], lambda body: add(body, []), lambda body: add([], body)),
    *(lambda body: body == [], lambda body: None in body),
)


def test_what_is_read_again_is_what_was_there() -> None:
    before, found = outlined(SOURCE), _gone(SOURCE)
    assert _late(found) == {"plain", "joined", "Model.forward", "Model.outer.inner"}
    assert ast.dump(found.tree, include_attributes=True) == ast.dump(before.tree, include_attributes=True)


def test_other_line_ends_and_other_encodings() -> None:
    source = SOURCE.replace(b"\n", b"\r\n")
    assert ast.dump(_gone(source).tree) == ast.dump(outlined(source).tree)
    latin = b"# coding: latin-1\n" + SOURCE.decode().encode("latin-1")
    assert not _late(_gone(latin))


def test_it_is_read_once_and_stays() -> None:
    body = _gone(SOURCE).functions["plain"].node.body
    assert len(body) == 2 and body[1] is list(body)[1] is body[-1] is next(reversed(body))
    assert body[1] in body and body.index(body[1]) == 1 and body == list(body)
    assert add(body, body[:1]) == [*body, body[0]] and add([None], body) == [None, *body]


@pytest.mark.parametrize("look", LOOKS)
def test_every_way_to_look_reads(look: Callable[[list[ast.stmt]], object]) -> None:
    body = _gone(SOURCE).functions["plain"].node.body
    assert list.__len__(body) == 0
    look(body)
    assert list.__len__(body) == 2


def test_trees_keep_what_somebody_was_shown() -> None:
    trees = Trees(lambda path: SOURCE, large=True)
    glanced = trees.glance("m.py")
    shown = glanced.functions["plain"].node.body
    trees.keep("m.py", glanced, ["plain"])
    assert trees.outline("m.py").functions["plain"].node.body is shown
    assert _late(trees.outline("m.py")) == {"joined", "Model.forward", "Model.outer.inner"}
    assert not _late(Trees(lambda path: SOURCE).outline("m.py"))


def _gone(source: bytes) -> Outline:
    found = outlined(source)
    let_go(found, lambda: source)
    return found


def _late(found: Outline) -> set[str]:
    return {name for name, f in found.functions.items() if isinstance(f.node.body, LateBody)}


def test_nodes_that_were_listed_before_are_listed_anew():
    found = outlined(SOURCE)
    nodes = {name: function.node for name, function in found.functions.items() if name != "<module>"}
    before = {name: list(own_nodes(node)) for name, node in nodes.items()}
    let_go(found, lambda: SOURCE)
    gone = [name for name, node in nodes.items() if isinstance(node.body, LateBody)]
    assert "plain" in gone
    for name in gone:
        listed = list(own_nodes(nodes[name]))
        assert nodes[name].body[0] in listed and before[name][-1] not in listed
        assert list(map(ast.dump, listed)) == list(map(ast.dump, before[name]))
