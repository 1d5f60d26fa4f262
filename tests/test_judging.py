"""Contexts that are alike are judged once, and only those; each answer names lines of its own launch."""

from dataclasses import replace

from mmcodemod.model.context import Context, Entry, Strategy
from mmcodemod.model.finding import Note
from mmcodemod.model.option import UNKNOWN, Option
from mmcodemod.model.place import Place
from mmcodemod.model.verdict import Excluded, Fatal
from mmcodemod.pipeline import Settings, check
from mmcodemod.project.judging import Judging, watched
from mmcodemod.source.tree import text_tree


def context(name, **options):
    found = {k: Option(v, Place(f"{name}.sh", 1)) for k, v in options.items()}
    return watched(Context(name, Entry("train.py"), Place(f"{name}.sh", 1), Strategy.DDP, options=found))


def judged(contexts, judge):
    asked = []

    def counted(c):
        asked.append(c.id)
        return judge(c)

    return [answer for _, answer in Judging(lambda c: c.strategy).each(contexts, counted)], asked


def test_only_what_is_asked_for_tells_contexts_apart():
    every = [context("a", x=1, y=1), context("b", x=1, y=2), context("c", x=2, y=1), context("d", y=1)]
    answers, asked = judged(every, lambda c: c.option("x").value if "x" in c.options else None)
    assert (answers, asked) == ([1, 1, 2, None], ["a", "c", "d"])


def test_what_is_asked_for_may_depend_on_an_answer():
    every = [
        context(n, x=x, y=y) for n, x, y in (("a", 0, 1), ("b", 0, 2), ("c", 1, 1), ("d", 1, 2), ("e", 1, 2))
    ]
    answers, asked = judged(every, lambda c: c.option("y").value if c.option("x").value else 0)
    assert (answers, asked) == ([0, 0, 1, 2, 2], ["a", "c", "d"])


def test_a_judge_that_looks_at_all_options_shares_nothing_that_differs():
    every = [context("a", x=1), context("b", x=1, y=2), context("c", x=1)]
    answers, asked = judged(every, lambda c: sorted(k for k, _ in c.options.items()))
    assert answers[1] == ["x", "y"]
    assert "b" in asked


def test_unknown_and_not_given_are_told_apart():
    every = [context("a", x=UNKNOWN), context("b"), context("c", x=UNKNOWN)]
    answers, asked = judged(every, lambda c: c.option("x").value)
    assert (answers[0], asked) == (UNKNOWN, ["a", "b"])


def test_what_an_inner_judge_was_spared_counts_for_the_outer_one():
    every = [context("a", x=1), context("b", x=1), context("c", x=2)]
    inner = Judging(lambda c: 0)
    answers, _ = judged(every, lambda c: inner.each([every[0], c], lambda d: d.option("x").value)[1][1])
    assert answers == [1, 1, 2]


def test_what_is_answered_once_was_asked_by_everybody():
    every, test, asked = [context("a", x=1, y=1), context("b", x=2, y=1)], object(), []
    inner = Judging(lambda c: 0)

    def judge(c):
        asked.append(c.id)
        return c.option("x").value

    assert [inner.once(c, test, "x", judge) for c in (*every, *every)] == [1, 2, 1, 2]
    assert asked == ["a", "b"]
    answers, outer = judged([*every, context("c", x=2)], lambda c: inner.once(c, test, "x", judge))
    assert (answers, outer, asked) == ([1, 2, 2], ["a", "b"], ["a", "b"])
    assert inner.once(every[0], object(), "x", judge) == 1 and asked == ["a", "b", "a"]
    assert inner.once(every[0], test, "another", judge) == 1 and asked == ["a", "b", "a", "a"]


RUN = """\
import argparse
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument("--alone", type=int, default=0)
parser.add_argument("--out")
args = parser.parse_args()

def main(loss):
    loss.backward()
    if args.alone and dist.get_rank() == 0:
        dist.barrier()

if __name__ == "__main__":
    main(1)
"""


def test_every_run_of_a_class_is_named(monkeypatch):
    commands = [f"torchrun --nproc_per_node 2 train.py --out {n} --alone {n % 2}\n" for n in range(12)]
    tree = text_tree({"train.py": RUN, **{f"run{n:02}.sh": c for n, c in enumerate(commands)}})
    shared = check(tree, Settings())
    monkeypatch.setattr(Judging, "each", lambda self, contexts, judge: [(c, judge(c)) for c in contexts])
    assert shared == check(tree, Settings())
    (finding,) = shared.findings
    assert finding.contexts == tuple(f"run{n:02}.sh:1" for n in range(1, 12, 2))


def noted(name, line, **options):
    found = {k: Option(v, Place(f"{name}.sh", line + n)) for n, (k, v) in enumerate(options.items(), 1)}
    strategy = Option("ddp", Place(f"{name}.sh", line + 9))
    return watched(
        Context(
            name,
            Entry("train.py"),
            Place(f"{name}.sh", line),
            Strategy.DDP,
            options=found,
            strategy_from=strategy,
        )
    )


def test_a_shared_answer_is_told_with_the_line_of_the_launch_itself():
    every = [noted("a", 1, x=1, y=2), noted("b", 20, x=1, y=2)]
    judges = {
        3: lambda c: Excluded(Note(c.option("y").at, "y is 2")),
        1: lambda c: Excluded(Note(c.launcher, "starts one process")),
        10: lambda c: Fatal(Note(c.strategy_from.at, "the strategy here is DDP")),
    }
    for line, judge in judges.items():
        answers, asked = judged(every, judge)
        assert asked == ["a"]
        assert [answer.why.at for answer in answers] == [Place("a.sh", line), Place("b.sh", 19 + line)]


def test_of_flags_in_one_line_the_note_says_which():
    one = watched(replace(noted("a", 1), options={n: Option(0, Place("a.sh", 1)) for n in ("x", "beta")}))
    other = noted("b", 20, x=0, beta=0)
    answers, _ = judged(
        [one, other], lambda c: c.option("x") and Excluded(Note(c.option("beta").at, "--beta is 0"))
    )
    assert answers[1].why.at == Place("b.sh", 22)


def test_what_is_no_line_of_a_launch_stays():
    at = Place("model.py", 7)
    answers, _ = judged(
        [noted("a", 1, x=1), noted("b", 5, x=1)], lambda c: Excluded(Note(at, str(c.option("x").value)))
    )
    assert [answer.why.at for answer in answers] == [at, at]


TRAIN = """
import argparse

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--beta", type=float, default=0.1)
    args = parser.parse_args()
    dist.init_process_group("nccl")
    model = DDP(torch.nn.Linear(4, 4))
    for x in range(10):
        model(torch.ones(4)).sum().backward()
        if args.beta != 0.0:
            if dist.get_rank() == 0:
                dist.barrier()


if __name__ == "__main__":
    main()
"""


def test_each_launch_is_dismissed_by_a_line_of_its_own():
    launch = "torchrun --nproc_per_node 8 train.py --beta"
    scripts = {"a.sh": f"{launch} 0.0\n", "b.sh": f"# the same\n{launch} 0.0\n", "c.sh": f"{launch} 1.0\n"}
    report = check(text_tree({"train.py": TRAIN, **scripts}), Settings())
    assert [f.contexts for f in report.findings if f.rule == "MM401"] == [("c.sh:1",)]
    found = {d.contexts: str(d.evidence[0].at) for d in report.dismissed if d.rule == "MM401"}
    assert found == {("a.sh:1",): "a.sh:1", ("b.sh:2",): "b.sh:2"}
