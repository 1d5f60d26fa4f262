"""Hangs in launches that DeepSpeed starts for one process alone, as its batch sizes say."""

import pytest

from mmcodemod.pipeline import Settings, check
from mmcodemod.source.tree import text_tree

TRAINS = """\
import sys

import deepspeed
from transformers import AutoModelForCausalLM


def main():
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    engine, _, loader, _ = deepspeed.initialize(model=model, config="ds.json", training_data=data())
    for batch in loader:
        engine.backward(engine(**batch).loss)
        engine.step()
    if engine.global_rank == 0:
        engine.save_checkpoint("out")


main()
"""
SIZES = '"train_batch_size": {}, "train_micro_batch_size_per_gpu": {}, "gradient_accumulation_steps": {}, '
STAGE = '"zero_optimization": {"stage": 2}, "gradient_clipping": 1.0}'
OPEN = "deepspeed --num_gpus=$1 train.py\n"


def found(sizes, run=OPEN, train=TRAINS):
    """Severity of the save that hangs, else why it is dismissed."""
    files = {
        "run.sh": run,
        "train.py": train,
        "ds.json": "{" + (SIZES.format(*sizes) if sizes else "") + STAGE,
    }
    report = check(text_tree(files), Settings())
    loud = [f.severity.value for f in report.findings if f.rule == "MM402"]
    return (
        loud
        or [e.note for d in report.dismissed if d.rule == "MM402" for e in d.evidence]
        or [d.reason for d in report.dismissed if d.rule == "MM402"]
    )


def test_batch_sizes_of_one_process_dismiss_it():
    (told,) = found((80, 16, 5))
    assert "with these batch sizes DeepSpeed starts for one process alone" in told


@pytest.mark.parametrize(
    ("sizes", "run", "train"),
    [
        ((160, 16, 5), OPEN, TRAINS),  # for two
        ((), OPEN, TRAINS),
        ((80, 16, 5), "deepspeed --num_gpus=2 train.py\n", TRAINS),  # that MM503 speaks of
        (('"auto"', 16, 5), OPEN, TRAINS),
    ],
)
def test_others_leave_it_loud(sizes, run, train):
    assert found(sizes, run, train) == ["error"]
