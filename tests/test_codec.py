"""A report that was kept comes back the same, and nothing else comes back as a report."""

import json
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import get_args, get_type_hints

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mmcodemod.model import codec
from mmcodemod.model.context import Context, Strategy
from mmcodemod.model.finding import Finding, Problem
from mmcodemod.model.grade import Severity
from mmcodemod.model.option import AUTO, MISSING, UNKNOWN, Option
from mmcodemod.model.place import Place
from mmcodemod.model.report import Report


def write(kind, seen):
    """Have the constructors of a class, and of those that its fields name, written: hypothesis asks them."""
    for inner in get_args(kind):
        write(inner, seen)
    if is_dataclass(kind) and kind not in seen:
        seen.add(kind)
        if kind.__init__.__name__ == "late":
            heir = dataclass(frozen=True)(type(kind)(kind.__name__, (kind,), {}))
            kind.__init__ = vars(heir)["__init__"]
        for hint in get_type_hints(kind).values():
            write(hint, seen)


def report_strategy():
    write(Report, seen := set())
    assert len(seen) > 10, "the fields of a report name many classes"
    return st.from_type(Report)


REPORTS = report_strategy()
slow = settings(suppress_health_check=list(HealthCheck), deadline=None, max_examples=150)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


@slow
@given(REPORTS)
def test_round_trip(report):
    back = codec.decode(Report, codec.encode(report))
    assert repr(back) == repr(report), "repr tells 1 from True and 1.0, and shows NaN"


@pytest.mark.parametrize(
    "value",
    [
        "auto",
        AUTO,
        MISSING,
        UNKNOWN,
        1,
        True,
        1.0,
        0,
        False,
        -0.0,
        None,
        "",
        10**30,
        1e-300,
        "\udc80\x00é\u2028",
    ],
)
def test_values_that_look_alike(value):
    back = codec.decode(Option, codec.encode(Option(value, Place("a\udcff.sh", 3), "note")))
    assert repr(back.value) == repr(value)


def test_every_field_counts():
    context = Context("run.sh:1", None, None, Strategy.ZERO3, options={"b": Option(1), "a": Option(2)})
    report = Report(contexts=(context,), problems=(Problem("a.py", "io", "gone"),))
    back = codec.decode(Report, codec.encode(report))
    assert back == report
    assert list(back.contexts[0].options) == ["b", "a"], "the order is part of the value"
    assert {field.name for field in fields(back)} == {field.name for field in fields(report)}


def nodes(plain, at=()):
    yield at
    if isinstance(plain, dict | list):
        pairs = plain.items() if isinstance(plain, dict) else enumerate(plain)
        for key, one in pairs:
            yield from nodes(one, (*at, key))


def replaced(plain, at, value):
    if not at:
        return value
    copy = plain.copy()
    copy[at[0]] = replaced(plain[at[0]], at[1:], value)
    return copy


@slow
@given(REPORTS, PLAIN, st.data())
def test_planted_data_is_refused_or_a_well_formed_report(report, planted, data):
    plain = json.loads(codec.encode(report))
    changed = replaced(plain, data.draw(st.sampled_from(list(nodes(plain)))), planted)
    try:
        back = codec.decode(Report, json.dumps(changed).encode())
    except codec.Undecodable:
        return
    assert json.loads(codec.encode(back)) == changed
    hash((back.findings, back.problems))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"{}",
        b"[]",
        b"[[],[],[],[]]",
        b"\xff",
        b"[" * 100_000,
        b'{"Report": 1}',
        b"[[],[],[],[],[1]]",
    ],
)
def test_garbage(data):
    with pytest.raises(codec.Undecodable):
        codec.decode(Report, data)


def test_a_wrong_type_deep_inside():
    finding = Finding("MM201", Place("a.py", 1), "It hangs.", Severity.ERROR)
    good = codec.encode(Report((finding,)))
    assert codec.decode(Report, good).findings == (finding,)
    for bad in (
        replace(finding, at=Place("a.py", "1")),
        replace(finding, rule=3),
        replace(finding, contexts=(1,)),
    ):
        with pytest.raises(codec.Undecodable):
            codec.decode(Report, codec.encode(Report((bad,))))


def test_what_json_cannot_carry():
    with pytest.raises(ValueError, match="digits"):
        codec.encode(Option(10**5000))
