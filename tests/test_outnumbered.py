"""What counts as a GPU that a launch shows, and what is found in launches that show too few."""

import pytest

from mmcodemod.pipeline import Settings, check
from mmcodemod.project.outnumbered import shown_devices
from mmcodemod.source.tree import text_tree

TRAIN = """\
import os

import torch
import torch.distributed as dist


def main():
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    model = torch.nn.parallel.DistributedDataParallel(build().cuda())
    for batch in read():
        model(batch).sum().backward()
        if dist.get_rank() == 0:
            dist.barrier()


if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    ("listed", "shown"),
    [
        *[(0, 1), ("0", 1), ("0,1", 2), ("0, 1", 2), ("0,1.2", 2), ("3,2,", 2), ("0,-1,1", 1)],
        *[("GPU-8932f937,GPU-1a2b3c4d", 2), (-1, 0), ("", 0), ("-1", 0), ("0-3", 0), ("0,1,...", 0)],
        *[("0,N", 0), ("MIG-2f0c1c2e", 0), ("all", 0), (None, 0), (True, 0)],
    ],
)
def test_devices_are_counted_up_to_the_first_that_is_none(listed, shown):
    assert shown_devices(listed) == shown


@pytest.mark.parametrize(("devices", "loud"), [("0,1", "info"), ("0,1,2,3", "error")])
def test_what_is_found_in_a_launch_that_shows_too_few_is_a_note(devices, loud):
    run = f"CUDA_VISIBLE_DEVICES={devices} torchrun --nproc_per_node 4 train.py\n"
    report = check(text_tree({"train.py": TRAIN, "run.sh": run}), Settings(select=("MM401",), preview=True))
    (finding,) = report.findings
    assert finding.severity.value == loud
    assert ("shows 2 GPUs to 4 ranks" in finding.message) is (loud == "info")


@pytest.mark.parametrize(
    ("call", "loud"),
    [
        ("torch.multiprocessing.set_sharing_strategy('file_system')", "info"),  # starts no process
        ("torch.multiprocessing.set_start_method('spawn')", "info"),
        ("torch.multiprocessing.Process(target=print).start()", "error"),  # of its own ranks, perhaps
    ],
)
def test_what_sets_how_processes_start_starts_none(call, loud):
    train = TRAIN.replace("def main():\n", f"def main():\n    {call}\n")
    run = "CUDA_VISIBLE_DEVICES=0,1 torchrun --nproc_per_node 4 train.py\n"
    report = check(text_tree({"train.py": train, "run.sh": run}), Settings(select=("MM401",), preview=True))
    assert [finding.severity.value for finding in report.findings] == [loud]
