"""Who may put an attribute into a namespace: what a file puts is listed once, and means the same as asking
for each name."""

import ast

import pytest

from mmcodemod.pipeline import build_project
from mmcodemod.project import argument_writers
from mmcodemod.source.tree import text_tree

TEXTS = [
    "args.lr = 1\nself.size = 2\nprint(args.depth)\ndel args.old\n",
    "saved = {'arch': args.arch, 'name': args.arch, 'lr': 1}\n",
    "getattr(args, 'kind', None)\nhasattr(args, 'seed')\nsetattr(args, 'wide', 1)\n",
    "parser.set_defaults(lr=1)\n",
    "parser.set_defaults(**found)\n",
    "set_defaults()\nargs.x += 1\nfor args.y in (1, b'z', 'z'):\n    pass\n",
]
NAMES = ("lr", "size", "depth", "old", "arch", "name", "kind", "seed", "wide", "x", "y", "z", "getattr")


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_listed_is_what_is_found_name_by_name(text):
    project = build_project(text_tree({"a.py": text}))
    listed = project.once(argument_writers._put_in, "a.py")
    tree = ast.parse(text)
    for name in NAMES:
        told = not listed.isdisjoint((name, argument_writers._ANY))
        assert told == bool(argument_writers._putting(tree, name)), name
