"""What is found in a launch whose program asks a dataclass for a field that no class declares."""

import pytest

from mmcodemod.pipeline import Settings, check
from mmcodemod.source.tree import text_tree

TRAIN = """\
import os
from dataclasses import dataclass, field

import torch
import torch.distributed as dist
import transformers
{imports}


class Mixin:
    kind = "plain"


@dataclass
class ModelArguments(Mixin):
    base: str = field(default="org/base")
    pooled: bool = False
    width: int = 8
{fields}
    def label(self):
        return self.base


@dataclass
class OwnArguments(transformers.TrainingArguments):
    tower_rate: float = 0.1


{above}


def main():
    parser = transformers.HfArgumentParser((ModelArguments, OwnArguments))
{parse}
    model = transformers.AutoModel.from_pretrained(model_args.base)
{before}
    if dist.get_rank() == 0:
        dist.barrier()
    trainer = transformers.Trainer(model=model, args=args)
    trainer.train()
{after}


if __name__ == "__main__":
{start}
"""
PARSE = "model_args, args = parser.parse_args_into_dataclasses()"
MISSING = "print(model_args.pooling)"
FLAGS = "--output_dir out --pooled True"
TOLD = "` is of the dataclass ModelArguments, which declares no `"


def indented(text):
    return "\n".join(f"    {line}" for line in text.splitlines())


def barrier(before="", flags=FLAGS, *, imports="", above="", files=(), **parts):
    """Severity and message of MM401 where the main rank alone waits."""
    texts = {"parse": PARSE, "fields": "", "after": "", "start": "main()", "before": before, **parts}
    blocks = {name: indented(text) for name, text in texts.items()}
    train = TRAIN.format(imports=imports, above=above, **blocks)
    launch = f"torchrun --nproc_per_node 8 train.py {flags}\n"
    report = check(text_tree({**dict(files), "train.py": train, "run.sh": launch}), Settings(preview=True))
    (found,) = [f for f in report.findings if f.rule == "MM401"]
    return found.severity.value, found.message


@pytest.mark.parametrize(
    "before",
    [
        MISSING,
        "if model_args.pooled:\n    print(model_args.pooling)",
        "if not model_args.pooled:\n    pass\nelse:\n    print(model_args.pooling)",
        "if 'side' not in model_args.base.split('/')[-1]:\n    print(model_args.pooling)",
        "if 'org' == model_args.base.split('/')[0]:\n    print(model_args.pooling)",
        "model.config.pooling = model_args.pooling",
        "with open('x') as file:\n    file.write(model_args.pooling)",
        "config = {'a': [f'{model_args.pooling}']}",
        "model_args.width = model_args.pooling",
        "print(getattr(model.config, 'pooling', 'mean'))\nprint(model_args.pooling)",
        "model_args.length = 3\nprint(model_args.length, model_args.pooling)",
    ],
)
def test_a_run_that_asks_for_what_no_class_declares_is_a_note(before):
    severity, message = barrier(before)
    assert severity == "info"
    assert "whether the run gets past train.py:" in message
    assert f"`model_args{TOLD}pooling`" in message


HELPER = "def pooled(given):\n    return given.pooling\n"
JSON = """\
if len(os.sys.argv) == 2:
    model_args, args = parser.parse_json_file("x.json")
else:
    model_args, args = parser.parse_args_into_dataclasses()
"""


@pytest.mark.parametrize(
    "parts",
    [
        {"before": "pooled(model_args)", "above": HELPER},
        {"before": "pooled(model_args)", "imports": "from util import pooled", "files": {"util.py": HELPER}},
        {"before": MISSING, "parse": "(model_args, args) = parser.parse_args_into_dataclasses()"},
        {
            "before": MISSING,
            "parse": PARSE.replace("args =", "args, rest =").replace("()", "(None, True)"),
        },
        {
            "before": MISSING,
            "parse": "model_args, *rest = parser.parse_args_into_dataclasses()\nargs = rest[0]",
        },
        {
            "before": MISSING,
            "parse": "one = transformers.HfArgumentParser(ModelArguments)\n"
            "model_args = one.parse_args_into_dataclasses()[0]\nargs = None",
        },
        {
            "before": MISSING,
            "parse": "(model_args,) = transformers.HfArgumentParser([ModelArguments])"
            ".parse_args_into_dataclasses()\nargs = None",
        },
        {"before": MISSING, "parse": JSON},
        {"before": MISSING, "files": {"other.py": "def put(given):\n    given.pooling = 'x'\n"}},
        {
            "before": MISSING,
            "above": "class Head:\n    def __init__(self):\n        self.pooling = 'x'\n\n\nHead()",
        },
        {"before": MISSING, "parse": f"{PARSE}\nmodel_args = ModelArguments(width=2)"},
        {"before": MISSING, "start": "try:\n    main()\nexcept Exception:\n    main()"},  # again
        {"before": MISSING, "parse": "args = None\nmodel_args = ModelArguments()"},
    ],
)
def test_so_is_one_whose_object_comes_otherwise(parts):
    severity, message = barrier(**parts)
    assert severity == "info"
    assert TOLD in message


