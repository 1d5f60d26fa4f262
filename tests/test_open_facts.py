"""Facts that stay open: each is told once, and the same fact twice is one doubt."""

import pytest

from mmcodemod.model.finding import Note
from mmcodemod.model.place import Place
from mmcodemod.model.verdict import Excluded, Fatal, Unclear
from mmcodemod.project.answers import both, doubted
from mmcodemod.project.weigh import Verdict

SAFE = Excluded(Note(Place("a.py", 1), "safe"))


@pytest.mark.parametrize(
    ("answer", "fact", "expected"),
    [
        (Fatal(), "whether a", Unclear("whether a")),
        (Unclear("whether a"), "whether a", Unclear("whether a")),
        (Unclear("whether a", plausible=False), "whether a", Unclear("whether a", plausible=False)),
        (Unclear("whether a"), "whether b", Unclear("whether a; and whether b", plausible=False)),
        (
            Unclear("whether a; and whether b", plausible=False),
            "whether b",
            Unclear("whether a; and whether b", plausible=False),
        ),
        (SAFE, "whether a", SAFE),
        (Unclear("whether a"), "", Unclear("whether a")),
    ],
)
def test_one_more_fact(answer, fact, expected):
    assert doubted(answer, fact) == expected


def test_the_weaker_of_two_answers_with_one_fact_holds():
    plausible, doubtful = Unclear("whether a"), Unclear("whether a", plausible=False)
    assert both(plausible, plausible) == plausible
    assert both(plausible, doubtful) == both(doubtful, plausible) == doubtful
    assert both(plausible, Unclear("whether b")) == Unclear("whether a; and whether b", plausible=False)


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        (["whether a", "whether a"], " This depends on whether a."),
        (["whether a", "whether b"], " This depends on whether a and whether b."),
        (["whether a", "whether a; and whether b"], " This depends on whether a; and whether b."),
        (["whether ab", "whether a"], " This depends on whether ab and whether a."),
    ],
)
def test_what_a_finding_depends_on(facts, told):
    assert Verdict(facts=facts).unless == told
