"""MM510: where the code itself asks torch.distributed for its rank, the message does not say that DeepSpeed
stops the run."""

from __future__ import annotations

import pytest

from mmcodemod import pipeline
from mmcodemod.source.tree import text_tree

FILES = {
    "ds.json": '{"zero_optimization": {"stage": 2}, "gradient_clipping": "auto"}',
    "run.sh": "python train.py --deepspeed ds.json\n",
}
TRAINS = """import torch
from transformers import HfArgumentParser, Trainer, TrainingArguments

(args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()
trainer = Trainer(model=build(), args=args)
%s
trainer.train()
"""


@pytest.mark.parametrize(
    ("line", "asks"),
    [
        ("first = torch.distributed.get_rank() == 0", True),
        ("first = not torch.distributed.is_initialized() or torch.distributed.get_rank() == 0", False),
        ("first = True", False),
    ],
)
def test_who_stops_the_run(line: str, asks: bool) -> None:
    report = pipeline.check(text_tree({**FILES, "train.py": TRAINS % line}))
    (found,) = (f for f in report.findings if f.rule == "MM510")
    assert ("ends at train.py:6" in found.message) is asks
    assert ("No module named 'mpi4py'" in found.message) is not asks
