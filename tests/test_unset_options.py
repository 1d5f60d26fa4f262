"""What is found in a launch that leaves an option at None, and whose program cannot do without it."""

import importlib

import pytest

from mmcodemod.pipeline import Settings, check
from mmcodemod.project.fatal_uses import BUILTINS, MODULES, PATHS
from mmcodemod.source.tree import text_tree

TRAIN = """\
import argparse
import os
import os.path as osp
from pathlib import Path
import torch
import torch.distributed as dist
{imports}

def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--log", action="store_true")
    parser.add_argument("--rate", type=float, default=0.1)
    parser.add_argument("-p", "--ports", nargs="+", type=int)
    parser.add_argument("--names", default=None, help="separated by commas")
    parser.add_argument("--most", type=int)
    parser.add_argument("--lists", action="append")
    parser.add_argument("--given", default="x")
    parser.add_argument("--asked", required=False)
    parser.add_argument("--store", dest="folder")
    parser.add_argument("--rank", type=int)
    parser.add_argument("rest", nargs="*")
{declared}
    return parser.parse_args()


def main({parameters}):
    model = torch.nn.Linear(2, 2)
{before}
    loader = torch.utils.data.DataLoader(["text"])
    if dist.get_rank() == 0:
        dist.barrier()
    for batch in loader:
        {first}
        model(batch).backward()
{after}


if __name__ == "__main__":
    {start}
"""
TOLD = "at None, its default, and `"


def indented(text):
    return "\n".join(f"    {line}" for line in text.splitlines())


def barrier(before="", flags="--log", *, files=(), imports="", launch="", **parts):
    """Severity and message of MM401 where the main rank alone waits; "" where no run gets there."""
    given = {"first": "pass", "start": "main(options())", "parameters": "args", **parts}
    blocks = {name: indented(parts.get(name, "")) for name in ("declared", "after")}
    train = TRAIN.format(**{**given, **blocks, "before": indented(before), "imports": imports})
    launch = launch or f"torchrun --nproc_per_node 8 train.py {flags}\n"
    report = check(text_tree({**dict(files), "train.py": train, "run.sh": launch}), Settings(preview=True))
    found = [f for f in report.findings if f.rule == "MM401"]
    return (found[0].severity.value, found[0].message) if found else ("", "")


@pytest.mark.parametrize(
    "before",
    [
        "for port in args.ports:\n    print(port)",
        "hosts = [str(port) for port in args.ports]",
        "print(*args.ports)",
        "torch.device(**args.names)",
        "for path in args.lists:\n    print(path)",
        "print(len(args.ports))",
        "first = args.ports[0]",
        "names = args.names.split(',')",
        "print('out/' + args.names)",
        "print(f'{args.log}' + args.names)",
        "rate = args.rate * args.most",
        "half = args.most // 2",
        "less = -args.most",
        "folder = os.path.join('out', args.names)",
        "folder = osp.join(args.names, 'out')",
        "os.makedirs(args.names, exist_ok=True)",
        "if os.path.exists(args.names):\n    print('there')",
        "with open(args.names) as file:\n    print(file)",
        "folder = Path(args.names) / 'x'",
        "most = int(args.most)",
        "for epoch in range(args.most):\n    print(epoch)",
        "for epoch in range(1, args.most):\n    print(epoch)",
        "if 'x' in args.names:\n    print('x')",
        "if args.most > 3:\n    print('x')",
        "if not args.given == 'y':\n    open(args.names)",
        "if args.log:\n    open(args.names)",
        "if args.names is None:\n    open(args.names)",
        "try:\n    open(args.names)\nfinally:\n    print('done')",
        "if args.names:\n    print(args.names)\nopen(args.names)",
        "names = args.names\nprint(len(names))",
    ],
)
def test_a_run_that_uses_none_as_what_it_is_not_is_a_note(before):
    severity, message = barrier(before)
    assert severity == "info"
    assert "whether the run gets past train.py:" in message
    assert TOLD in message


