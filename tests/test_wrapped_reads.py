"""What is found in a launch whose program asks DistributedDataParallel for what only the model has."""

import pytest

from mmcodemod.pipeline import Settings, check
from mmcodemod.source.tree import text_tree

TRAIN = """\
import argparse
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from transformers import AutoModel
{imports}

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ema", action="store_true")
    parser.add_argument("--single", action="store_true")
    args = parser.parse_args()
    model = AutoModel.from_pretrained("bert-base-uncased")
    loader = torch.utils.data.DataLoader(["text"])
{lines}
    if dist.get_rank() == 0:
        dist.barrier()
    for batch in loader:
        model(batch).backward()


if __name__ == "__main__":
    main()
"""
WRAP = "model = DDP(model.to(0), device_ids=[0])"
READ = "shape = AutoModel.from_config(model.config)"


def barrier(*lines, flags="", imports=""):
    """Severity and message of MM401 where the main rank alone waits."""
    body = "\n".join(f"    {line}" for block in lines for line in block.splitlines())
    train = TRAIN.format(lines=body, imports=imports)
    launch = f"torchrun --nproc_per_node 8 train.py {flags}\n"
    report = check(text_tree({"train.py": train, "run.sh": launch}), Settings(preview=True))
    (found,) = [f for f in report.findings if f.rule == "MM401"]
    return found.severity.value, found.message


@pytest.mark.parametrize(
    ("lines", "flags"),
    [
        ((WRAP, READ), ""),
        ((WRAP, f"if args.ema:\n    {READ}"), "--ema"),
        ((WRAP, "model.gradient_checkpointing_enable()"), ""),
        ((f"if not args.single:\n    {WRAP}", READ), ""),
        ((f"if args.single:\n    pass\nelse:\n    {WRAP}", READ), ""),
        ((WRAP, "print(len(model.layers))"), ""),
        ((WRAP, READ, "model = model.module"), ""),
    ],
)
def test_a_run_that_asks_the_wrapper_is_a_note(lines, flags):
    severity, message = barrier(*lines, flags=flags)
    assert severity == "info"
    assert "whether the run gets past train.py:" in message
    assert "`model` is wrapped in DistributedDataParallel there, which has no `" in message


def test_a_function_of_the_file_that_is_surely_called_counts():
    imports = f"def shown(model):\n    {WRAP}\n    {READ}\n    return model\n"
    assert barrier("model = shown(model)", imports=imports)[0] == "info"


@pytest.mark.parametrize(
    ("lines", "flags"),
    [
        ((READ, WRAP), ""),
        ((WRAP,), ""),
        ((WRAP, "shape = model.module.config"), ""),
        ((WRAP, "model.train()", "model.requires_grad_(True)", "print(model.device, model.training)"), ""),
        ((WRAP, f"if args.ema:\n    {READ}"), ""),
        ((f"if args.single:\n    {WRAP}", READ), ""),
        ((f"if not args.single:\n    {WRAP}\nelse:\n    {READ}",), ""),
        ((f"if not args.single:\n    {WRAP}\nelse:\n    {READ}",), "--single"),
        ((WRAP, "inner = model.module", "print(inner.config)"), ""),
        ((WRAP, "model = model.module", READ), ""),
        ((WRAP, "if args.ema:\n    model = model.module", READ), "--ema"),
        ((WRAP, "model.config = None", READ), ""),
        ((WRAP, "setattr(model, 'config', None)", READ), ""),
        ((WRAP, f"try:\n    {READ}\nexcept AttributeError:\n    pass"), ""),
        ((WRAP, "shape = getattr(model, 'config', None)"), ""),
        ((WRAP, "shape = hasattr(model, 'config') and model.config"), ""),
        (("engine = DDP(model)", READ), ""),
        ((WRAP, "def later():\n    return model.config"), ""),
        (("model = Wrapper(model)", READ), ""),
    ],
)
def test_a_run_that_does_not_is_told_as_before(lines, flags):
    wrapper = "class Wrapper(DDP):\n    def __getattr__(self, name):\n        return self.module.config\n"
    severity, message = barrier(*lines, flags=flags, imports=wrapper)
    assert severity != "info"
    assert "DistributedDataParallel there" not in message


def test_what_comes_after_the_training_ends_nothing():
    imports = "def shown(model):\n    return model\n"
    train = TRAIN.format(lines=f"    {WRAP}", imports=imports)
    train = train.replace("backward()\n", "backward()\n    print(model.config)\n")
    tree = text_tree({"train.py": train, "run.sh": "torchrun --nproc_per_node 8 train.py\n"})
    (found,) = [f for f in check(tree, Settings(preview=True)).findings if f.rule == "MM401"]
    assert found.severity.value != "info"
