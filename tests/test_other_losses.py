"""Values that have the name of the loss of a backward pass, and are another's."""

from __future__ import annotations

import ast

import pytest

from mmcodemod.facts.other_losses import other_losses

TRAIN = "for b in data:\n    loss = model(b)\n    loss.backward()\n"


def apart(code):
    """The lines on which a name stands that is told apart."""
    return sorted({line for line, _ in other_losses(ast.parse(code).body)})


def test_the_loop_of_an_evaluation():
    code = f"{TRAIN}for b in held:\n    with quiet():\n        loss = model(b)\n    total += loss.item()\n"
    assert apart(code) == [6, 7]
    assert set(other_losses(ast.parse(code).body).values()) == {"loss@6"}


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        (f"{TRAIN}loss = score()\nif loss < 1:\n    stop()\n", [4, 5]),
        (f"{TRAIN}print(loss)\nloss = score()\nprint(loss)\n", [5, 6]),
        (
            "for b in data:\n    loss = f(b)\n    scaler.scale(loss).backward()\nloss = g()\nprint(loss)\n",
            [4, 5],
        ),
        (f"loss = 0\nprint(loss)\n{TRAIN}", [1, 2]),
        ("while x:\n    loss = f()\n    acc.backward(loss)\n    loss = g()\n    print(loss)\n", [4, 5]),
        (f"def f():\n    loss = 1\n    return loss\n{TRAIN}loss = g()\nprint(loss)\n", [7, 8]),
    ],
)
def test_values_that_are_told_apart(code, lines):
    assert apart(code) == lines


@pytest.mark.parametrize(
    "code",
    [
        TRAIN,
        f"{TRAIN}print(loss)\n",
        "for b in held:\n    loss = f(b)\n    total += loss\n",  # no backward pass
        f"{TRAIN}if x:\n    loss = score()\nprint(loss)\n",  # either may be meant
        f"{TRAIN}for b in held:\n    if b:\n        loss = f(b)\n    total += loss\n",
        f"{TRAIN}for b in held:\n    total += loss\n    loss = f(b)\n",  # that of the round before
        "for e in epochs:\n    print(loss)\n    for b in data:\n        loss = f(b)\n"
        "        loss.backward()\n    for b in held:\n        loss = f(b)\n",  # that of the epoch before
        "for b in data:\n    loss = f(b)\n    loss = loss / 2\n    loss.backward()\n",
        "for b in data:\n    loss = f(b)\n    if b.ok:\n        loss.backward()\n    total += loss\n",
        f"{TRAIN}for b in held:\n    try:\n        loss = f(b)\n    except E:\n        pass\n    t += loss\n",
        f"{TRAIN}loss = score()\ndef late():\n    return loss\n",  # whenever it is called
        f"{TRAIN}loss = score()\nlate = lambda: loss\n",
        f"{TRAIN}loss += score()\nprint(loss)\n",
        f"{TRAIN}for loss in losses:\n    print(loss)\n",
        f"{TRAIN}for b in held:\n    loss = f(b)\n    if b:\n        break\n    loss = 0\nprint(loss)\n",
        f"global loss\n{TRAIN}loss = score()\nprint(loss)\n",
        "for b in held:\n    loss = f(b)\n    if loss > 1:\n        continue\n    loss.backward()\n",
        "while loss > 1:\n    for b in held:\n        loss = f(b)\nloss.backward()\n",
        f"for e in epochs:\n    if loss > 1:\n        pass\n    elif e:\n        loss = f()\n{TRAIN}",
    ],
)
def test_values_that_may_be_meant_elsewhere(code):
    assert apart(code) == []


def test_many_values_take_bounded_work():
    code = TRAIN + "loss = f()\nprint(loss)\n" * 400
    assert len(other_losses(ast.parse(code).body)) == 800
