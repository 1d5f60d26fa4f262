"""What is found in a launch whose program asks for an argument that nobody defines."""

import pytest

from mmcodemod.pipeline import Settings, check
from mmcodemod.source.tree import text_tree

TRAIN = """\
import argparse
import os
import torch
import torch.distributed as dist
{imports}

def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("-l", "--log", action="store_true")
    parser.add_argument("--run-label", default="first")
    parser.add_argument("-s", "--seed", "--start", type=int, default=0)
    parser.add_argument("--steps", dest="most", type=int, default=10)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--distributed", action="store_true")
    parser.set_defaults(kind="plain")
{declared}
    return parser.parse_args()


def train(args, model, loader):
{train}


def main({parameters}):
    model = torch.nn.Linear(2, 2)
    loader = torch.utils.data.DataLoader(["text"])
{before}
    if dist.get_rank() == 0:
        dist.barrier()
    train(args, model, loader)
{after}


if __name__ == "__main__":
{start}
"""
LOOP = """\
for epoch in range(args.most):
    for batch in loader:
        {first}
        model(batch).backward()
        {last}
"""
STEP = "def step(model, batch):\n    model(batch).backward()\n"
TWICE = """\
for epoch in range(args.seed):
    {}
    step(model, loader)
for epoch in range(args.most):
    step(model, loader)
"""
START = "args = options()\nmain(args)"
MISSING = "print(args.run_name)"


def indented(text):
    return "\n".join(f"    {line}" for line in text.splitlines())


def barrier(before="", flags="--log", *, first="", last="", files=(), parameters="args", imports="", **parts):
    """Severity and message of MM401 where the main rank alone waits."""
    loop = LOOP.format(first=first, last=last)
    texts = {"declared": "", "after": "", "start": START, "train": loop, "before": before, **parts}
    blocks = {name: indented(text) for name, text in texts.items()}
    train = TRAIN.format(parameters=parameters, imports=imports, **blocks)
    launch = f"torchrun --nproc_per_node 8 train.py {flags}\n"
    report = check(text_tree({**dict(files), "train.py": train, "run.sh": launch}), Settings(preview=True))
    (found,) = [f for f in report.findings if f.rule == "MM401"]
    return found.severity.value, found.message


TOLD = "no option of the parser defines `args."


@pytest.mark.parametrize(
    "before",
    [
        MISSING,
        "if args.log:\n    print(args.run_name)",
        "if args.log and dist.get_rank() == 0:\n    print(args.run_name)",
        "if dist.get_rank() == 0 and args.log:\n    print(args.run_name)",
        "if args.log and args.run_name:\n    pass",
        "if not args.log:\n    pass\nelse:\n    print(args.run_name)",
        "with open('x') as file:\n    file.write(args.run_name)",
        "config = {'a': [f'{args.run_name}']}",
        "try:\n    print(args.run_name)\nfinally:\n    print('done')",
        "torch.manual_seed(args.s)",  # -s is called --seed
        "torch.manual_seed(args.start)",
        "torch.manual_seed(args.steps)",
        "args.label = args.run_name",
        "if args.run_name != None:\n    args.run_name = str(args.run_name)",
        "args.run_name = args.run_name.lower()",
        "for name in args.names:\n    pass",
        "if not args.distributed:\n    print(args.run_name)",
    ],
)
def test_a_run_that_asks_for_what_no_option_defines_is_a_note(before):
    severity, message = barrier(before)
    assert severity == "info"
    assert "whether the run gets past train.py:" in message
    assert TOLD in message


def test_it_names_the_first_line_that_asks():
    assert (
        f"past train.py:32: {TOLD}run_name`" in barrier(f"print(args.log)\n{MISSING}\nprint(args.nobody)")[1]
    )


RESET = "def reset():\n    global args\n    args = merged(args)\n"
HELPER = "def label(given):\n    return given.run_name\n"


