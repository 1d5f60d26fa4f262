"""What the YAML or JSON file that a launch names decides of the tests that read it."""

import ast

import pytest

from mmcodemod.pipeline import build_project
from mmcodemod.project.file_keys import _keys
from mmcodemod.project.origins import Origin
from mmcodemod.project.settings import truths
from mmcodemod.source.tree import text_tree

TRAIN = """\
import sys

import yaml
from transformers import Trainer


def main():
    cfg = yaml.safe_load(open(sys.argv[1]))
    {before}
    if {test}:
        Trainer(make()).train()


if __name__ == "__main__":
    main()
"""
CONFIG = """\
run:
  mode: learn
  parts: [learn, try]
  same: ${data.kind}
  nothing: null
  deep:
    rate: 0.
"""
YES, NO, OPEN = frozenset((True,)), frozenset((False,)), frozenset((True, False))


def _told(
    test: str, *, before: str = "pass", words: str = "conf/base.yaml", more: str = ""
) -> frozenset[bool]:
    files = {
        "train.py": TRAIN.format(test=test, before=before),
        "conf/base.yaml": CONFIG,
        "conf/more.yaml": more or "other: 1\n",
        "run.sh": f"torchrun --nproc_per_node 8 train.py {words}\n",
    }
    project = build_project(text_tree(files))
    (context,) = project.contexts
    node = project.index.function("train.py::main").node
    (asked,) = (n for n in ast.walk(node) if isinstance(n, ast.If))
    return truths(project, context, asked.test, "train.py::main")


@pytest.mark.parametrize(
    "test, told",
    [
        ("cfg['run']['mode'] == 'learn'", YES),
        ("cfg.run.mode == 'try'", NO),
        ("cfg['run']['deep']['rate']", NO),
        ("cfg['run']['nothing'] is None", YES),
        ("cfg['run']['missing']", OPEN),
        ("cfg['run'][key] == 'learn'", OPEN),
        ("cfg['mode'] == 'learn'", OPEN),
    ],
)
def test_a_plain_value_of_the_file_decides(test: str, told: frozenset[bool]) -> None:
    assert _told(test) == told


@pytest.mark.parametrize("test", ["cfg['run']['parts'] == 'learn, try'", "cfg['run']['same'] == 'text'"])
def test_a_list_and_what_refers_to_another_key_decide_nothing(test: str) -> None:
    assert _told(test) == OPEN


def test_a_part_of_the_mapping_may_have_a_name() -> None:
    assert _told("part['mode'] == 'learn'", before="part = cfg['run']") == YES


def test_another_mapping_with_such_keys_is_not_the_file() -> None:
    assert _told("batch['run']['mode'] == 'learn'", before="batch = make()") == OPEN


@pytest.mark.parametrize(
    "line", ["cfg['run']['mode'] = ask()", "cfg.run.mode = ask()", "cfg['run'] = part = {}; part['mode'] = 1"]
)
def test_a_key_that_the_code_sets_is_open(line: str) -> None:
    assert _told("cfg['run']['mode'] == 'learn'", before=line) == OPEN


@pytest.mark.parametrize("word", ["run.mode=try", "--mode try", "--more run.mode try", '"$@"'])
def test_a_key_that_the_launch_gives_anew_is_open(word: str) -> None:
    assert _told("cfg['run']['mode'] == 'learn'", words=f"conf/base.yaml {word}") == OPEN


def test_a_key_of_two_files_is_open() -> None:
    words = "conf/base.yaml conf/more.yaml"
    assert _told("cfg['run']['mode'] == 'learn'", words=words) == YES
    assert _told("cfg['run']['mode'] == 'learn'", words=words, more="run:\n  mode: try\n") == OPEN


def test_without_a_file_nothing_is_told() -> None:
    assert _told("cfg['run']['mode'] == 'learn'", words="") == OPEN


def test_what_may_be_several_things_is_not_followed_further():
    """Each of them may be as many again."""
    asked = []

    def follow(expr, function):
        asked.append(ast.unparse(expr))
        return [Origin(ast.parse(f"{name}.sub", mode="eval").body, function) for name in ("one", "two")]

    assert _keys(ast.parse("held.key", mode="eval").body, "a.py::f", follow) == ()
    assert asked == ["held"]
