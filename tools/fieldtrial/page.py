"""docs/field-trial.md, made from the data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from fieldtrial.data import Foreseen, Tree, Trial, Verdict

HEAD = """# Field trial

Written by `python tools/field_trial.py page` from `docs/field-trial/`; do not edit. In each round,
`mmcodemod check` looked at public training repositories that it was not developed on. Every finding that is
listed (errors and warnings) was judged against the code before anything was mended, and a second reader voted
who saw the message and the code alone, not the rule, the severity or the first verdict. *right*: what the
message says is so, and a maintainer would want to know it; *wrong*: it is not so; *unclear*: the repository
does not say. A finding is wrong, too, where every run that it speaks of ends, of something else, before it
comes to the place: such findings are counted apart as well (*runs that end before*; for rounds 1 to 21 read
out of the reasons afterwards). Reasons are in the readers' own words; no code is copied.
"""
NONE = "\nNo round has been judged yet.\n"


def text(trial: Trial) -> str:
    """The whole page."""
    if not trial.trees:
        return HEAD + NONE
    rounds = sorted({tree.round for tree in trial.trees})
    return HEAD + "".join(
        [
            _section("Rounds", _ROUNDS, [_round(n, trial) for n in rounds]),
            _section("Rules", _RULES, _rules(trial.verdicts)),
            _section("Findings that are wrong or unclear", _WRONG, _told_wrong(trial.verdicts)),
            _section("Where the readers disagree", _APART, map(_apart, _disagreements(trial.verdicts))),
            _section("What an independent reading foresaw", _FORESEEN, map(_foreseen, trial.foreseen)),
            _section("Repositories", _TREES, map(_tree, trial.trees)),
            _section("Every verdict", _EVERY, map(_verdict, trial.verdicts)),
        ]
    )


_ROUNDS = (
    "round | repositories | judged | right | wrong | unclear | right of all"
    " | runs that end before | right of the others | votes that agree"
)
_RULES = "rule | round | judged | right | wrong | unclear"
_WRONG = "round | rule | repository | place | severity | verdict | reason | mended"
_APART = "round | rule | repository | place | verdict | reason | second reader | reason of the second"
_FORESEEN = "round | repository | place | what would happen | found | remark"
_TREES = "round | repository | commit | trains with | errors | warnings | notes"
_EVERY = "round | repository | commit | rule | place | severity | verdict | reason"

Cells = Sequence[object]


def _section(title: str, columns: str, found: Iterable[Cells]) -> str:
    """A table, or a word that it is empty."""
    lines = [f"| {' | '.join(_cell(str(cell)) for cell in row)} |\n" for row in found]
    rule = "|" + "---|" * (columns.count("|") + 1)
    return f"\n## {title}\n\n" + ("".join([f"| {columns} |\n{rule}\n", *lines]) if lines else "None.\n")


def _cell(told: str) -> str:
    return " ".join(told.split()).replace("|", "\\|")


def _round(number: int, trial: Trial) -> Cells:
    judged = [v for v in trial.verdicts if v.round == number]
    trees = [tree for tree in trial.trees if tree.round == number]
    right = sum(v.verdict == "right" for v in judged)
    read = [v for v in judged if v.second]
    votes = f"{sum(v.agreed for v in read)} of {len(read)}" if read else "no second reader"
    early = sum(v.ends_before == "yes" for v in judged)
    parts = _part(right, len(judged)), early, _part(right, len(judged) - early)
    return number, len(trees), *_counts(judged), *parts, votes


def _part(right: int, judged: int) -> str:
    return f"{100 * right / judged:.1f} %" if judged else "-"


def _counts(judged: Sequence[Verdict]) -> Sequence[int]:
    n = Counter(v.verdict for v in judged)
    return len(judged), n["right"], n["wrong"], n["unclear"]


def _rules(verdicts: Sequence[Verdict]) -> Iterable[Cells]:
    for rule, number in sorted({(v.rule, v.round) for v in verdicts}):
        yield rule, number, *_counts([v for v in verdicts if (v.rule, v.round) == (rule, number)])


def _told_wrong(verdicts: Sequence[Verdict]) -> Iterable[Cells]:
    for v in verdicts:
        if v.verdict != "right":
            yield v.round, v.rule, v.repository, _place(v), v.severity, v.verdict, v.reason, v.mended or "-"


def _disagreements(verdicts: Sequence[Verdict]) -> list[Verdict]:
    return [v for v in verdicts if v.second and not v.agreed]


def _apart(v: Verdict) -> Cells:
    return v.round, v.rule, v.repository, _place(v), v.verdict, v.reason, v.second, v.second_reason


def _foreseen(one: Foreseen) -> Cells:
    return one.round, one.repository, _place(one), one.what, one.found, one.reason or "-"


def _tree(one: Tree) -> Cells:
    return one.round, one.repository, f"`{one.commit[:12]}`", one.kind, one.error, one.warning, one.info


def _verdict(v: Verdict) -> Cells:
    commit = f"`{v.commit[:12]}`"
    return v.round, v.repository, commit, v.rule, _place(v), v.severity, v.verdict, v.reason


def _place(of: Verdict | Foreseen) -> str:
    return f"`{of.file}:{of.line}`"