@pytest.mark.parametrize(
    "before",
    [
        "print(model_args.base, model_args.width, model_args.kind, model_args.label())",
        "print(model_args.__dict__, model_args.__class__, model_args.__dataclass_fields__)",
        "print(args.pooling)",  # transformers' own class may have it
        "print(model.pooling)",
        "if not model_args.pooled:\n    print(model_args.pooling)",
        "if os.environ.get('NAMED'):\n    print(model_args.pooling)",
        "if 'side' in model_args.base.split('/')[-1]:\n    print(model_args.pooling)",
        "if model_args.base.split('/')[7] != 'x':\n    print(model_args.pooling)",
        "if model_args.base.split(slash)[-1] != 'x':\n    print(model_args.pooling)",
        "if model_args.pooled or model_args.pooling:\n    pass",
        "try:\n    print(model_args.pooling)\nexcept AttributeError:\n    pass",
        "for path in os.listdir('x'):\n    print(model_args.pooling)",
        "name = lambda: model_args.pooling",
        "if hasattr(model_args, 'pooling'):\n    print(model_args.pooling)",
        "if hasattr(model_args, 'pooling') and model_args.pooling:\n    pass",
        "print(getattr(model_args, 'pooling', 'mean'))",
        "if not hasattr(model_args, 'pooling'):\n    model_args.pooling = 'mean'\nprint(model_args.pooling)",
        "model_args.pooling = 'x'\nprint(model_args.pooling)",
        "model_args.pooling = args.tower_rate\nprint(model_args.pooling)",
        f"model_args.pooling = model_args.pooling if hasattr(model_args, 'pooling') else 1\n{MISSING}",
        "setattr(model_args, 'pooling', 'x')\nprint(model_args.pooling)",
        "for k, v in {}.items():\n    setattr(model_args, k, v)\nprint(model_args.pooling)",
        "vars(model_args).update(more)\nprint(model_args.pooling)",
        "model_args.__dict__.update(more)\nprint(model_args.pooling)",
        "model_args.__dict__['pooling'] = 'x'\nprint(model_args.pooling)",
        "model_args = merged(model_args)\nprint(model_args.pooling)",
        "library.extend(model_args)\nprint(model_args.pooling)",
        "ModelArguments.pooling = 'x'\nprint(model_args.pooling)",
        "if not model_args.pooled:\n    return\nif unknown():\n    return\nprint(model_args.pooling)",
    ],
)
def test_what_may_be_there_or_is_not_asked_for_leaves_it_loud(before):
    assert TOLD not in barrier(before)[1]


@pytest.mark.parametrize(
    "parts",
    [
        {"after": MISSING},  # the training is over
        {"before": MISSING, "fields": "pooling: str = 'mean'"},
        {"before": MISSING, "fields": "pooling = 'mean'"},
        {"before": MISSING, "fields": "if os.environ.get('X'):\n    pooling: str = 'mean'"},
        {"before": MISSING, "fields": "def __post_init__(self):\n    self.pooling = 'mean'"},
        {"before": MISSING, "fields": "def __post_init__(self):\n    self.__dict__.update(read())"},
        {"before": MISSING, "fields": "def __post_init__(self):\n    setattr(self, read(), 1)"},
        {"before": MISSING, "fields": "def __post_init__(self):\n    extended(self)"},
        {"before": MISSING, "fields": "@property\ndef pooling(self):\n    return 'mean'"},
        {"before": MISSING, "fields": "def __getattr__(self, name):\n    return None"},
        {"before": MISSING, "fields": "exec(read())"},
        {"before": MISSING, "flags": '"$@"', "above": "from args import *"},
        {"before": f"if model_args.pooled:\n    {MISSING}", "flags": '"$@"'},
        {"before": f"if model_args.pooled:\n    {MISSING}", "flags": "--output_dir out"},
        {"before": MISSING, "parse": "args, model_args = parser.parse_args_into_dataclasses()"},
        {"before": MISSING, "parse": "args, *model_args = parser.parse_args_into_dataclasses()"},
        {"before": MISSING, "parse": PARSE + "\nif unknown():\n    model_args = read()"},
        {"before": MISSING, "parse": JSON.replace("parser.parse_json_file", "read")},
        {"before": MISSING, "parse": f"parser = extended(parser)\n{PARSE}"},
        {"before": MISSING, "parse": f"parser = read()\n{PARSE}"},
        {"before": MISSING, "start": "try:\n    main()\nexcept Exception:\n    pass"},
        {
            "before": MISSING,
            "start": "try:\n    main()\nexcept ImportError:\n    main()\nexcept Exception:\n    pass",
        },
        {"before": MISSING, "above": "@dataclass\nclass ModelArguments:\n    pooling: str = 'mean'\n"},
        {"before": MISSING, "above": "ModelArguments = extended(ModelArguments)"},
        {"before": MISSING, "above": "def put(given):\n    given.pooling = 'x'\n"},
        {"before": "pooled(model_args)", "above": f"@cached\n{HELPER}"},
        {
            "before": f"put(model_args)\n{MISSING}",
            "imports": "from util import put",
            "files": {"util.py": "def put(given):\n    given.pooling = 'x'\n"},
        },
    ],
)
def test_so_does_what_is_open(parts):
    assert TOLD not in barrier(**parts)[1]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("class Mixin:\n", "class Mixin:\n    pooling: str\n"),
        ("class Mixin:\n", "class Mixin:\n    def __getattr__(self, name):\n        return None\n"),
        ("ModelArguments(Mixin)", "ModelArguments(transformers.TrainingArguments)"),
        ("ModelArguments(Mixin)", "ModelArguments(read())"),
        ("ModelArguments(Mixin)", "ModelArguments(Mixin, metaclass=Extended)"),
        ("@dataclass\nclass ModelArguments", "@registered\n@dataclass\nclass ModelArguments"),
        ("from dataclasses import dataclass, field", "from attrs import dataclass, field"),
    ],
)
def test_so_does_a_class_that_may_have_more(old, new, monkeypatch):
    monkeypatch.setitem(globals(), "TRAIN", TRAIN.replace(old, new))
    assert TOLD not in barrier(MISSING)[1]
