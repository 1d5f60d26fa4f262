"""What is found in a run whose transformers and accelerate do not fit together."""

import pytest

from mmcodemod.pipeline import Settings, check
from mmcodemod.source.tree import text_tree

TRAIN = """\
import torch.distributed as dist
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


class Own(Trainer):
    pass


def main():
    model = AutoModelForCausalLM.from_pretrained("org/base")
    if dist.get_rank() == 0:
        dist.barrier()
    {trainer}(model=model, args=TrainingArguments("out")).train()


if __name__ == "__main__":
    main()
"""


def barrier(pins, trainer="Trainer", **files):
    """The severity and message of the barrier on one rank."""
    program = {"train.py": TRAIN.format(trainer=trainer), "run.sh": "torchrun --nproc_per_node 8 train.py\n"}
    tree = text_tree({**program, "requirements.txt": pins, **files})
    (found,) = [f for f in check(tree, Settings(preview=True)).findings if f.rule == "MM401"]
    return found.severity.value, found.message


@pytest.mark.parametrize("trainer", ["Trainer", "Own"])
@pytest.mark.parametrize(
    "pins",
    [
        "transformers==4.39.1\naccelerate==1.11.0\n",
        "transformers==4.37.2\naccelerate>=1.0\n",
        "transformers>=4.33,<4.36\naccelerate~=1.2\n",
    ],
)
def test_such_a_run_is_a_note(pins, trainer):
    severity, message = barrier(pins, trainer)
    assert severity == "info"
    assert "hands `Accelerator` the keyword `dispatch_batches`, which accelerate" in message


@pytest.mark.parametrize(
    "pins",
    [
        "transformers==4.39.1\naccelerate==0.34.2\n",
        "transformers==4.40.0\naccelerate==1.11.0\n",
        "transformers==4.31.0\naccelerate==1.11.0\n",
        "transformers==4.39.1\n",
        "transformers==4.39.1\naccelerate\n",
        "transformers>=4.37\naccelerate==1.11.0\n",
    ],
)
def test_others_may_run(pins):
    assert barrier(pins)[0] == "error"


def test_a_page_may_install_another_release():
    page = "```bash\npip install accelerate==0.27.2\n```\n"
    pins = "transformers==4.39.1\naccelerate==1.11.0\n"
    assert barrier(pins, **{"README.md": page})[0] == "error"
