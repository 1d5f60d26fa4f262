"""Makefiles: variables as make expands them, and the launches of recipes."""

import pytest

from mmcodemod.facts import makefile
from mmcodemod.pipeline import build_project
from mmcodemod.source.tree import text_tree


def test_variables():
    text = "A = x\nB := $(A) y # note\nC ?= 1\nC ?= 2\nD=a \\\n  b\\\n\tc\n"
    text += "E += 1\nE += $(D)\nexport F ::= ${A}z\n"
    assert makefile.variables(text) == {
        "A": "x", "B": "x y", "C": "1", "D": "a b c", "E": "1 a b c", "F": "xz",
    }  # fmt: skip


def test_what_is_left_to_the_shell():
    found = makefile.variables("A = $(shell nproc) $(B) $$HOME\nC = $(C) x\n")
    assert found["A"] == "$(shell nproc) ${B} $HOME"
    assert len(found["C"]) < 100


def test_hostile_variables_stay_small():
    text = "A0 = xxxxxxxxxx\n" + "".join(f"A{i} = $(A{i - 1})$(A{i - 1})\n" for i in range(1, 40))
    assert max(map(len, makefile.variables(text).values())) <= 2 * makefile.MAX_VALUE


def test_recipes():
    text = "all: x\n\t@echo $(A) \\\n\t  $$HOME\nB = \\\n\tpython\nrun:\n\t-python t.py\n"
    assert [(at, recipe.split()) for at, recipe in makefile.recipes(text)] == [
        (1, ["echo", "${A}", "\\", "$HOME"]),
        (6, ["python", "t.py"]),
    ]


LAUNCHES = (
    "RUN = torchrun --nproc_per_node 4\nFLAGS = --a 1 \\\n  --b 2\ngo:\n\t$(RUN) train.py $(FLAGS)\n",
    "FLAGS := --a 1\nFLAGS += --b 2\ngo:\n\ttorchrun --nproc_per_node=4 train.py $(FLAGS)\n",
    "B = --b 2\nFLAGS = --a 1 $(B)\ngo:\n\ttorchrun --nproc_per_node=4 train.py ${FLAGS}\n",
    "GO = $(PY) -m torch.distributed.run --nproc_per_node=4\nPY = python3\ngo:\n\t$(GO) train.py --a 1 --b 2",
)
TRAIN = "from transformers import Trainer\nTrainer(model, args).train()\n"


@pytest.mark.parametrize("text", LAUNCHES)
def test_launches(text):
    (context,) = build_project(text_tree({"train.py": TRAIN, "Makefile": text})).contexts
    assert (context.option("a").value, context.option("b").value) == (1, 2)
    assert context.option("launcher.nproc_per_node").value == 4
