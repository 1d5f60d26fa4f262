"""MM101 names the training arguments of the run that it speaks of, where several programs share a loader."""

from mmcodemod.pipeline import Settings, check
from mmcodemod.source.tree import text_tree

TRAIN = """from loading import load
from transformers import Trainer, TrainingArguments


def main():
    model = load("base")
    Trainer(model=model, args=TrainingArguments(output_dir="out", deepspeed="{file}")).train()


if __name__ == "__main__":
    main()
"""
LOADING = """from transformers import AutoModelForCausalLM


def load(name):
    return AutoModelForCausalLM.from_pretrained(name)
"""


def test_the_place_is_that_of_the_run():
    files = {
        "first.py": TRAIN.format(file="two.json"),
        "second.py": TRAIN.format(file="three.json"),
        "loading.py": LOADING,
        "two.json": '{"zero_optimization": {"stage": 2}}',
        "three.json": '{"zero_optimization": {"stage": 3}}',
        "run.sh": "deepspeed first.py --deepspeed two.json\ndeepspeed second.py --deepspeed three.json\n",
    }
    (finding,) = check(text_tree(files), Settings(select=("MM101",), preview=True)).findings
    assert finding.severity.value == "error"
    assert "second.py:7" in finding.message and "first.py" not in finding.message
