"""New imports: once, under a free name, at a place where they run first; and what is there is used."""

from __future__ import annotations

import ast
import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmcodemod.model.fix import apply_edits
from mmcodemod.scan.imports import Wanted, named

DELTA = Wanted("datetime.timedelta", "datetime", "timedelta")
CLIP = Wanted("torch.nn.utils.clip_grad_norm_", "torch")
GATHER = Wanted("deepspeed.zero.GatheredParameters", "deepspeed", "zero", ("deepspeed.runtime.zero",), True)


def at_use(text, wanted):
    """The text with the import, and `USE` as it is called there."""
    tree = ast.parse(text)
    node = next(n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == "USE")
    found = named("f.py", text, tree, node, wanted)
    return found and (apply_edits(text, found.edits), found.text)


def said(text, wanted):
    after = at_use(textwrap.dedent(text), wanted)
    return after and after[1] if after is None or after[0] == textwrap.dedent(text) else f"new {after[1]}"


KNOWN = [
    (CLIP, "import torch\nUSE", "torch.nn.utils.clip_grad_norm_"),
    (CLIP, "import torch as th\nUSE", "th.nn.utils.clip_grad_norm_"),
    (CLIP, "import torch.distributed\nUSE", "torch.nn.utils.clip_grad_norm_"),
    (CLIP, "from torch import nn\nUSE", "nn.utils.clip_grad_norm_"),
    (CLIP, "import torch.nn as nn\nUSE", "nn.utils.clip_grad_norm_"),
    (CLIP, "from torch.nn.utils import clip_grad_norm_ as clip\nUSE", "clip"),
    (CLIP, "def f():\n    import torch\n    if a:\n        USE", "torch.nn.utils.clip_grad_norm_"),
    (CLIP, "if a:\n    import torch\n    def f():\n        USE", "torch.nn.utils.clip_grad_norm_"),
    (
        GATHER,
        "from deepspeed.runtime.zero.partition_parameters import GatheredParameters\nUSE",
        "GatheredParameters",
    ),
    (GATHER, "import deepspeed\nUSE", "deepspeed.zero.GatheredParameters"),
    (DELTA, "import datetime\nUSE", "datetime.timedelta"),
    (DELTA, "import datetime as dt\ndef f(a):\n    USE", "dt.timedelta"),
]


@pytest.mark.parametrize(("wanted", "text", "expected"), KNOWN)
def test_what_is_there_is_used(wanted, text, expected):
    assert said(text, wanted) == expected


NEW = [
    (CLIP, "def f():\n    import torch\nUSE"),  # another function's
    (CLIP, "if a:\n    import torch\nUSE"),
    (CLIP, "try:\n    import torch\nexcept ImportError:\n    pass\nUSE"),
    (CLIP, "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import torch\ndef f():\n    USE"),
    (CLIP, "class A:\n    import torch\n    def f(self):\n        USE"),
    (CLIP, "USE\nimport torch"),
    (CLIP, "import torch\ndef f():\n    USE\n    import torch"),  # a local name without a value yet
    (DELTA, "from .datetime import timedelta\nUSE"),
    (DELTA, "from datetime import datetime\nUSE"),
    (DELTA, "import datetime\nfor datetime in x:\n    pass\nUSE"),
]


@pytest.mark.parametrize(("wanted", "text"), NEW)
def test_what_may_not_hold_there_is_not_used(wanted, text):
    assert said(text, wanted).startswith("new ")


SHADOWED = [
    "timedelta = 3",
    "def timedelta(): pass",
    "class timedelta: pass",
    "def f(timedelta): pass",
    "f = lambda timedelta: 0",
    "[0 for timedelta in x]",
    "try: pass\nexcept E as timedelta: pass",
    "match x:\n    case {'a': 1, **timedelta}: pass",
    "match x:\n    case [*timedelta]: pass",
    "from pandas import timedelta",
    "import timedelta",
    "with x as timedelta: pass",
    "if (timedelta := 3): pass",
    "def f():\n    global timedelta",
    "from x import *\nprint(timedelta)",
    "for timedelta in x: pass",
]


