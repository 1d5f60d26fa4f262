"""`rules --stats`: what speaks for each rule, counted in the checkout and kept in the package."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import rule_stats as program
from click.testing import CliRunner

from mmcodemod.cli.main import commands
from mmcodemod.engine import rule_stats
from mmcodemod.engine.builtin import BUILTIN
from mmcodemod.engine.registry import rules
from mmcodemod.model.rule_stats import RuleStats
from mmcodemod.report import catalogue

ROOT = Path(__file__).parents[1]
RUN = "`dies` | proved | before 3 | `w` | `abc` |"
PROOFS = f"""| rule | versions |
| MM103 | torch 2.0 | {RUN}
| MM103 | torch 2.1 | none | does not fail | before 3 | `w` | `abc` |
| seed_some: MM103, MM303 | torch 2.0 | {RUN}
| seed_some: MM103, MM303 | torch 2.2 | {RUN}
"""
CASES = """# what it is about

## one that hangs

```python train.py
hang()  # expect: MM303
```

## one that hangs for another reason

```python train.py
hang()  # expect: MM401
```

## one that is fine

```python train.py
train()
```

## one that is missed

todo: the call is built at run time

```python train.py
hang()  # expect: MM303
```
"""


def test_what_is_kept_is_what_the_checkout_holds() -> None:
    kept = rule_stats.FILE.read_text(encoding="utf-8")
    assert kept == program.text(program.counted()), "python tools/rule_stats.py"


def test_every_rule_has_its_numbers() -> None:
    known = rule_stats.rule_stats()
    assert set(known) == {rule.code for rule in rules()}
    assert all(of.positive >= 3 and of.negative >= 5 for of in known.values())


def _checkout(folder: Path) -> Path:
    (clipping,) = (rule for rule in rules() if rule.code == "MM303")
    verdict = {
        "round": 1,
        "repository": "some/one",
        "commit": "0" * 40,
        "rule": "MM303",
        "file": "a",
        "line": 1,
    }
    votes = {"severity": "error", "reason": "so", "second": "right", "second_reason": "so"}
    rows = [{**verdict, **votes, "verdict": told} for told in ("right", "right", "wrong", "unclear")]
    tree = {"round": 1, "repository": "some/one", "commit": "0" * 40, "kind": "", "error": 4}
    for path, text in {
        f"samples/{clipping.slug}/cases.md": CASES,
        "docs/proofs.md": PROOFS,
        "docs/field-trial/verdicts.jsonl": "".join(json.dumps(row) + "\n" for row in rows),
        "docs/field-trial/trees.jsonl": json.dumps({**tree, "warning": 0, "info": 0}) + "\n",
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def test_cases_proofs_and_verdicts_are_counted(tmp_path) -> None:
    found = program.counted(_checkout(tmp_path))
    assert found["MM303"] == RuleStats(1, 2, ("torch 2.0", "torch 2.2"), 2, 1, 1)
    assert found["MM103"] == RuleStats(0, 0, ("torch 2.0", "torch 2.2"))
    assert found["MM401"] == RuleStats(0, 0)


def test_what_is_written_is_read_again(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(rule_stats, "FILE", tmp_path / "stats.json")
    found = {"MM303": RuleStats(1, 2, ("torch 2.0",), 3, 4, 5), "MM103": RuleStats(6, 7)}
    (tmp_path / "stats.json").write_text(program.text(found))
    assert rule_stats.rule_stats() == found
    assert program.text(dict(reversed(found.items()))) == program.text(found)


def _row(code: str) -> catalogue.Row:
    return catalogue.Row(code, "a-rule", "sharding", "error", True, "It hangs")


def test_the_list_for_people() -> None:
    told = catalogue.stats([_row("MM303"), _row("MM103")], {"MM303": RuleStats(1, 20, ("a", "b"), 3, 4, 5)})
    assert told.splitlines() == [
        "               positive  negative    proofs     right     wrong   unclear",
        "MM103  a-rule         -         -         -         -         -         -",
        "MM303  a-rule         1        20         2         3         4         5",
    ]


def _shown(*arguments: str) -> str:
    return CliRunner().invoke(commands, ["rules", *arguments], standalone_mode=False).stdout


def test_the_command_lists_every_rule() -> None:
    lines = _shown("--stats").splitlines()
    assert [line.split()[0] for line in lines[1:]] == sorted(
        [r.code for r in rules()] + [b.code for b in BUILTIN]
    )
    assert _shown() != _shown("--stats")


def test_json_has_numbers_and_versions() -> None:
    told = {rule["code"]: rule for rule in json.loads(_shown("--stats", "--format", "json"))["rules"]}
    plain = {rule["code"]: rule for rule in json.loads(_shown("--format", "json"))["rules"]}
    assert told["MM901"]["stats"] is None
    assert {code: {k: v for k, v in of.items() if k != "stats"} for code, of in told.items()} == plain
    for code, of in rule_stats.rule_stats().items():
        stats = told[code]["stats"]
        assert {**stats["cases"], **stats["field_trial"], "proved": tuple(stats["proved"])} == asdict(of)
