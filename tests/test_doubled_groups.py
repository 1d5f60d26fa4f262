"""What is found in a launch whose program makes the default process group twice."""

import pytest

from mmcodemod.pipeline import Settings, check
from mmcodemod.source.tree import text_tree

TRAINS = """\
import torch
import torch.distributed as dist
from transformers import AutoModelForCausalLM


def train():
{inside}
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4)
    for batch in make_loader():
        model(**batch).loss.backward()
        optimizer.step()


{calls}
"""
MAKES = 'dist.init_process_group("nccl")'
GUARDED = 'if __name__ == "__main__":\n    train()'


def found(inside, calls):
    """Severity and message where nothing clips."""
    body = "".join(f"    {line}\n" for line in inside) or "    pass"
    tree = {
        "run.sh": "torchrun --nproc_per_node 8 train.py\n",
        "train.py": TRAINS.format(inside=body, calls=calls),
    }
    (one,) = [f for f in check(text_tree(tree), Settings()).findings if f.rule == "MM301"]
    return one.severity.value, one.message


@pytest.mark.parametrize(
    ("inside", "calls"),
    [
        ((MAKES, "print(dist.get_world_size())", MAKES), GUARDED),
        ((MAKES, MAKES), "train()"),
        ((), f"{MAKES}\n{MAKES}\ntrain()"),
    ],
)
def test_such_a_run_is_a_note(inside, calls):
    severity, message = found(inside, calls)
    assert severity == "info"
    assert "the default process group is made a second time" in message


@pytest.mark.parametrize(
    ("inside", "calls"),
    [
        ((MAKES,), GUARDED),
        ((MAKES, "if not dist.is_initialized():", f"    {MAKES}"), GUARDED),
        ((MAKES, "dist.destroy_process_group()", MAKES), GUARDED),
        (("try:", f"    {MAKES}", "except RuntimeError:", f"    {MAKES}"), GUARDED),
    ],
)
def test_other_runs_are_told_as_loudly_as_before(inside, calls):
    assert found(inside, calls)[0] == "warning"
