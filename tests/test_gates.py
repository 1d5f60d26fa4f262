"""The search for the releases between which a library changes, and the table of what shows it."""

from __future__ import annotations

import gates
import pytest
from proving.environments import packages
from proving.gates import FOLDER, GATES, Gate

from mmcodemod.facts.versions import version_below
from mmcodemod.knowledge import deepspeed_gates, transformers_gates

RELEASES = ("1.0", "1.1", "1.2", "1.3", "1.4", "1.5")
GATE = Gate("deepspeed", "clipping.py", "at 0", "at 1", RELEASES)


@pytest.mark.parametrize("first", range(1, len(RELEASES)))
def test_the_neighbours_are_found_with_few_runs(first: int) -> None:
    asked: list[str] = []

    def side(release: str) -> str:
        asked.append(release)
        return "newer" if RELEASES.index(release) >= first else "older"

    assert gates.halved(RELEASES, side) == (RELEASES[first - 1], RELEASES[first])
    assert len(asked) <= 5


def test_nothing_is_found_where_the_ends_do_not_differ_or_a_release_is_neither() -> None:
    assert gates.halved(RELEASES, lambda _: "newer") == ()
    assert gates.halved(RELEASES, lambda _: "older") == ()
    assert gates.halved(RELEASES, {"1.0": "older", "1.5": "newer", "1.2": ""}.__getitem__) == ()


def test_an_output_of_neither_side_or_of_both_has_none() -> None:
    assert [GATE.side(text) for text in ("clips at 0", "clips at 1", "Traceback", "at 0, at 1")] == [
        "older",
        "newer",
        "",
        "",
    ]
    assert GATE.seen("warning\nclips at 1\nbye\n") == "clips at 1"
    assert GATE.seen("Traceback\nValueError: no\n") == "ValueError: no"


@pytest.mark.parametrize("name", sorted(GATES))
def test_a_gate_has_its_program_and_releases_in_order(name: str) -> None:
    gate = GATES[name]
    assert (FOLDER / gate.program).is_file()
    for older, newer in zip(gate.releases, gate.releases[1:]):
        assert version_below(f"=={older}", newer), (older, newer)
    assert packages(f"{gate.package}-{gate.releases[0]}") == (f"{gate.package}=={gate.releases[0]}",)


@pytest.mark.parametrize("name", sorted(set(GATES) - {"INFLIGHT_CLEARED"}))
def test_what_rules_rest_on_lies_within_the_releases_that_can_be_run(name: str) -> None:
    known = getattr(deepspeed_gates, name, None) or getattr(transformers_gates, name)
    assert known in GATES[name].releases[1:]
