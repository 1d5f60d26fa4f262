"""Contexts that are alike are judged once, and only those."""

from mmcodemod.model.context import Context, Entry, Strategy
from mmcodemod.model.option import UNKNOWN, Option
from mmcodemod.model.place import Place
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