LOADER = "def loader_of(args):\n    return [port for port in args.ports]\n"
GO = "torchrun --nproc_per_node 8 train.py"
INNER = "def loader_of(given):\n    if not given:\n        return open(args.names)\n"
OPEN = "open(args.names)"
OPENS = "def loader_of(path, rate=1):\n    return open(path)\n"


@pytest.mark.parametrize(
    "parts",
    [
        {"before": "loader_of(args)", "imports": LOADER},
        {"before": "loader_of(args)", "imports": "from data import loader_of", "files": {"data.py": LOADER}},
        {"before": "loader_of(args.names)", "imports": OPENS},
        {"before": "loader_of(rate=2, path=args.names)", "imports": OPENS},
        {"before": "open(args.names)", "flags": ""},
        {"before": "open(args.names)", "flags": "--log 2>&1 | tee log.txt"},
        {"before": "open(args.names)", "flags": "--rate $RATE --log"},
        {"first": "open(args.names)"},
        {"before": "open(args.names)", "flags": "--ports 1 2"},
        {"before": INNER + "loader_of(False)"},
        {"before": f"args.fresh = False\nif args.fresh:\n    pass\nelse:\n    {OPEN}"},
    ],
)
def test_so_is_one_that_does_so_elsewhere_before_it_trains(parts):
    severity, message = barrier(**parts)
    assert severity == "info"
    assert TOLD in message


@pytest.mark.parametrize(
    "before",
    [
        "if args.names:\n    open(args.names)",
        "if args.names is not None:\n    open(args.names)",
        "if args.names is not None and args.names.split(','):\n    pass",
        "args.names and open(args.names)",
        "for port in args.ports or []:\n    print(port)",
        "for port in (args.ports if args.ports else []):\n    print(port)",
        "names = args.names.split(',') if args.names else []",
        "names = args.names or 'x'\nopen(names)",
        "names = args.names\nif names is None:\n    names = 'x'\nopen(names)",
        "if isinstance(args.names, str):\n    open(args.names)",
        "if args.names is None:\n    args.names = 'x'\nopen(args.names)",
        "args.names = args.names or 'x'\nopen(args.names)",
        "setattr(args, 'names', 'x')\nopen(args.names)",
        "vars(args).update(more)\nopen(args.names)",
        "for k, v in {}.items():\n    setattr(args, k, v)\nopen(args.names)",
        "library.fill(args)\nopen(args.names)",
        "args = merged(args)\nopen(args.names)",
        "try:\n    open(args.names)\nexcept TypeError:\n    pass",
        "with contextlib.suppress(TypeError):\n    open(args.names)",
        "print(args.names, args.ports, str(args.names), bool(args.most))",
        "print('%s' % args.names)",
        "print(f'{args.names}')",
        "print(os.listdir(args.names))",
        "print(args.names == 'x', args.names in ('x', 'y'), args.names is None)",
        "parts = [1, 2, 3][:args.most]",
        "print(args.given.split(','), len(args.rest))",
        "print(len(args.asked))",  # `required` is not looked at
        "print(len(args.folder))",  # `dest` names the entry as a store would
        "print(args.rank + 1)",  # launchers' helpers put it there
        "print(args.most * rate)",
        "print(args.names / model)",
        "print(args.names.__class__)",
        "for path in os.listdir('x'):\n    open(args.names)",
        "every = (port for port in args.ports)",
        "later = lambda: open(args.names)",
        "def later():\n    return open(args.names)",
        "if args.log:\n    return\nopen(args.names)",
        "if os.environ.get('NAMED'):\n    open(args.names)",
        "if args.names is None:\n    raise ValueError('--names is needed')\nopen(args.names)",
        "assert args.names\nopen(args.names)",
        "len = max\nprint(len(args.ports))",
        "print(args.log or open(args.names))",
        "print(open_(args.names), torch.load(args.names))",
    ],
)
def test_what_takes_none_or_is_not_sure_leaves_it_loud(before):
    assert TOLD not in barrier(before)[1]


