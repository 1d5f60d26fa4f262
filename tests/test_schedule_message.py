"""MM316: the message names the numbers of steps that are the same for any number of processes, no other."""

from __future__ import annotations

import pytest

from mmcodemod import pipeline
from mmcodemod.source.tree import text_tree

LOOP = """\
from accelerate import Accelerator
from transformers import get_linear_schedule_with_warmup

from steps import how_many


def main():
    accelerator = Accelerator()
    model, loader, optimizer = parts()
    schedule = get_linear_schedule_with_warmup(optimizer, 100, {steps})
    model, optimizer, loader, schedule = accelerator.prepare(model, optimizer, loader, schedule)
    for batch in loader:
        accelerator.backward(model(batch).mean())
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    main()
"""
PREVIEW = pipeline.Settings(preview=True)
RUN = {
    "acc.yaml": "distributed_type: MULTI_GPU\nnum_processes: 8\n",
    "run.sh": "accelerate launch --config_file acc.yaml train.py\n",
}


@pytest.mark.parametrize(("steps", "named"), [("how_many()", False), ("len(loader)", False), ("9000", True)])
def test_which_numbers_are_named(steps: str, named: bool) -> None:
    report = pipeline.check(text_tree({**RUN, "train.py": LOOP.format(steps=steps)}), PREVIEW)
    (found,) = (f for f in report.findings if f.rule == "MM316")
    assert "num_warmup_steps=100`" in found.message
    assert (f"num_training_steps={steps}`" in found.message) is named


MULTIPLIED = LOOP.replace("100, {steps}", "100, 9000 * accumulation").replace(
    "Accelerator()\n", "Accelerator()\n    accumulation = {batches}\n"
)
IN_LOOP = MULTIPLIED.replace(
    "    for batch in loader:\n", "    for batch in loader:\n      with accelerator.accumulate(model):\n"
)
BY_ITSELF = "`num_warmup_steps=100` counts is over that many times too early"


ALSO = f"what {BY_ITSELF}, and what `{{}}` counts is over"


@pytest.mark.parametrize(
    ("batches", "over"),
    [
        ("2", f"{ALSO} 4 times too early (8 processes, 2 batches accumulated)."),
        ("12", f"{ALSO} 1.5 times too late (8 processes, 12 batches accumulated)."),
        ("1", "what `num_warmup_steps=100` and `{}` counts is over that many times too early."),
        ("8", f"what {BY_ITSELF}."),
    ],
)
def test_how_much_too_early(batches: str, over: str) -> None:
    report = pipeline.check(text_tree({**RUN, "train.py": IN_LOOP.format(batches=batches)}), PREVIEW)
    (found,) = (f for f in report.findings if f.rule == "MM316")
    assert found.message.endswith(over.format("num_training_steps=9000 * accumulation"))