@pytest.mark.parametrize(
    "parts",
    [
        {"before": "print(label(args))", "imports": HELPER},
        {"before": "print(label(given=args))", "imports": HELPER},
        {
            "before": "Run(args)",
            "imports": "class Run:\n    def __init__(self, args):\n        args.run_name\n",
        },
        {
            "before": "Run(args)",
            "imports": "class Run:\n    def __init__(self, a):\n        self.b = a\n        self.b.run_name",
        },
        {"before": "if not args.log:\n    print(args.run_name)", "flags": ""},
        {"first": MISSING},
        {"train": f"for epoch in range(3):\n    {MISSING}\n    step(model, loader)", "imports": STEP},
        {"last": MISSING},
        {"parameters": "", "start": "args = options()\nmain()", "before": MISSING},
        {"start": "main(options())", "before": MISSING},
        {"start": "try:\n    main(options())\nexcept KeyboardInterrupt:\n    pass", "before": MISSING},
        {"parameters": "", "start": "main()", "before": f"args = options()\n{MISSING}"},
        {"start": f"args = options()\n{MISSING}\nmain(args)"},
        {"start": "args = None\nargs = options()\nmain(args)", "before": MISSING},
        {"before": "print(label(args))", "imports": "from util import label", "files": {"util.py": HELPER}},
    ],
)
def test_so_is_one_that_does_so_elsewhere_before_it_trains(parts):
    severity, message = barrier(**parts)
    assert severity == "info"
    assert "no option of the parser defines `" in message


OPTIONS = "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--log')\n"
IMPORTED = """\
import torch
import torch.distributed as dist
from options import {name}

if __name__ == "__main__":
    if dist.get_rank() == 0:
        dist.barrier()
    {first}
    model = torch.nn.Linear(2, 2)
    print({asks})
    for batch in torch.utils.data.DataLoader(["text"]):
        model(batch).backward()
"""


@pytest.mark.parametrize(
    ("made", "name", "first", "severity"),
    [
        ("args = parser.parse_args()", "args", "", "info"),
        ("def options():\n    return parser.parse_args()", "options", "args = options()", "info"),
        ("args = parser.parse_args()\nargs = extended(args)", "args", "", "error"),
        ("args = parser.parse_args()", "args", "args = args.log", "error"),
    ],
)
def test_the_parser_may_be_in_another_file(made, name, first, severity):
    train = IMPORTED.format(name=name, first=first, asks="args.run_name")
    files = {"options.py": OPTIONS + made + "\n", "train.py": train}
    report = check(
        text_tree({**files, "run.sh": "torchrun --nproc_per_node 8 train.py\n"}), Settings(preview=True)
    )
    (found,) = [f for f in report.findings if f.rule == "MM401"]
    assert found.severity.value == severity


@pytest.mark.parametrize(
    "before",
    [
        "print(args.run_label, args.seed, args.most, args.files, args.kind, args.log)",
        "print(args.__dict__, args.__class__)",
        "print(model.run_name)",
        "if not args.log:\n    print(args.run_name)",
        "if os.environ.get('NAMED'):\n    print(args.run_name)",
        "if args.log and os.environ.get('NAMED'):\n    print(args.run_name)",
        "if args.log or args.run_name:\n    pass",
        "args.log or args.run_name",
        "args.run_name if not args.log else 1",
        "try:\n    print(args.run_name)\nexcept AttributeError:\n    pass",
        "try:\n    os.remove('x')\n    print(args.run_name)\nexcept OSError:\n    pass",
        "for path in os.listdir('x'):\n    print(args.run_name)",
        "names = [args.run_name for path in os.listdir('x')]",
        "name = lambda: args.run_name",
        "def name():\n    return args.run_name",
        "if hasattr(args, 'run_name'):\n    print(args.run_name)",
        "args.run_name = 'x'\nprint(args.run_name)",
        "if model.run_name:\n    args.run_name = 'x'\nprint(args.run_name)",
        "if args.log or args.run_name:\n    args.run_name = 'x'\nprint(args.run_name)",
        "setattr(args, 'run_name', 'x')\nprint(args.run_name)",
        "for k, v in {}.items():\n    setattr(args, k, v)\nprint(args.run_name)",
        "vars(args).update(more)\nprint(args.run_name)",
        "known = vars(args)\nknown.update(more)\nprint(args.run_name)",
        "args.__dict__.update(more)\nprint(args.run_name)",
        "args = merged(args)\nprint(args.run_name)",
        "if args.log:\n    args = merged(args)\nprint(args.run_name)",
        "library.extend(args)\nprint(args.run_name)",
        "try:\n    library.extend(args)\nexcept OSError:\n    pass\nprint(args.run_name)",
        "for name in args.files:\n    library.extend(args)\nprint(args.run_name)",
        "with contextlib.suppress(Exception):\n    print(args.run_name)",
        "for args in range(3):\n    pass\nprint(args.run_name)",
        "exec(open('config.py').read())\nprint(args.run_name)",
        "print(args.local_rank)",  # launchers' helpers put it there
        "args.log = False\nif args.log:\n    print(args.run_name)",
        "for name in args.files:\n    train(args, model, loader)\nprint(args.run_name)",
        "if args.seed == 0 and unknown():\n    return\nprint(args.run_name)",
    ],
)
def test_what_may_be_there_or_is_not_asked_for_leaves_it_loud(before):
    assert TOLD not in barrier(before)[1]


