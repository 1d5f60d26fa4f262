"""What is found in a launch that reads a name which nothing has bound."""

import pytest

from mmcodemod.pipeline import Settings, build_project
from mmcodemod.project.unbound_names import unbound_name
from mmcodemod.source.tree import text_tree

TRAIN = """\
import os
import torch
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

def prepare(limit):
    longest = 3
    width = longest * limit
    return width

def main(args):
    {first}
    model = AutoModelForCausalLM.from_pretrained("org/base")
    {then}
    Trainer(model=model, args=args).train()
    {after}

{top}
if __name__ == "__main__":
    main(TrainingArguments("out"))
"""


def death(first="pass", then="pass", after="pass", top="", **files):
    """Error and reason of the launch's end; None where it seems to live."""
    train = TRAIN.format(first=first, then=then, after=after, top=top)
    others = {name.replace("__", "/") + ".py": text for name, text in files.items()}
    project = build_project(
        text_tree({**others, "train.py": train, "run.sh": "torchrun --nproc_per_node 8 train.py\n"}),
        Settings(),
    )
    (context,) = [c for c in project.contexts if c.entry and c.entry.path == "train.py"]
    found = unbound_name(project, context)
    return found and (found.error, found.why)


@pytest.mark.parametrize(
    ("first", "why"),
    [
        ("print(width)", "nothing binds `width` there: it is a local name of `prepare`"),
        ("size = prepare(longest)", "nothing binds `longest` there: it is a local name of `prepare`"),
        ("start = time.time()", "nothing binds `time` there: the module is not imported"),
        ("use(it=[helper])", "nothing binds `helper` there: the file does not import it, as parts.py does"),
    ],
)
def test_a_name_that_was_forgotten_ends_the_run(first, why):
    parts = "def helper():\n    pass\ndef use(**given):\n    pass\n"
    found = death(first, parts=parts, top="from parts import use")
    assert found is not None
    assert found[0] == "NameError"
    assert found[1].startswith(why)


def test_so_does_a_local_name_that_is_bound_later():
    found = death("os.makedirs('out')", after="import os")
    assert found == ("UnboundLocalError", "`main` binds `os` in line 15, which is not run before")
    assert death("os = os.path", after="pass")[0] == "UnboundLocalError"


def test_and_one_of_the_program_itself():
    assert death(top="print(later)\nlater = 3") == (
        "NameError",
        "the program binds `later` in line 18, which is not run before",
    )


def test_and_one_before_the_step_of_the_loop_that_trains():
    loop = "for batch in range(9):\n        {}\n        model(batch).sum().backward()"
    assert death(then=loop.format("seen = longest + 1"), after="return")[0] == "NameError"
    assert death(then=loop.format("seen = model"), after="return") is None
    assert death(then="model(1).sum().backward()\n    seen = longest", after="return") is None


@pytest.mark.parametrize(
    "first",
    [
        "print(unheard_of)",  # nothing tells a slip from what somebody else puts there
        "if args.fast:\n        print(width)",
        "try:\n        print(width)\n    except NameError:\n        pass",
        "for n in range(args.rounds):\n        print(width)",
        "use = lambda: width",
        "sizes = [width for width in range(3)]",
        "sizes = args.fast and width",
        "global width\n    width = 1\n    print(width)",
        "width = 1\n    print(width)",
        "print(os.path)\n    rows = [os for os in args.rows]",
        "print((size := 3) + size)",
        "print(__file__, ValueError, __name__)",
    ],
)
def test_a_name_that_may_be_bound_or_is_perhaps_not_read_ends_nothing(first):
    assert death(first) is None


def test_names_that_do_not_show_in_the_syntax_end_nothing():
    assert death("print(width)", top="from parts import *", parts="width = 3\n") is None
    assert death("print(width)", top="globals().update(width=3)") is None
    assert death("print(width)", other="import train\ntrain.width = 3\n") is None
    assert death("print(width)", other="import builtins\nbuiltins.width = 3\n") is None


def test_a_function_within_may_bind_a_name_first():
    inner = "def fill():\n        nonlocal seen\n        seen = 1\n    fill()\n    print(seen)\n    seen = 2"
    assert death(inner) is None


def test_what_may_return_before_says_nothing_of_the_training():
    assert death("if args.fast:\n        return", then="print(width)") is not None
    assert death(top="def fast():\n    if os.environ:\n        return\n    print(width)\nfast()") is None


