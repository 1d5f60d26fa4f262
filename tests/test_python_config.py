"""Configurations written in Python: what their text says, without running it."""

import pytest

from mmcodemod.model.option import UNKNOWN
from mmcodemod.project.python_config import bases, config_options, is_config
from mmcodemod.project.sources import Sources
from mmcodemod.source.tree import text_tree


def options(text, **more):
    sources = Sources(text_tree({"conf/a.py": text, **more}))
    return {name: option.value for name, option in config_options(sources, "conf/a.py").items()}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x = 2048 - int((336 / 14) ** 2)", 1472),
        ("x = -1e-4", -1e-4),
        ("a = './data/'\nx = a + 'b.json'", "./data/b.json"),
        ("n = 8\nx = f'run-{n}'", "run-8"),
        ("from torch.optim import AdamW\nx = AdamW", "torch.optim.AdamW"),
        ("import torch\nx = torch.bfloat16", "torch.bfloat16"),
        ("x = (0.9, 0.999)", "0.9, 0.999"),
        ("x = 7 // 2 % 2", 1),
        ("x = 1 / 0", UNKNOWN),
        ("x = 9 ** 9 ** 9", UNKNOWN),
        ("x = 'a' * 10 ** 9", UNKNOWN),
        ("x = load()", UNKNOWN),
        ("x = other", UNKNOWN),
        ("x = f'{load()}'", UNKNOWN),
        ("x = 1\nx += 1", UNKNOWN),
        ("x = int('one')", UNKNOWN),
    ],
)
def test_values(text, value):
    found = options(text)["x"]
    assert (found, type(found)) == (value, type(value))


def test_dictionaries_by_dotted_key():
    text = "norm = 1\nw = dict(type='A', clip=dict(max_norm=norm), **dict(k=2))\nv = {'a': {'b': None}}\n"
    assert options(text) == {"norm": 1, "w.type": "A", "w.clip.max_norm": 1, "w.k": 2, "v.a.b": None}


def test_lists_of_dictionaries_and_classes_that_are_called():
    text = "from pkg import Conf, make\nf = Conf(n=2)\ns = [dict(a=1), dict(b=2)]\nm = make(a=1)\n"
    assert options(text) == {"f.type": "pkg.Conf", "f.n": 2, "s.0.a": 1, "s.1.b": 2, "m": UNKNOWN}


def test_a_value_points_to_where_it_is_written():
    sources = Sources(text_tree({"a.py": "norm = 1\n\nw = dict(\n    clip=norm,\n    b=2)\n"}))
    found = config_options(sources, "a.py")
    assert {k: str(o.at) for k, o in found.items()} == {"norm": "a.py:1", "w.clip": "a.py:1", "w.b": "a.py:5"}


def test_what_is_changed_afterwards():
    text = "m = dict(a=1, b=dict(c=2))\nm['b']['c'] = 3\nm.update(d=4)\nm.update(dict(a=5))\n"
    assert options(text) == {"m.a": 5, "m.b.c": 3, "m.d": 4}
    assert options("m = dict(a=1)\nm.pop('a')\n") == {"m": UNKNOWN}
    assert options("m = dict(a=1)\ndel m\n") == {}
    assert options("m = dict(a=1)\nm[key()] = 1\n") == {"m": UNKNOWN}
    assert options("m = dict(a=1, **load())\n") == {"m": UNKNOWN}


def test_bases_are_merged_key_by_key():
    base = "w = dict(type='A', lr=1, clip=dict(n=1))\ngone = dict(a=1)\nkept = 5\n"
    text = "_base_ = '../base.py'\nw = dict(lr=2)\ngone = dict(_delete_=True, b=2)\n"
    found = options(text, **{"base.py": base})
    assert found == {"w.type": "A", "w.lr": 2, "w.clip.n": 1, "gone.b": 2, "kept": 5}
    assert options("_base_ = ['../base.py', '../none.py']\n", **{"base.py": "k = 1\nd = dict()\n"})["k"] == 1


def test_read_base_takes_names_over():
    text = "with read_base():\n    from ..base import *\n    from .b import n as m\nw.update(lr=m)\n"
    more = {"base.py": "w = dict(lr=1, b=2)\n", "conf/b.py": "n = 7\nd = dict()\n"}
    assert options(text, **more) == {"w.lr": 7, "w.b": 2, "m": 7}


def test_bases_of_bases_and_circles():
    files = {
        "a.py": "_base_ = 'b.py'\nd = dict()\n",
        "b.py": "_base_ = ['c.py', 'a.py']\n",
        "c.py": "x = 1\n",
    }
    sources = Sources(text_tree(files))
    assert bases(sources, "a.py") == ("a.py", "b.py", "c.py")
    assert config_options(sources, "a.py")["x"].value == 1


def test_hostile_configurations_are_bounded():
    doubled = "d0 = dict(a=1)\n" + "".join(f"d{n} = dict(x=d{n - 1}, y=d{n - 1})\n" for n in range(1, 38))
    assert len(options(doubled)) == 2_000
    base = doubled.replace("a=1", "a=2")
    assert len(options("_base_ = 'base.py'\n" + doubled, **{"conf/base.py": base})) == 2_000
    assert options("x = " + "[" * 90 + "]" * 90)["x"] is UNKNOWN
    assert options("x = dict(") == {}


@pytest.mark.parametrize(
    ("text", "config"),
    [
        ("import a\nx = dict(type='A')\n", True),
        ("with read_base():\n    from .b import *\n", True),
        ("x = 1\n", False),
        ("x = dict(a=1)\ndef f(): ...\n", False),
        ("x = dict(a=1)\nif x:\n    y = 1\n", False),
        ("x = dict(a=1\n", False),
    ],
)
def test_what_is_a_configuration(text, config):
    assert is_config(Sources(text_tree({"a.py": text})), "a.py") is config
