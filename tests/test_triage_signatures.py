"""The signatures in the rules' folders: form, examples, the errors of all proofs, and hostile lines."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from cases import SAMPLES
from proving import spec, table

from mmcodemod.engine.registry import rules
from mmcodemod.model.context import Strategy
from mmcodemod.model.triage import Signature
from mmcodemod.triage import reading
from mmcodemod.triage.lines import LONGEST
from mmcodemod.triage.signatures import BadSignature, signatures

ROOT = Path(__file__).parents[1]
EVERY = signatures()
PROOFS = {proof.name: proof for proof in spec.all_proofs(SAMPLES)}
SEEN = [
    (row, text)
    for row in table.rows((ROOT / "docs" / "proofs.md").read_text(encoding="utf-8"))
    if row.result == table.PROVED and not PROOFS[row.name].silent
    for text in [row.line.split(" | ")[2].strip("`")]
]
# Rules that speak of failures without a text of their own.
SILENT = {"MM302", "MM305", "MM314", "MM316", "MM408", "MM409", "MM411", "MM415", "MM508", "MM512", "MM602"}

each = pytest.mark.parametrize("signature", EVERY, ids=lambda s: f"{s.rule or 'none'}-{s.literals[0]}"[:60])


def of(rule: str) -> list[Signature]:
    return [s for s in EVERY if s.rule == rule]


def test_every_rule_with_a_symptom_has_signatures() -> None:
    assert {rule.code for rule in rules()} - {s.rule for s in EVERY} == SILENT


@each
def test_form(signature: Signature) -> None:
    assert 1 <= signature.weight <= 5 and signature.at_least >= 1
    assert signature.about and not signature.about.endswith(".")
    assert signature.source == "proof" or signature.source.startswith("https://")
    assert set(signature.strategies) <= {s.value for s in Strategy}
    assert len(signature.text) < 400


@each
def test_examples_match_and_hold_a_literal(signature: Signature) -> None:
    for example in signature.examples:
        assert re.search(signature.text, example), example
        assert any(literal in example for literal in signature.literals), example
    for literal in signature.literals:
        assert any(literal in e for e in signature.examples), f"no example shows {literal!r}"


@each
def test_nothing_in_it_repeats_without_an_end(signature: Signature) -> None:
    """`*`, `+` and `{3,}` make a line of 16 KiB a trap; a repetition in a repetition as well."""
    bare = re.sub(r"\\.|\[(?:\\.|[^\]\\])*\]", "x", signature.text)
    assert not re.search(r"[*+]|\{\d+,\}", bare)
    assert not re.search(r"\{\d+,\d+\}\)\{", bare)


@each
def test_a_hostile_line_costs_little(signature: Signature) -> None:
    found = re.compile(signature.text)
    parts = {e[:n] for e in signature.examples for n in (4, 12, 40, len(e) - 1)}
    for part in [*parts, *signature.literals, "a", "1", " ", "[", "loss ", ", line 1"]:
        line = ((part or "x") * LONGEST)[:LONGEST]
        begun = time.process_time()
        found.search(line)
        assert time.process_time() - begun < 0.25, part


@each
def test_the_reader_hears_each_example_deep_in_a_log(signature: Signature, tmp_path: Path) -> None:
    """A block without a word of failure is passed over: none of the examples may be lost so."""
    for example in signature.examples:
        log = tmp_path / "log"
        log.write_bytes(b"step 7\n" * (reading.HEAD + 10) + (example + "\n").encode() * signature.at_least)
        with log.open("rb") as stream:
            seen = reading.read(stream, [signature])
        assert [h.count for h in seen.heard] == [signature.at_least], example
        assert seen.heard[0].quotes[0].line == reading.HEAD + 11


@pytest.mark.parametrize(("row", "text"), SEEN, ids=[f"{r.name}-{i}" for i, (r, _) in enumerate(SEEN)])
def test_the_error_of_a_proof_is_known(row: table.Row, text: str) -> None:
    known = [s for rule in PROOFS[row.name].rules for s in of(rule)]
    assert any(re.search(s.text, text.replace("'", "`")) or re.search(s.text, text) for s in known), text


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[", "node content"),
        ("a: 1", "wants a list"),
        ("- {text: 1}", "a signature has the keys"),
        (
            "- {text: '(', literals: [x], symptom: hang, weight: 1, about: x, source: proof, examples: [x]}",
            "unterminated",
        ),
        (
            "- {text: x, literals: [x], symptom: boredom, weight: 1, about: x, source: proof, examples: [x]}",
            "boredom",
        ),
    ],
)
def test_a_wrong_file_is_named(tmp_path: Path, text: str, complaint: str) -> None:
    folder = tmp_path / "some_rule"
    folder.mkdir()
    (folder / "rule.py").write_text('RULE = Rule(code="MM999")\n')
    (folder / "signatures.yaml").write_text(text)
    with pytest.raises(BadSignature, match=complaint) as raised:
        signatures([tmp_path])
    assert "some_rule" in str(raised.value)