@pytest.mark.parametrize(
    "parts",
    [
        {"after": MISSING},  # the training is over
        {
            "train": "for epoch in range(3):\n    step(model, loader)\n    print(args.run_name)",
            "imports": STEP,
        },
        {"train": f"for epoch in range(3):\n    {MISSING}\nstep(model, loader)", "imports": STEP},
        {"train": TWICE.format(MISSING), "imports": STEP},  # the first may make no round
        {"first": "if epoch % 5 == 0:\n            print(args.run_name)"},
        {"last": "if os.environ.get('NAMED'):\n            print(args.run_name)"},
        {"before": "print(args.run_name)", "flags": '--log "$@"', "declared": "extend(parser)"},
        {"before": MISSING, "declared": "parser.add_argument('--name', dest=NAME)"},
        {"before": MISSING, "declared": "parser.set_defaults(**read())"},
        {"before": MISSING, "declared": "parser.set_defaults(run_name=1)"},
        {"before": "if args.log:\n    print(args.run_name)", "flags": '"$@"'},
        {"before": "if args.log:\n    print(args.run_name)", "flags": ""},
        {"before": "if not args.log:\n    print(args.run_name)", "flags": "-l"},
        {"before": "if not args.log:\n    print(args.run_name)", "flags": "--lo"},
        {"before": "if args.log:\n    print(args.run_name)", "declared": "parser.set_defaults(log=False)"},
        {
            "before": "Run(args)",
            "imports": "class Run:\n    def __init__(self, a):\n        self.b = a\n        self.more()\n"
            "        self.b.run_name\n    def more(self):\n        self.b = merged(self.b)\n",
        },
        {"before": MISSING, "start": "try:\n    main(options())\nexcept Exception:\n    pass"},
        {"before": MISSING, "start": "main(merged(options()))"},
        {
            "before": MISSING,
            "start": "if os.environ.get('NEW'):\n    main(options())\nelse:\n    main(other())",
        },
        {"before": "print(label(args))", "imports": f"@cached\n{HELPER}"},
        {"before": "print(label(args))", "imports": HELPER.replace("return", "yield")},
        {"before": "print(label(model))", "imports": HELPER},
        {
            "before": "print(label(args))",
            "imports": "try:\n    from naming import label\nexcept ImportError:\n    from util import label",
            "files": {"util.py": HELPER},
        },
        {"before": "print(label(args))", "imports": HELPER + "def label(given):\n    return 1\n"},
        {
            "before": "print(label(args))",
            "imports": "def label(given):\n    return 1\n" + HELPER,
            "after": "",
        },
        {"before": "print(label(args))", "imports": HELPER + "label = safe(label)\n"},
        {
            "before": "print(label(args))",
            "imports": "from tools.util import label",
            "files": {"lib/tools/util.py": HELPER, "old/tools/util.py": HELPER, "lib/setup.py": ""},
        },
        {"parameters": "", "start": "args = None\nargs = options()\nmain()", "before": MISSING},
        {"before": MISSING, "start": "args = options()\nreset()\nmain(args)", "imports": RESET},
        {"before": MISSING, "files": {"more.py": "def extend(given):\n    given.run_name = 'x'\n"}},
        {"before": MISSING, "files": {"more.py": "class A:\n    pass\nA.run_name: str = 'x'\n"}},
    ],
)
def test_so_does_what_is_open(parts):
    assert TOLD not in barrier(**parts)[1]


def test_a_store_into_another_objects_self_is_none():
    more = {"more.py": "class Run:\n    def __init__(self, name):\n        self.run_name = name\n"}
    assert barrier(MISSING, files=more)[0] == "info"
