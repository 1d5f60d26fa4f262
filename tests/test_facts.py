"""Facts are plain data: whole after packing, the same whoever extracts them, and in step with the trees."""

from __future__ import annotations

import ast
import random
from pathlib import Path

import pytest
from cases import all_cases

from mmcodemod.facts.body import own_nodes, source_order
from mmcodemod.facts.extract import extract, outlined
from mmcodemod.facts.node_reader import body_of
from mmcodemod.facts.nodes import node_of
from mmcodemod.facts.packing import unpack
from mmcodemod.facts.python import FileFacts, file_facts
from mmcodemod.facts.record import Damaged, decode, encode, extracted, facts_key
from mmcodemod.facts.syntax import ParseError
from mmcodemod.facts.terms import CALL, Attribute, Call, Constant, Name, Subscript, Term
from mmcodemod.pipeline import check
from mmcodemod.project import extraction, index, trees
from mmcodemod.project.branches import modality_tests
from mmcodemod.project.flow import flow_of
from mmcodemod.project.frame import Frame
from mmcodemod.project.model import Project
from mmcodemod.source.tree import MemoryTree, text_tree

SOURCES = sorted(
    {data for case in all_cases() for path, data in case.files.items() if path.endswith(".py")}
    | {file.read_bytes() for file in Path(__file__).parents[1].glob("src/**/*.py")}
)
PARSED = [data for data in SOURCES if not isinstance(extraction._read(extracted(data)), ParseError)]


def test_a_record_is_whole_after_packing() -> None:
    assert len(PARSED) > 200
    for data in PARSED:
        record = extract(data)
        assert decode(encode(record)) == record
        assert decode(extracted(data)) == record


def _plain(value: object) -> bool:
    if isinstance(value, tuple):
        return type(value) is tuple and all(map(_plain, value))
    return value is None or value is ... or type(value) in (int, bool, str, bytes, float, complex)


def test_a_record_holds_nothing_but_plain_data() -> None:
    for data in PARSED:
        record = extract(data)
        assert _plain(record)
        assert all(_plain(unpack(blob)) for function in record[1] for blob in function[-2:])


def _facts(data: bytes) -> FileFacts:
    found = outlined(data)
    return file_facts("x.py", extract(data), lambda path: found)


def test_calls_are_in_source_order() -> None:
    count = 0
    for data in PARSED:
        for function in _facts(data).functions.values():
            spans = [c.span for c in function.body.calls]
            count += len(spans)
            assert spans == sorted(spans, key=lambda s: (s[0], s[1], -s[2], -s[3]))
    assert count > 5000


def test_no_call_is_left_out() -> None:
    for data in PARSED:
        found = outlined(data)
        for function in found.functions.values():
            wanted = [n for n in own_nodes(function.node) if isinstance(n, ast.Call)]
            assert body_of(function.node, found).calls == tuple(sorted(wanted, key=source_order))


def _same(term: Term, node: ast.expr) -> bool:
    """Do they say the same, as far as terms say anything?"""
    if isinstance(term, Call):
        return isinstance(node, ast.Call) and _same(term.func, node.func) and len(term.args) == len(node.args)
    if isinstance(term, Attribute):
        return isinstance(node, ast.Attribute) and term.attr == node.attr and _same(term.value, node.value)
    if isinstance(term, Subscript):
        return isinstance(node, ast.Subscript) and _same(term.value, node.value)
    if isinstance(term, Name):
        return isinstance(node, ast.Name) and term.id == node.id
    return not isinstance(term, Constant) or (isinstance(node, ast.Constant) and term.value == node.value)


def test_nodes_and_facts_are_read_alike() -> None:
    """The same reader makes both, so that a place in the one is the place in the other."""
    for data in PARSED:
        for function in _facts(data).functions.values():
            own, nodes = function.body, function.nodes.body
            for term, node in zip(own.calls, nodes.calls, strict=True):
                assert node_of(term) is node
                assert _same(term, node)
            assert list(own.names) == list(nodes.names)
            for name, sources in nodes.names.items():
                for left, right in zip(own.names[name], sources, strict=True):
                    assert (left.via, left.index, left.inner) == (right.via, right.index, right.inner)
                    assert _same(left.expr, right.expr)
            for store, other in zip(own.stores, nodes.stores, strict=True):
                assert store.attr == other.attr and _same(store.base, other.base)
            assert all(map(_same, own.returns, nodes.returns))


@pytest.mark.parametrize("seed", range(20))
def test_damaged_bytes_are_told(seed: int) -> None:
    rng = random.Random(seed)
    blob = bytearray(extracted(rng.choice(PARSED)))
    place = rng.randrange(len(blob))
    for bad in (
        bytes(blob[:place]),
        bytes(blob[:place] + bytes((blob[place] ^ 255,)) + blob[place + 1 :]),
        rng.randbytes(rng.randrange(200)),
    ):
        with pytest.raises(Damaged):
            decode(bad)


def test_that_a_file_cannot_be_parsed_is_a_fact() -> None:
    with pytest.raises(ParseError) as caught:
        decode(extracted(b"x = 1\ndef (:\n"))
    assert caught.value.line == 2


def test_the_key_changes_with_the_content() -> None:
    assert facts_key(b"a") == facts_key(b"a") != facts_key(b"b")