@pytest.mark.parametrize("line", SHADOWED)
def test_no_name_of_the_file_is_shadowed(line):
    after, text = at_use(f"import os\n{line}\nUSE\n", DELTA)
    assert text == "datetime_timedelta"
    assert "from datetime import timedelta as datetime_timedelta\n" in after


def test_where_all_names_are_taken_nothing_is_offered():
    names = "timedelta = datetime_timedelta = _timedelta = 0"
    assert at_use(f"{names}\nUSE\n", DELTA) is None


PLACES = [
    ("an empty top", DELTA, "USE\n", "from datetime import timedelta\n\nUSE\n"),
    (
        "a docstring",
        DELTA,
        '"""Doc."""\n\n\ndef f():\n    USE\n',
        '"""Doc."""\n\nfrom datetime import timedelta\n\n\ndef f():\n    USE\n',
    ),
    (
        "a docstring alone",
        DELTA,
        '"""Doc."""\nUSE\n',
        '"""Doc."""\n\nfrom datetime import timedelta\n\nUSE\n',
    ),
    (
        "`from __future__`",
        DELTA,
        '"""Doc."""\n\nfrom __future__ import annotations\n\nUSE\n',
        '"""Doc."""\n\nfrom __future__ import annotations\n\nfrom datetime import timedelta\n\nUSE\n',
    ),
    (
        "a licence",
        DELTA,
        "#!/usr/bin/env python\n# Copyright\n\n# what f does\ndef f():\n    USE\n",
        "#!/usr/bin/env python\n# Copyright\n\nfrom datetime import timedelta\n\n\n"
        "# what f does\ndef f():\n    USE\n",
    ),
    (
        "a licence alone",
        DELTA,
        "# Copyright\nUSE\n",
        "# Copyright\n\nfrom datetime import timedelta\n\nUSE\n",
    ),
    (
        "sorted",
        DELTA,
        "import os\nfrom collections import abc\nfrom pathlib import Path\n\nimport torch\n\nUSE\n",
        "import os\nfrom collections import abc\nfrom datetime import timedelta\nfrom pathlib import Path\n\n"
        "import torch\n\nUSE\n",
    ),
    (
        "sorted by module",
        CLIP,
        "from abc import a\n\nfrom accelerate import b\nimport numpy\nfrom x import y\nUSE\n",
        "from abc import a\n\nfrom accelerate import b\nimport numpy\nimport torch\nfrom x import y\nUSE\n",
    ),
    (
        "not sorted",
        DELTA,
        "import sys\nimport os\nimport re\n\nimport torch\nUSE\n",
        "import sys\nimport os\nimport re\nfrom datetime import timedelta\n\nimport torch\nUSE\n",
    ),
    (
        "same package",
        CLIP,
        "import zzz\nfrom torch import optim\nimport aaa\nUSE\n",
        "import zzz\nimport torch\nfrom torch import optim\nimport aaa\nUSE\n",
    ),
    (
        "the first of its kind",
        DELTA,
        "# Copyright\n\nimport torch\nUSE\n",
        "# Copyright\n\nfrom datetime import timedelta\n\nimport torch\nUSE\n",
    ),
    ("the first of another kind", CLIP, "import os\n\nUSE\n", "import os\n\nimport torch\n\nUSE\n"),
    (
        "relative imports",
        CLIP,
        "import os\nfrom . import x\n\nUSE\n",
        "import os\n\nimport torch\nfrom . import x\n\nUSE\n",
    ),
    (
        "semicolons",
        DELTA,
        "import os; import re\nUSE\n",
        "from datetime import timedelta\n\nimport os; import re\nUSE\n",
    ),
    (
        "semicolons and others",
        DELTA,
        "import torch; import a\nimport b\nUSE\n",
        "from datetime import timedelta\n\nimport torch; import a\nimport b\nUSE\n",
    ),
    (
        "windows",
        DELTA,
        '"""Doc."""\r\nimport os\r\n\r\nUSE\r\n',
        '"""Doc."""\r\nimport os\r\nfrom datetime import timedelta\r\n\r\nUSE\r\n',
    ),
    (
        "a long import",
        DELTA,
        "import os\nfrom re import (\n    a,\n    b,\n)\nUSE\n",
        "import os\nfrom datetime import timedelta\nfrom re import (\n    a,\n    b,\n)\nUSE\n",
    ),
    (
        "imports behind the use",
        DELTA,
        "import os\n\ndef f():\n    USE\n\nimport re\n",
        "import os\nfrom datetime import timedelta\n\ndef f():\n    USE\n\nimport re\n",
    ),
    (
        "decorators",
        DELTA,
        "@USE\ndef f(): pass\n",
        "from datetime import timedelta\n\n\n@USE\ndef f(): pass\n",
    ),
]


