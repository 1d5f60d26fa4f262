"""YAML with spans: scalars as PyYAML reads them, bounded aliases and nesting."""

import pytest

from mmcodemod.facts.yamlspan import parse


def test_scalars_are_read_as_safe_loader_reads_them():
    root = parse("lr: 1e-4\nbf16: on\nn: 8\nx: 1.0e-5\nnone: ~\nquoted: 'on'\nday: 2024-01-01\n").root
    values = {m.key: m.node.value for m in root.members}
    assert values == {
        "lr": "1e-4",
        "bf16": True,
        "n": 8,
        "x": 1e-5,
        "none": None,
        "quoted": "on",
        "day": "2024-01-01",
    }


def test_positions():
    root = parse("# first\ndeepspeed_config:\n  zero_stage: 3  # why\n").root
    stage = root.find("deepspeed_config.zero_stage")
    assert (stage.key_start, stage.node.start, stage.node.end) == ((3, 3), (3, 15), (3, 16))


def test_only_the_first_document():
    assert parse("a: 1\n---\na: 2\n").root.get("a").value == 1


def test_aliases_and_merge_keys():
    root = parse("base: &b {x: 1, y: 2}\nrun:\n  <<: *b\n  y: 3\n").root
    assert root.get("run.x").value == 1 and root.get("run.y").value == 3


def test_alias_bomb_is_refused():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 12)]
    document = parse("\n".join(lines))
    assert document.root is None and "aliases" in document.errors[0][2]


@pytest.mark.parametrize(
    "text", ["[" * 5000, "- " * 5000, "a: [1", "a: *missing", "&a [*a]", "a: \x00", "x" * 1_000_001, "\t- a"]
)
def test_hostile_text_is_an_error(text):
    document = parse(text)
    assert document.root is None and len(document.errors) == 1


def test_empty_text_is_neither():
    assert parse("").root is None and parse("").errors == ()


def test_tagged_scalars_are_text_and_nothing_is_constructed():
    assert parse("a: !!python/object/apply:os.system ['true']\nb: 1").root.get("b").value == 1