class _Kept(dict[bytes, bytes]):
    """A cache in memory that counts what it was asked to keep."""

    puts = 0

    def get_many(self, kind: str, keys: list[bytes]) -> dict[bytes, bytes]:
        return {key: self[key] for key in keys if key in self}

    def put_many(self, kind: str, values: dict[bytes, bytes]) -> None:
        self.puts += len(values)
        self.update(values)


def test_kept_records_are_taken_and_damaged_ones_made_anew() -> None:
    sources = {f"{n}.py": data for n, data in enumerate(SOURCES[:30])} | {"bad.py": b"def ("}
    plain = list(extraction.records(sources))
    kept = _Kept()
    assert list(extraction.records(sources, kept=kept)) == plain
    assert kept.puts == len(set(sources.values()))
    assert list(extraction.records(sources, kept=kept)) == plain
    assert kept.puts == len(set(sources.values())), "nothing is kept twice"
    for number, key in enumerate(sorted(kept)):
        kept[key] = b"" if number % 2 else kept[key][:-1]
    assert list(extraction.records(sources, kept=kept)) == plain


def test_processes_make_the_same_records(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extraction, "PAYS", 0)
    sources = {f"{n}.py": data for n, data in enumerate(SOURCES[:60])} | {"bad.py": b"def ("}
    assert list(extraction.records(sources, jobs=3)) == list(extraction.records(sources))


def test_trees_are_read_again_only_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extraction, "FEW", 0)
    read: list[str] = []
    monkeypatch.setattr(trees, "outlined", lambda data: read.append("") or outlined(data))
    project = Project(index.build(text_tree({"a.py": "def f():\n    g(1)\n", "b.py": "x = 1\n"})))
    (call,) = project.index.function("a.py::f").body.calls
    assert isinstance(call.func, Name) and call.func.id == "g"
    assert not read
    assert ast.unparse(node_of(call)) == "g(1)"
    assert project.resolver.body("a.py::f").calls == (node_of(call),)
    assert len(read) == 1


def test_a_glance_keeps_the_trees_in_which_something_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extraction, "FEW", 0)
    read: list[bytes] = []
    monkeypatch.setattr(trees, "outlined", lambda data: read.append(data) or outlined(data))
    files = {
        "asks.py": "def f(images):\n    if images is not None:\n        g(images)\n",
        "talks.py": "def f(x):\n    if x is not None:\n        show('image', x)\n",
    }
    project = Project(index.build(text_tree(files)))
    ((function, (test,)),) = project.get(modality_tests).items()
    assert function == "asks.py::f" and sorted(read) == sorted(text.encode() for text in files.values())
    assert project.index.files["asks.py"].tree.body[0].body == [test]  # type: ignore[attr-defined]
    assert len(read) == 2, "the tree that holds the test is kept"
    assert project.index.files["talks.py"].tree.body and len(read) == 3, "the other one is not"


def test_a_glance_during_which_somebody_looks_gives_the_nodes_that_are_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(extraction, "FEW", 0)
    code = (
        "import torch\n\n\ndef f(x, images=None):\n    if images is not None:\n        x = show('image', x)\n"
        "    if isinstance(images, torch.Tensor):\n        x = show('image', x)\n    return x\n"
    )
    project = Project(index.build(text_tree({"asks.py": code})))
    ((function, (test, *_)),) = project.get(modality_tests).items()
    assert test in project.index.function(function).node.body
    assert flow_of(project, function).arms(test).true == tuple(test.body)


def test_trees_that_are_read_again_change_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [case for case in all_cases() if case.expected]
    kept = [check(MemoryTree(case.files)) for case in cases]
    monkeypatch.setattr(extraction, "FEW", 0)
    assert [check(MemoryTree(case.files)) for case in cases] == kept


def test_a_node_and_its_fact_have_one_answer() -> None:
    code = "class A: ...\ndef f(a):\n    x = [A() for k in a]\n    return x[0], (b := A())\n"
    project = Project(index.build(text_tree({"a.py": code})))
    body = project.index.function("a.py::f").body
    for term in (*body.calls, *body.returns):
        node = next(
            n
            for n in ast.walk(ast.parse(code))
            if getattr(n, "col_offset", -1) == term.col_offset
            and getattr(n, "lineno", 0) == term.lineno
            and isinstance(n, (ast.Call, ast.Tuple))
        )
        found = project.solver.infer(term, Frame("a.py::f"))
        assert found and project.resolver.infer(node, Frame("a.py::f")) == found


@pytest.mark.parametrize(
    "code",
    [
        "x = " + " + ".join(["f()"] * 2500),
        "x = a" + ".b()" * 300,
        "if a:\n    f()\n" + "elif b:\n    f()\n" * 900,
        "x = " + "[" * 90 + "f()" + "]" * 90,
        "x = " + "not " * 400 + "f()",
    ],
    ids=["a long sum", "a long chain", "many elifs", "nested lists", "nested nots"],
)
def test_deep_code_loses_no_call(code: str) -> None:
    tree = ast.parse(code)
    wanted = sum(isinstance(n, ast.Call) for n in ast.walk(tree))
    functions = {f[0]: unpack(f[-2])[0][0] for f in extract(code.encode())[1]}
    assert len(functions["<module>"]) == wanted
    assert all(call[0] == CALL for call in functions["<module>"])
