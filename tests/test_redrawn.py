"""What MM409 says where a loop of epochs calls a method of the data set that draws its samples anew."""

import pytest

from mmcodemod.pipeline import Settings, check
from mmcodemod.source.tree import text_tree

TRAIN = """\
import argparse

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

from rows import Rows


def train(args, model, data, others):
    optimizer = torch.optim.AdamW(model.parameters())
    sampler = DistributedSampler(data)
    loader = DataLoader(data, batch_size=8, sampler=sampler{loader})
    check = DataLoader(others, batch_size=8)
    for epoch in range(3):
        for batch in loader:
            loss = model(batch).mean()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
{calls}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--mode", default="plain")
    args = parser.parse_args()
    dist.init_process_group("nccl")
    torch.cuda.set_device(dist.get_rank())
    train(args, DistributedDataParallel(build().cuda()), Rows(args), Rows(args))
"""
ROWS = """\
import random

import numpy as np
import torch
from torch.utils.data import Dataset


class Rows(Dataset):
    def __init__(self, args):
        self.args = args
        self.pool = read()
        self.seen = []
        self.round = 0
        self.draws = random.Random(0)
        self.again()

    def again(self{parameters}):
{body}

    def again_of(self, rows):
        return random.sample(rows, 100)

    def __len__(self):
        return 100

    def __getitem__(self, index):
        return self.take(index)

    def take(self, index):
        return self.rows[index]
"""
PLAIN = "random.shuffle(self.rows)"


def found(calls="data.again()", body=PLAIN, flags="", loader="", parameters=""):
    """Severity and message of MM409, "dismissed" and the line where it is dismissed."""
    train = TRAIN.format(calls=indented(calls, 8), loader=loader)
    rows = ROWS.format(body=indented(body, 8), parameters=parameters)
    launch = f"torchrun --nproc_per_node 8 train.py {flags}\n"
    report = check(text_tree({"train.py": train, "rows.py": rows, "run.sh": launch}), Settings(preview=True))
    one = [f for f in report.findings if f.rule == "MM409"]
    if one:
        return one[0].severity.value, one[0].message
    (dismissal,) = [d for d in report.dismissed if d.rule == "MM409"]
    return "dismissed", dismissal.reason


def indented(text, columns):
    return "\n".join(" " * columns + line for line in text.splitlines())


@pytest.mark.parametrize(
    "calls",
    [
        "data.again()",
        "loader.dataset.again()",
        "sampler.dataset.again()",
        "loader.sampler.dataset.again()",
        "print('drawing')\ndata.again()",
    ],
)
def test_a_method_of_the_data_that_every_epoch_calls(calls):
    assert found(calls) == ("dismissed", "random.shuffle(self.rows)")


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("random.shuffle(self.rows)", "random.shuffle(self.rows)"),
        ("np.random.shuffle(self.rows)", "np.random.shuffle(self.rows)"),
        ("self.draws.shuffle(self.rows)", "self.draws.shuffle(self.rows)"),
        ("self.rows = random.sample(self.pool, 100)", "self.rows = random.sample(self.pool, 100)"),
        (
            "self.rows = [random.choice(p) for p in self.pool]",
            "self.rows = [random.choice(p) for p in self.pool]",
        ),
        ("self.rows = np.random.permutation(self.pool)", "self.rows = np.random.permutation(self.pool)"),
        ("order = torch.randperm(9)\nself.rows = [self.pool[i] for i in order]", "order = torch.randperm(9)"),
        ("rows = list(self.pool)\nrandom.shuffle(rows)\nself.rows = rows[:100]", "random.shuffle(rows)"),
        (
            "for p in self.pool:\n    other = random.choice(p)\n    self.rows.append((p, other))",
            "other = random.choice(p)",
        ),
        (
            "self.rows = []\nfor p in random.sample(self.pool, 9):\n    self.rows += [p]",
            "for p in random.sample(self.pool, 9):",
        ),
        ("order = np.random.permutation(9)\nself.rows[:9] = order", "order = np.random.permutation(9)"),
        ("self.rows = self.again_of(self.pool)", "return random.sample(rows, 100)"),
        ("self.rows = self.pool.sample(frac=1)", "self.rows = self.pool.sample(frac=1)"),
    ],
)
def test_what_the_samples_are_made_of_is_drawn(body, line):
    assert found(body=body) == ("dismissed", line)


@pytest.mark.parametrize(
    ("body", "parameters", "calls"),
    [
        ("random.seed(epoch)\nrandom.shuffle(self.rows)", ", epoch=0", "data.again(epoch)"),
        ("draws = random.Random(7 + epoch)\ndraws.shuffle(self.rows)", ", epoch=0", "data.again(epoch + 1)"),
        ("self.round += 1\nrandom.seed(self.round)\nrandom.shuffle(self.rows)", "", "data.again()"),
        ("self.rows = self.pool.sample(frac=1, random_state=epoch)", ", epoch=0", "data.again(epoch=epoch)"),
    ],
)
def test_another_seed_in_each_epoch(body, parameters, calls):
    assert found(calls, body, parameters=parameters)[0] == "dismissed"


@pytest.mark.parametrize(
    ("body", "parameters", "calls"),
    [
        ("random.seed(0)\nrandom.shuffle(self.rows)", "", "data.again()"),
        ("rows = list(self.pool)\nrandom.Random(7).shuffle(rows)\nself.rows = rows", "", "data.again()"),
        ("random.seed(seed)\nrandom.shuffle(self.rows)", ", seed=0", "data.again()"),
        ("random.seed(seed)\nrandom.shuffle(self.rows)", ", seed=0", "data.again(7)"),
    ],
)
def test_one_seed_for_all_epochs_is_a_note(body, parameters, calls):
    severity, message = found(calls, body, parameters=parameters)
    assert severity == "info"
    assert "whether each epoch draws the samples with another seed" in message


