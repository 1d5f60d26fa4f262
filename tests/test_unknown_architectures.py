"""What is found in a launch that loads a checkpoint which the required transformers does not know yet."""

import pytest

from mmcodemod.knowledge.architectures import architecture
from mmcodemod.pipeline import Settings, check
from mmcodemod.source.tree import text_tree

TRAIN = """\
import argparse

import torch
import transformers
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer


def load(name):
    return AutoModelForCausalLM.from_pretrained(name, torch_dtype="auto")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--base", default="gpt2")
    parser.add_argument("--lora", action="store_true")
    args = parser.parse_args()
    {loads}
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4)
    for batch in list("rows"):
        model(**batch).loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
"""
HERE = "model = AutoModelForCausalLM.from_pretrained(args.base)"
RUN = "torchrun --nproc_per_node 8 train.py --base Qwen/Qwen3-8B\n"
OLD = {"requirements.txt": "torch\ntransformers==4.46.1\n"}


def found(loads=HERE, run=RUN, files=(), rule="MM301", preview=False):
    """Severity and message of what a rule finds."""
    tree = {"train.py": TRAIN.format(loads=loads), "run.sh": run, **(dict(files) or OLD)}
    findings = check(text_tree(tree), Settings(preview=preview)).findings
    return [(f.severity.value, f.message) for f in findings if f.rule == rule]


@pytest.mark.parametrize(
    ("loads", "run", "line"),
    [
        (HERE, RUN, 17),
        ("model = load(args.base)", RUN, 9),
        ("model = AutoModelForCausalLM.from_pretrained(pretrained_model_name_or_path=args.base)", RUN, 17),
        ("config = AutoConfig.from_pretrained(args.base)\n    " + HERE, RUN, 17),
        (f'AutoConfig.register("kite", Own)\n    {HERE}', RUN, 18),
        ("model = transformers.AutoModel.from_pretrained(args.base)", RUN, 17),
        ('model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")', "torchrun train.py\n", 17),
    ],
)
def test_such_a_run_is_a_note(loads, run, line):
    ((severity, message),) = found(loads, run)
    assert severity == "info"
    assert f"past train.py:{line}: transformers knows qwen3, the architecture of Qwen/Qwen3-8B" in message
    assert "only since 4.51, and transformers==4.46.1 (requirements.txt:2) is required" in message


def test_it_is_a_finding_of_its_own():
    ((severity, message),) = found(rule="MM515", preview=True)
    assert severity == "error"
    assert "this line ends it (ValueError or KeyError)" in message
    assert "the architecture of Qwen/Qwen3-8B (run.sh:1), only since 4.51" in message


@pytest.mark.parametrize(
    ("loads", "run", "files"),
    [
        (HERE, RUN, {"requirements.txt": "transformers==4.51.0\n"}),
        (HERE, RUN, {"requirements.txt": "transformers>=4.46\n"}),
        (HERE, RUN, {**OLD, "README.md": "```\npip install transformers==4.52.4\n```\n"}),
        (HERE, RUN, {"requirements.txt": "torch\n"}),
        (HERE, RUN.replace("Qwen/Qwen3-8B", "gpt2"), OLD),
        (HERE, RUN.replace("Qwen/Qwen3-8B", "./Qwen/Qwen3-8B"), OLD),
        (HERE, RUN.replace("Qwen/Qwen3-8B", "$BASE"), OLD),
        (HERE.replace("args.base)", "args.base, config=make())"), RUN, OLD),
        (HERE.replace("args.base)", "args.base, **given)"), RUN, OLD),
        (f'AutoConfig.register("qwen3", Own)\n    {HERE}', RUN, OLD),
        (HERE, RUN, {**OLD, "own.py": "class Own:\n    model_type = 'qwen3'\n"}),
        (f"if args.lora:\n        args.base = 'gpt2'\n    {HERE}", RUN[:-1] + " --lora\n", OLD),
        ("AutoTokenizer.from_pretrained(args.base)\n    model = make()", RUN, OLD),
        (f"try:\n        {HERE}\n    except ValueError:\n        model = make()", RUN, OLD),
        (
            HERE,
            RUN,
            {**OLD, "transformers/__init__.py": "AutoConfig = AutoModelForCausalLM = AutoTokenizer = 1\n"},
        ),
    ],
)
def test_what_may_load_dies_of_nothing(loads, run, files):
    assert found(loads, run, files, rule="MM515", preview=True) == []


@pytest.mark.parametrize(
    ("required", "dies"), [("==4.40.0", True), ("==4.31.0", True), ("==4.43.1", False), ("==4.30.2", False)]
)
def test_releases_before_may_make_something_of_it(required, dies):
    run = RUN.replace("Qwen/Qwen3-8B", "meta-llama/Llama-3.1-8B")
    files = {"requirements.txt": f"transformers{required}\n"}
    assert bool(found(HERE, run, files, rule="MM515", preview=True)) == dies


@pytest.mark.parametrize(
    ("checkpoint", "known"),
    [
        ("Qwen/Qwen2.5-VL-7B-Instruct", ("qwen2_5_vl", "4.49")),
        ("Qwen/Qwen2.5-7B-Instruct", ("qwen2", "4.37")),
        ("Qwen/Qwen2-57B-A14B", ("qwen2_moe", "4.40")),
        ("Qwen/Qwen3-VL-4B-Instruct", ("qwen3_vl", "4.57")),
        ("google/gemma-2-2b-it", ("gemma2", "4.42")),
        ("google/gemma-2b-it", ("gemma", "4.38")),
        ("google/gemma-1.1-7b-it", ("gemma", "4.38")),
        ("llava-hf/llava-v1.6-mistral-7b-hf", ("llava_next", "4.39")),
        ("meta-llama/Llama-3.2-11B-Vision-Instruct", ("mllama", "4.45")),
    ],
)
def test_architectures(checkpoint, known):
    assert architecture(checkpoint)[:2] == known


@pytest.mark.parametrize(
    "checkpoint",
    [
        *("Qwen/Qwen-7B", "Qwen/Qwen-VL-Chat", "meta-llama/Llama-3-8B", "someone/Qwen3-8B", "Qwen3-8B"),
        *("liuhaotian/llava-v1.5-7b", "google/siglip2-base-patch16-224", "google/gemma-scope-2b-pt-res"),
        "/data/Qwen/Qwen3-8B",
    ],
)
def test_what_brings_its_own_code_or_is_not_known(checkpoint):
    assert architecture(checkpoint) is None


FIELDS = """\
from dataclasses import dataclass, field

import torch
from transformers import AutoModelForCausalLM, HfArgumentParser, Trainer, TrainingArguments


@dataclass
class ModelArguments:
    base: str = field(default="gpt2")


def main():
    args, training = HfArgumentParser((ModelArguments, TrainingArguments)).parse_args_into_dataclasses()
    {stores}
    model = AutoModelForCausalLM.from_pretrained(args.base)
    Trainer(model=model, args=training, train_dataset=torch.load("rows.pt")).train()


main()
"""


@pytest.mark.parametrize(("stores", "dies"), [("print(args)", True), ("args.base = local(args.base)", False)])
def test_a_field_of_a_dataclass(stores, dies):
    tree = {"train.py": FIELDS.format(stores=stores), "run.sh": RUN, **OLD}
    findings = check(text_tree(tree), Settings(preview=True)).findings
    assert any(f.rule == "MM515" and "knows qwen3" in f.message for f in findings) == dies