@pytest.mark.parametrize(("wanted", "before", "after"), [p[1:] for p in PLACES], ids=[p[0] for p in PLACES])
def test_places_at_the_top(wanted, before, after):
    assert at_use(before, wanted)[0] == after


LOCAL = [
    (
        "may be missing",
        GATHER,
        "import os\n\ndef f():\n    x()\n    USE\n",
        "import os\n\ndef f():\n    x()\n    from deepspeed import zero\n\n    USE\n",
    ),
    (
        "comments",
        GATHER,
        "def f():\n    x()\n\n    # why\n    # so\n    USE\n",
        "def f():\n    x()\n\n    from deepspeed import zero\n\n    # why\n    # so\n    USE\n",
    ),
    (
        "tabs",
        GATHER,
        "def f():\n\tif a:\n\t\tUSE\n",
        "def f():\n\tif a:\n\t\tfrom deepspeed import zero\n\n\t\tUSE\n",
    ),
    (
        "one line",
        GATHER,
        "def f():\n    if a: USE\n",
        "def f():\n    from deepspeed import zero\n\n    if a: USE\n",
    ),
    (
        "loops",
        GATHER,
        "def f():\n    if a:\n        # all\n        for x in y:\n            while x:\n"
        "                USE\n",
        "def f():\n    if a:\n        from deepspeed import zero\n\n"
        "        # all\n        for x in y:\n            while x:\n                USE\n",
    ),
    (
        "a branch of a chain",
        GATHER,
        "def f():\n    if a:\n        b()\n    elif USE:\n        c()\n",
        "def f():\n    from deepspeed import zero\n\n    if a:\n        b()\n    elif USE:\n        c()\n",
    ),
    (
        "a loop in a branch of a chain",
        GATHER,
        "def f():\n    if a:\n        b()\n    elif c:\n        for x in y: USE\n",
        "def f():\n    if a:\n        b()\n    elif c:\n        from deepspeed import zero\n\n"
        "        for x in y: USE\n",
    ),
    (
        "a function in a loop",
        GATHER,
        "for x in y:\n    def f():\n        USE\n",
        "for x in y:\n    def f():\n        from deepspeed import zero\n\n        USE\n",
    ),
    (
        "semicolons",
        GATHER,
        "def f():\n    a(); USE\n",
        "def f():\n    from deepspeed import zero\n\n    a(); USE\n",
    ),
    ("a function on one line", GATHER, "def f(): USE\n", None),
    (
        "only inside functions",
        CLIP,
        "def g():\n    import torch\n\ndef f():\n    USE\n",
        "def g():\n    import torch\n\ndef f():\n    import torch\n\n    USE\n",
    ),
    (
        "under try",
        CLIP,
        "try:\n    import torch\nexcept ImportError:\n    torch = None\n\ndef f():\n    USE\n",
        "try:\n    import torch\nexcept ImportError:\n    torch = None\n\n"
        "def f():\n    import torch as _torch\n\n    USE\n",
    ),
    (
        "a class body",
        GATHER,
        "class A:\n    b = USE\n",
        "from deepspeed import zero\n\nclass A:\n    b = USE\n",
    ),
    (
        "a deeper comment",
        GATHER,
        "def f():\n    if a:\n        b()\n        # of b\n    USE\n",
        "def f():\n    if a:\n        b()\n        # of b\n    from deepspeed import zero\n\n    USE\n",
    ),
    (
        "a name that the function reads before",
        GATHER,
        "try:\n    from deepspeed import zero\nexcept E:\n    pass\n\ndef f():\n    zero.x()\n    USE\n",
        "try:\n    from deepspeed import zero\nexcept E:\n    pass\n\ndef f():\n    zero.x()\n"
        "    from deepspeed import zero as deepspeed_zero\n\n    USE\n",
    ),
]