@pytest.mark.parametrize(
    ("calls", "flags", "severity"),
    [
        ("if args.again:\n    data.again()", "--again", "dismissed"),
        ("if args.again:\n    data.again()", "", "warning"),
        ("if args.mode == 'drawn':\n    data.again()", "--mode drawn", "dismissed"),
        ("if args.mode == 'drawn':\n    data.again()", "--mode $MODE", "info"),
        ("if epoch % 5 == 0:\n    data.again()", "", "info"),
        ("if ask():\n    data.again()", "", "info"),
    ],
)
def test_a_call_under_a_test(calls, flags, severity):
    assert found(calls, flags=flags)[0] == severity


@pytest.mark.parametrize(
    ("flags", "severity"), [("--mode drawn", "dismissed"), ("--mode $MODE", "info"), ("", "info")]
)
def test_a_test_in_the_method(flags, severity):
    body = "if self.args.mode == 'drawn':\n    random.shuffle(self.rows)"
    assert found(body=body, flags=flags)[0] in (severity, "warning" if not flags else severity)


@pytest.mark.parametrize(
    "body",
    [
        "pass",
        "self.rows = list(self.pool)",
        "random.shuffle(self.seen)",  # what no sample is made of
        "self.seen = random.sample(self.rows, 9)",
        "rows = list(self.pool)\nrandom.shuffle(rows)",  # a list of its own
        "self.rows = sorted(self.pool)\nprint(random.choice(self.rows))",
    ],
)
def test_a_method_that_draws_nothing_of_the_samples(body):
    assert found(body=body)[0] == "warning"


@pytest.mark.parametrize(
    "calls",
    [
        "pass",
        "others.again()",  # of the same class, and not what is sampled
        "check.dataset.again()",
        "data.take(0)",
    ],
)
def test_calls_that_leave_the_samples_as_they_are(calls):
    assert found(calls)[0] == "warning"


def test_a_method_that_is_called_before_the_epochs_alone():
    assert found("pass", "random.shuffle(self.rows)")[0] == "warning"


@pytest.mark.parametrize(
    ("loader", "severity"),
    [
        (", num_workers=4", "dismissed"),
        (", num_workers=4, persistent_workers=False", "dismissed"),
        (
            ", num_workers=4, persistent_workers=True",
            "warning",
        ),  # they keep the data that they were given first
    ],
)
def test_workers_that_live_on_do_not_hear_of_it(loader, severity):
    assert found(loader=loader)[0] == severity


BOTH = """\
class Drawn(Rows):
    def again(self):
        random.shuffle(self.rows)


class Kept(Rows):
    def again(self):
        pass
"""


@pytest.mark.parametrize(
    ("classes", "severity"),
    [("Drawn(args)", "dismissed"), ("Kept(args)", "warning"), ("(Drawn if ask() else Kept)(args)", "info")],
)
def test_data_of_one_class_or_another(classes, severity):
    rows = ROWS.format(body="        pass", parameters="") + "\n\n" + BOTH
    train = TRAIN.format(calls="        data.again()", loader="").replace(
        "Rows(args), Rows(args)", f"{classes}, 1"
    )
    train = train.replace("import Rows", "import Drawn, Kept")
    tree = {"train.py": train, "rows.py": rows, "run.sh": "torchrun --nproc_per_node 8 train.py\n"}
    report = check(text_tree(tree), Settings(preview=True))
    one = [f.severity.value for f in report.findings if f.rule == "MM409"]
    assert (one or ["dismissed"]) == [severity]


def test_a_function_of_its_own_trains_an_epoch():
    loop = "def pass_over(model, loader, optimizer):\n    loader.dataset.again()\n    for batch in loader:\n"
    body = "        loss = model(batch).mean()\n        loss.backward()\n        optimizer.step()\n"
    before, _, after = TRAIN.partition("        for batch in loader:\n")
    tail = after.partition("{calls}\n")[2]
    train = before.format(loader="") + "        pass_over(model, loader, optimizer)\n" + tail.format()
    rows = ROWS.format(body=f"        {PLAIN}", parameters="")
    tree = {
        "train.py": f"{loop}{body}\n\n{train}",
        "rows.py": rows,
        "run.sh": "torchrun --nproc_per_node 8 train.py\n",
    }
    report = check(text_tree(tree), Settings(preview=True))
    assert not [f for f in report.findings if f.rule == "MM409"]
    assert [d.reason for d in report.dismissed if d.rule == "MM409"] == [PLAIN]


@pytest.mark.parametrize(
    ("body", "severity"),
    [("self.mix()", "dismissed"), ("print(self.mix)", "warning")],
)
def test_another_method_of_the_data_draws(body, severity):
    rows = ROWS.format(body=indented(body, 8), parameters="") + f"\n    def mix(self):\n        {PLAIN}\n"
    train = TRAIN.format(calls="        data.again()", loader="")
    tree = {"train.py": train, "rows.py": rows, "run.sh": "torchrun --nproc_per_node 8 train.py\n"}
    report = check(text_tree(tree), Settings(preview=True))
    one = [f.severity.value for f in report.findings if f.rule == "MM409"]
    assert (one or ["dismissed"]) == [severity]