CHOICE = """\
import argparse
import torch
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

def main(args):
    if args.kind == "both":
        tower = torch.nn.Linear(2, 2)
    elif args.kind == "one":
        tower = torch.nn.Linear(2, 1)
    tower = tower.to("cuda")
    {more}
    Trainer(model=tower, args=TrainingArguments("out")).train()

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--kind", default="both")
    main(parser.parse_args())
"""


@pytest.mark.parametrize(
    ("flags", "files", "dies"),
    [
        ("--kind none", {}, True),
        ("--kind one", {}, False),
        ("--kind both", {}, False),
        ("", {}, False),
        ("--kind $KIND", {}, False),
        ("--kind none", {"other.py": "def other(args):\n    args.kind = 'one'\n"}, True),  # not loaded
    ],
)
def test_a_launch_may_come_by_no_line_that_binds_a_name(flags, files, dies):
    run = f"torchrun --nproc_per_node 8 train.py {flags}\n"
    tree = text_tree({"train.py": CHOICE.format(more=""), "run.sh": run, **files})
    project = build_project(tree, Settings())
    (context,) = [c for c in project.contexts if c.entry and c.entry.path == "train.py"]
    found = unbound_name(project, context)
    assert (found is not None) == dies
    if found:
        assert found.why == "`main` binds `tower` in line 7, which this launch does not come by"


SIDES = "if args.kind:\n                tower = 1\n            else:\n                tower = 2"


@pytest.mark.parametrize(
    ("otherwise", "dies"),
    [
        ("raise NotImplementedError(args.kind)", False),  # that ends it, and no unbound name
        ("if args.log:\n            exit()\n        tower = 1", False),
        ("print(args.kind)", True),
        ("if args.log:\n            tower = 1", True),
        (f"if args.log:\n            {SIDES}", True),  # both bind it, where it comes by them
    ],
)
def test_a_test_that_binds_it_or_leaves_on_every_side_leaves_nothing_unbound(otherwise, dies):
    sides = f"    else:\n        {otherwise}\n    tower = tower.to("
    train = CHOICE.format(more="").replace("    tower = tower.to(", sides)
    flag = 'parser.add_argument("--kind"'
    train = train.replace(flag, f'parser.add_argument("--log", action="store_true")\n    {flag}')
    tree = text_tree({"train.py": train, "run.sh": "torchrun --nproc_per_node 8 train.py --kind none\n"})
    project = build_project(tree, Settings())
    assert any(unbound_name(project, context) for context in project.contexts) == dies


def test_the_program_may_change_its_arguments():
    train = CHOICE.format(more="").replace("def main(args):\n", "def main(args):\n    args.kind = 'one'\n")
    tree = text_tree({"train.py": train, "run.sh": "torchrun --nproc_per_node 8 train.py --kind none\n"})
    project = build_project(tree, Settings())
    assert all(unbound_name(project, context) is None for context in project.contexts)


def test_who_leaves_before_reads_nothing():
    train = CHOICE.format(more="").replace(
        "def main(args):\n", "def main(args):\n    if args.check:\n        return\n"
    )
    train = train.replace("    if args.kind", "    tower = 1\n    if args.kind")
    flag = 'parser.add_argument("--kind"'
    train = train.replace(flag, f'parser.add_argument("--check", action="store_true")\n    {flag}')
    tree = text_tree({"train.py": train, "run.sh": "torchrun --nproc_per_node 8 train.py --check\n"})
    project = build_project(tree, Settings())
    assert all(unbound_name(project, context) is None for context in project.contexts)


@pytest.mark.parametrize(("line", "dies"), [("early = 1; x = early", False), ("x = early; early = 1", True)])
def test_statements_of_one_line_run_from_left_to_right(line, dies):
    assert (death(top=line) is not None) == dies


@pytest.mark.parametrize("leaves", [True, False])
def test_a_launch_that_binds_nothing_may_have_left_before_the_loop(leaves):
    gate = "    if not os.path.exists('data'):\n        return\n" if leaves else ""
    train = "import os\n" + CHOICE.format(more="").replace("def main(args):\n", f"def main(args):\n{gate}")
    tree = text_tree({"train.py": train, "run.sh": "torchrun --nproc_per_node 8 train.py --kind none\n"})
    project = build_project(tree, Settings())
    (context,) = [c for c in project.contexts if c.entry and c.entry.path == "train.py"]
    found = unbound_name(project, context)
    assert found is not None
    assert found.sure is not leaves
