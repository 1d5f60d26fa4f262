"""Who waits while the main rank works: sequences by hand, then small functions."""

from __future__ import annotations

import pytest

from mmcodemod import pipeline
from mmcodemod.model.finding import Finding
from mmcodemod.pipeline import build_project
from mmcodemod.project.longwork import apart, waits
from mmcodemod.project.sequences import LIGHT, NOTHING, WORK, Fork, Letter, Repeat, Seq
from mmcodemod.project.timeouts import seconds, timeouts
from mmcodemod.source.tree import MemoryTree, text_tree

MAP, PICK = Letter("map", hidden=WORK), Letter("map", hidden=LIGHT)
BARRIER, SHARE = Letter("barrier"), Letter("broadcast_object_list")
KEY, OTHER = ("f", 1, 0), ("f", 9, 0)


def fork(then: Seq, orelse: Seq = NOTHING) -> Fork:
    return Fork(KEY, then, orelse)


APART = {
    "work, then the same collective": ((MAP, BARRIER), (BARRIER,)),
    "a setting decides about the work": ((fork((MAP,)), BARRIER), (BARRIER,)),
    "work in a loop": ((Repeat(KEY, (MAP,)), BARRIER), (BARRIER,)),
    "the collective in a loop": ((MAP, Repeat(KEY, (BARRIER,))), (Repeat(KEY, (BARRIER,)),)),
    "light work before": ((PICK, MAP, BARRIER), (BARRIER,)),
    "the others work later": ((MAP, BARRIER), (BARRIER, MAP)),
    "both arms of a setting lead to it": (
        (fork((MAP, BARRIER), (MAP, SHARE)),),
        (fork((BARRIER,), (SHARE,)),),
    ),
}
TOGETHER = {
    "all work": ((MAP, BARRIER), (MAP, BARRIER)),
    "nobody waits": ((MAP,), ()),
    "no work": ((BARRIER,), (BARRIER,)),
    "work after the collective": ((BARRIER, MAP), (BARRIER,)),
    "another collective": ((MAP, SHARE), (BARRIER,)),
    "a setting decides alike for all": ((fork((MAP, BARRIER), ()),), (fork((), (BARRIER,)),)),
    "the others work, the main rank waits": ((BARRIER,), (MAP, BARRIER)),
}


def test_tests_in_a_row_without_a_collective_are_not_gone_through() -> None:
    """Sixty of them have 2**60 ways."""
    row = tuple(Fork(("f", line, 0), (MAP,), ()) for line in range(60))
    assert apart(row, (BARRIER,)) is None
    assert apart((*row, BARRIER), (BARRIER,)) == (MAP, BARRIER)


@pytest.mark.parametrize("name", APART)
def test_others_wait(name: str) -> None:
    found = apart(*APART[name])
    assert found is not None
    assert found[0] is MAP


@pytest.mark.parametrize("name", TOGETHER)
def test_nobody_waits(name: str) -> None:
    assert apart(*TOGETHER[name]) is None


HEAD = """
from datetime import timedelta

import torch.distributed as dist
from datasets import load_dataset
from torch.distributed import init_process_group as start


def prepare(path):
    return load_dataset(path).map(len, num_proc=2)


def main(args, loss):
"""
END = """
    loss.backward()


if __name__ == "__main__":
    main(None, None)
"""


def lines(body: str) -> list[str]:
    text = HEAD + "".join(f"    {line}\n" for line in body.splitlines()) + END
    project = build_project(MemoryTree({"train.py": text.encode()}))
    first = HEAD.count("\n")
    return [f"{w.node.lineno - first} {w.work.name} {w.wait and w.wait.name}" for w in project.get(waits)]


def test_the_test_is_pointed_at() -> None:
    assert lines("if dist.get_rank() == 0:\n    prepare(1)\ndist.barrier()") == ["1 map barrier"]


def test_the_loop_ends_before_the_collective() -> None:
    body = "for name in args:\n    if dist.get_rank() == 0:\n        prepare(name)\ndist.barrier()"
    assert lines(body) == ["2 map barrier"]


def test_a_conditional_expression() -> None:
    assert lines("x = prepare(1) if dist.get_rank() == 0 else None\ndist.barrier()") == ["1 map barrier"]


def test_a_short_circuit() -> None:
    assert lines("dist.get_rank() == 0 and prepare(1)\ndist.barrier()") == ["1 map barrier"]


def test_a_setting_that_is_no_rank() -> None:
    assert lines("if args.cached:\n    prepare(1)\ndist.barrier()") == []


def test_an_error_on_the_other_ranks() -> None:
    assert lines("if dist.get_rank() != 0:\n    raise SystemExit(1)\nprepare(1)\ndist.barrier()") == []


def test_one_of_three_functions() -> None:
    body = (
        "def a(x):\n    return x\ndef b(x):\n    return prepare(x)\ndef c(x):\n    return x\n"
        "chosen = {'a': a, 'b': b, 'c': c}[args.kind]\n"
        "if dist.get_rank() == 0:\n    chosen(1)\ndist.barrier()"
    )
    assert lines(body) == ["8 map barrier"]


TIMEOUTS = {
    'start("nccl", timeout=timedelta(hours=2))': [7200.0],
    'start("nccl", timeout=timedelta(0, 90, minutes=1))': [150.0],
    'start("nccl", timeout=args.wait)': [None],
    'start("nccl")': [],
    "build(ddp_timeout=600)": [600.0],
    "wait(1, timeout=5)": [],
    "args.ddp_timeout = 60": [60.0],
}


@pytest.mark.parametrize("code", TIMEOUTS)
def test_timeouts(code: str) -> None:
    project = build_project(MemoryTree({"train.py": f"{HEAD}    {code}\n{END}".encode()}))
    assert [seconds(project, t) for t in project.get(timeouts)] == TIMEOUTS[code]


LIMITS = {
    'dist.init_process_group("nccl", timeout=timedelta(minutes=3))': "after 3 minutes (set at train.py:7)",
    'dist.init_process_group("nccl", timeout=timedelta(seconds=90))': "gives up after 90 seconds (set at",
    'dist.init_process_group("gloo")': "gives up after 30 minutes with gloo",
    'dist.init_process_group(backend="nccl")': "gives up after 10 minutes with NCCL (30 before torch 2.2)",
}
FETCHED = """\
from datetime import timedelta
import torch
import torch.distributed as dist
from huggingface_hub import snapshot_download

def main():
    {made}
    if dist.get_rank() == 0:
        {work}
    dist.barrier()
    torch.nn.Linear(1, 1)(torch.ones(1)).sum().backward()

main()
"""


def told(made: str, work: str) -> Finding:
    launch = "torchrun --nproc_per_node 8 train.py\n"
    files = {"train.py": FETCHED.format(made=made, work=work), "run.sh": launch}
    (found,) = (f for f in pipeline.check(text_tree(files)).findings if f.rule == "MM410")
    return found


@pytest.mark.parametrize("made", LIMITS)
def test_how_long_the_others_wait(made: str) -> None:
    assert LIMITS[made] in told(made, 'snapshot_download("org/large")').message


FETCHES = {
    'snapshot_download("org/large")': "warning",
    'snapshot_download("org/large", allow_patterns=["*.json", "*.txt"])': "info",
    'snapshot_download("org/large", allow_patterns=["*.json", "*.safetensors"])': "warning",
}


@pytest.mark.parametrize("work", FETCHES)
def test_what_is_fetched(work: str) -> None:
    assert told('dist.init_process_group("nccl")', work).severity.value == FETCHES[work]
