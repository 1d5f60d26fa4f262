"""MM111: the message says when the run hangs and with which transformers; the trace names the model."""

from __future__ import annotations

from mmcodemod import pipeline
from mmcodemod.source.tree import text_tree

FILES = {
    "train.py": """\
from transformers import AutoModelForCausalLM, HfArgumentParser, Trainer, TrainingArguments

(args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()
model = AutoModelForCausalLM.from_pretrained("mistralai/Mixtral-8x7B-v0.1")
Trainer(model=model, args=args).train()
""",
    "ds.json": '{"zero_optimization": {"stage": 3}, "gradient_clipping": "auto"}',
    "run.sh": "deepspeed train.py --deepspeed ds.json\n",
    "requirements.txt": "deepspeed==0.13.4\ntransformers==4.37.2\n",
}


def test_the_message_and_the_trace() -> None:
    (found,) = (f for f in pipeline.check(text_tree(FILES)).findings if f.rule == "MM111")
    assert "in the first step in which an expert gets tokens on one rank and none on another" in found.message
    assert "`MixtralSparseMoeBlock` (transformers==4.37.2) calls only experts" in found.message
    steps = [(step.at.path, step.at.line, step.note) for step in found.trace]
    assert ("train.py", 4, "a model with MixtralSparseMoeBlock") in steps