@pytest.mark.parametrize(
    "parts",
    [
        {"after": OPEN},  # the training is over
        {"before": OPEN, "flags": "--names x"},
        {"before": OPEN, "flags": "--names=x"},
        {"before": OPEN, "flags": "--nam x"},
        {"before": "len(args.ports)", "flags": "-p 1 2"},
        {"before": "len(args.ports)", "flags": "-p1"},
        {"before": OPEN, "flags": '--log "$@"'},
        {"before": INNER + "loader_of(True)"},
        {"before": INNER + "if args.log:\n    loader_of = max\nloader_of(False)"},
        {"before": f"args.fresh = bool(model)\nif args.fresh:\n    pass\nelse:\n    {OPEN}"},
        {"before": f"args.fresh = False\nsetattr(args, 'fresh', 1)\nif not args.fresh:\n    {OPEN}"},
        {"before": OPEN, "flags": "--log $MORE"},
        {"before": OPEN, "flags": "$MORE"},
        {"before": OPEN, "flags": '"${MORE[@]}"'},
        {"before": OPEN, "flags": "--log ..."},
        {"before": OPEN, "flags": "--log [--names NAMES]"},
        {"before": OPEN, "flags": "<options>"},
        {"before": OPEN, "flags": "--ports 1 $MORE"},
        {"before": OPEN, "declared": "parser.set_defaults(names='x')"},
        {"before": OPEN, "declared": "parser.set_defaults(**read())"},
        {"before": OPEN, "declared": "extend(parser)"},
        {"before": OPEN, "declared": "parser.add_argument('--other', dest='names')"},
        {"before": OPEN, "launch": "MORE='--names x'\ntorchrun --nproc_per_node 8 train.py $MORE\n"},
        {"before": OPEN, "launch": f"GO='{GO} --rate 1'\nGO=\"$GO --names x\"\n$GO\n"},
        {"before": OPEN, "launch": f"GO='{GO}'\nGO=\"$GO --names x\"\n$GO\n"},
        {"before": OPEN, "launch": f"GO='{GO} --rate 1'\n$GO --names x\n"},
        {"before": OPEN, "start": "try:\n        main(options())\n    except Exception:\n        pass"},
        {"before": OPEN, "start": "main(merged(options()))"},
        {"before": "len(args.ports)", "imports": "from numpy import *"},
        {"before": "len(args.ports)", "imports": "def len(given):\n    return 1\n"},
        {"before": OPEN, "imports": "import more", "files": {"more.py": "def f(a):\n    a.names = 1\n"}},
        {"before": "loader_of(args.names)", "imports": OPENS.replace("open(path)", "path and open(path)")},
        {"before": "loader_of(args.names)", "imports": f"@cached\n{OPENS}"},
        {
            "before": "loader_of(args.names)",
            "imports": OPENS.replace("    return", "    path = path or 'x'\n    return"),
        },
    ],
)
def test_so_does_what_is_open(parts):
    assert TOLD not in barrier(**parts)[1]


WRAPPED = "Train with\n\n```bash\ntorchrun --nproc_per_node 8 train.py\n--log\n{}\n```\n"


def test_flags_on_lines_of_their_own_are_no_others():
    assert TOLD in barrier(OPEN, launch="#\n", files={"README.md": WRAPPED.format("--rate 0.1")})[1]
    assert TOLD not in barrier(OPEN, launch="#\n", files={"README.md": WRAPPED.format("--names x")})[1]
    inside = WRAPPED.replace("--log\n{}", "    $MORE")
    assert TOLD not in barrier(OPEN, launch="#\n", files={"README.md": inside})[1]


@pytest.mark.parametrize("name", sorted({*BUILTINS, *MODULES, *(f"os.path.{name}" for name in PATHS)}))
def test_python_takes_no_none_there(name):
    module, _, function = name.rpartition(".")
    with pytest.raises(TypeError):
        getattr(importlib.import_module(module or "builtins"), function)(None)
