"""Calls of libraries that nothing here knows, beside a Trainer."""

from mmcodemod.pipeline import Settings, check
from mmcodemod.source.tree import text_tree

TRAIN = """\
import recipes
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

class Tuner(Trainer):
    def __init__(self, model, args):
        recipes.announce(model)
        Trainer.__init__(self, model=model, args=args)

if __name__ == "__main__":
    model = AutoModelForCausalLM.from_pretrained("org/base")
    Tuner(model, TrainingArguments("out", deepspeed="ds.json")).train()
"""
FILES = {
    "train.py": TRAIN,
    "ds.json": '{"zero_optimization": {"stage": 3}}',
    "run.sh": "deepspeed --num_gpus 8 train.py\n",
    "requirements.txt": "transformers==4.57.6\n",
}


def test_a_library_trainer_that_is_initialised_by_its_name_is_looked_at_like_another():
    report = check(text_tree(FILES), Settings())
    assert [p for p in report.problems if p.kind == "rule"] == []
    assert [f.at.line for f in report.findings if f.rule == "MM101"] == [10]