@pytest.mark.parametrize(("wanted", "before", "after"), [p[1:] for p in LOCAL], ids=[p[0] for p in LOCAL])
def test_places_right_before_the_use(wanted, before, after):
    found = at_use(before, wanted)
    assert (found and found[0]) == after


# -- any head of a module ---------------------------------------------------------------------------------

HEADS = st.tuples(
    st.sampled_from(
        ["", "#!/usr/bin/env python\n", "# -*- coding: utf-8 -*-\n", "# Copyright\n#\n\n", "\n\n"]
    ),
    st.sampled_from(
        ["", '"""Doc."""\n', '"""Doc.\n\nimport fake\n"""\n\n', "'doc'\n\n\n", '"""Doc."""; a = 1\n']
    ),
    st.sampled_from(["", "from __future__ import annotations\n", "from __future__ import division; b = 2\n"]),
)
LINES = st.lists(
    st.sampled_from(
        [
            "import os\n",
            "import sys, re\n",
            "from pathlib import Path\n",
            "import json; c = 3\n",
            "\n",
            "# note\n",
            "from collections import (\n    abc,\n    deque,\n)\n",
            "import datetime as dt\n",
            "import datetime\n",
            "from datetime import datetime\n",
            "from datetime import timedelta as td\n",
            "timedelta = None\n",
            "try:\n    from datetime import timedelta\nexcept ImportError:\n    timedelta = None\n",
            "\x0c\n",
            "if False:\n    import datetime\n",
            "def timedelta():\n\treturn 1\n",
            "d = '''\nimport x\n'''\n",
            "class datetime_timedelta:\n    pass\n",
            "def g(datetime):\n    return datetime\n",
            "e = 1 + \\\n    2\n",
            "if True: import itertools\n",
            "@staticmethod\ndef h(): pass\n",
        ]
    ),
    max_size=7,
)
USES = st.sampled_from(
    [
        "if False:\n    pass\nelif USE:\n    RESULT = USE\n",
        "RESULT = USE\n",
        "def f():\n    # so\n    return USE\n\nRESULT = f()\n",
        "if True:\n\tRESULT = USE\n",
        "class A:\n    x = USE\n\nRESULT = A.x\n",
        "RESULT = [USE for _ in 'a'][0]",
        "z = 1; RESULT = USE\n",
        "def f():\n    if True: return USE\nRESULT = f()",
        "def f():\n    def g():\n        return USE\n    return g\nRESULT = f()()\n",
    ]
)
WANTED = st.sampled_from(
    [
        DELTA,
        Wanted("datetime.timedelta", "datetime"),
        Wanted("datetime.timedelta", "datetime", "timedelta", (), True),
        Wanted("os.path.join", "os.path"),
        Wanted("json.decoder.JSONDecoder", "json", "decoder"),
    ]
)


@settings(derandomize=True, deadline=None, max_examples=600, database=None)
@given(HEADS, LINES, USES, WANTED, st.sampled_from(["\n", "\r\n"]))
def test_any_head(head, lines, use, wanted, end):
    """What comes out compiles, and the place gets the very thing; a second application changes nothing."""
    text = ("".join((*head, *lines)) + use).replace("\n", end)
    try:
        compile(text, "f.py", "exec")
    except SyntaxError:
        return  # `from __future__` behind something else
    found = at_use(text, wanted)
    if found is None:
        assert ";" in text, "only where statements share a line"
        return
    after, name = found
    written = after.replace("USE", name)
    values, plain = {}, {}
    exec(compile(written, "f.py", "exec"), values)
    exec(compile(text.replace("USE", "None"), "f.py", "exec"), plain)
    assert values["RESULT"] is _real(wanted)
    for key in set(plain) - {"RESULT", "__builtins__", "A", "f", "g", "h", "Path"}:
        assert type(values[key]) is type(plain[key]), f"{key} means something else"
    again = at_use(after, wanted)
    assert again == (after, name)
    added = [line for line in after.split(end) if line not in text.split(end) and "import" in line]
    assert len(added) <= 1


def _real(wanted):
    import datetime
    import json.decoder
    import os.path

    every = (datetime.timedelta, os.path.join, json.decoder.JSONDecoder)
    return next(one for one in every if one.__name__ == wanted.dotted.rpartition(".")[2])
