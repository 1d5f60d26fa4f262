"""Options that share an entry of the namespace decide which step a run makes."""

import pytest

from mmcodemod.pipeline import Settings, check
from mmcodemod.source.tree import text_tree

TRAIN = """\
import argparse
import torch
import torch.distributed as dist
from transformers import AutoModel


def plain(model, optimizer, loader):
    for batch in loader:
        model(**batch).loss.backward()
        optimizer.step()


def scaled(model, optimizer, loader):
    for batch in loader:
        model(**batch).loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()


if __name__ == "__main__":
    dist.init_process_group("nccl")
    parser = argparse.ArgumentParser()
    {declared}
    args = parser.parse_args()
    model = torch.nn.parallel.DistributedDataParallel(AutoModel.from_pretrained("bert-base-uncased"))
    optimizer = torch.optim.AdamW(model.parameters())
    loader = torch.utils.data.DataLoader(torch.load("data.pt"))
    if args.amp:
        scaled(model, optimizer, loader)
    else:
        plain(model, optimizer, loader)
"""
PAIR = (
    'parser.add_argument("--amp", dest="amp", action="store_true")',
    'parser.add_argument("--no_amp", dest="amp", action="store_false")',
)
ON, OFF = "parser.set_defaults(amp=True)", "parser.set_defaults(amp=False)"


def clipped(lines, flags=""):
    train = TRAIN.format(declared="\n    ".join(lines))
    launch = f"torchrun --nproc_per_node 8 train.py {flags}\n"
    report = check(text_tree({"train.py": train, "run.sh": launch}), Settings())
    return not [f for f in report.findings if f.rule == "MM301"]


@pytest.mark.parametrize(
    ("lines", "flags"),
    [
        ((*PAIR, ON), ""),
        ((*PAIR, ON), "--amp"),
        ((*PAIR, OFF), "--amp"),
        (PAIR, "--amp"),
        (('parser.add_argument("--no-amp", dest="amp", action="store_false")',), ""),
        (('parser.add_argument("--half", dest="amp", action="store_true")',), "--half"),
        (('parser.add_argument("--amp", action="store_true")', ON), ""),
    ],
)
def test_the_side_with_clipping_is_taken(lines, flags):
    assert clipped(lines, flags)


@pytest.mark.parametrize(
    ("lines", "flags"),
    [
        ((*PAIR, ON), "--no_amp"),
        ((*PAIR, OFF), ""),
        ((*PAIR, OFF), "--no_amp"),
        (PAIR, "--no_amp"),
        (('parser.add_argument("--no-amp", dest="amp", action="store_false")',), "--no-amp"),
        (('parser.add_argument("--half", dest="amp", action="store_true")',), ""),
        ((*PAIR, "parser.set_defaults(other=True)"), ""),
    ],
)
def test_the_side_without_is_taken_or_may_be(lines, flags):
    assert not clipped(lines, flags)
