"""Settings that the code itself names decide the strategy of a launch."""

from __future__ import annotations

import pytest

from mmcodemod.model.context import Strategy
from mmcodemod.model.option import AUTO
from mmcodemod.pipeline import build_project
from mmcodemod.source.tree import text_tree

TRAIN = """
from transformers import Trainer, TrainingArguments

def main(model):
    Trainer(model=model, args=TrainingArguments("out", deepspeed="{path}")).train()

if __name__ == "__main__":
    main(None)
"""
ZERO3 = '{"zero_optimization": {"stage": 3}, "gradient_clipping": "auto"}'


def _context(path, files):
    tree = text_tree(
        {"train.py": TRAIN.format(path=path), "run.sh": "torchrun --nproc_per_node 8 train.py\n", **files}
    )
    (context,) = build_project(tree).contexts
    return context


def test_a_configuration_named_in_code_decides_the_strategy():
    context = _context("conf/ds.json", {"conf/ds.json": ZERO3})
    assert context.strategy is Strategy.ZERO3
    assert context.configs == ("conf/ds.json",)
    assert str(context.strategy_from.at) == "conf/ds.json:1"


def test_a_configuration_outside_the_tree_decides_nothing():
    assert _context("/etc/ds.json", {"ds.json": ZERO3}).strategy is Strategy.DDP
    assert _context("../ds.json", {"ds.json": ZERO3}).strategy is Strategy.DDP


def test_the_launch_wins_over_the_code():
    files = {"ds.json": ZERO3, "two.json": '{"zero_optimization": {"stage": 2}}'}
    files["run.sh"] = "deepspeed train.py --deepspeed two.json\n"
    assert _context("ds.json", files).strategy is Strategy.ZERO2


CODE = """
import deepspeed
{top}

def main(model, path, loss=None):
{body}
    engine = deepspeed.initialize(model=model, config={config})
    late()
    engine.backward(loss)

if __name__ == "__main__":
    main(None, "x")
"""


def _in_code(config, body="pass", top="", **files):
    indented = "\n".join(f"    {line}" for line in body.splitlines())
    code = CODE.format(top=top, body=indented, config=config)
    tree = text_tree({"train.py": code, "run.sh": "torchrun --nproc_per_node 8 train.py\n", **files})
    (context,) = build_project(tree).contexts
    return context


STAGE3 = '{"zero_optimization": {"stage": 3}, "gradient_clipping": "auto", "fp16": {"enabled": True}}'


def test_a_dictionary_of_the_code_decides_the_strategy():
    context = _in_code("settings", body=f"n = 8\nsettings = {STAGE3}\nprint(settings)")
    assert (context.strategy, str(context.strategy_from.at)) == (Strategy.ZERO3, "train.py:7")
    assert context.strategy_from.note == "a dictionary in the code, given at train.py:9"
    assert context.option("deepspeed.gradient_clipping").value is AUTO
    assert context.option("deepspeed.fp16.enabled").value is True
    assert _in_code(STAGE3).strategy is Strategy.ZERO3
    assert (
        _in_code("SETTINGS", top="SETTINGS = dict(zero_optimization=dict(stage=2))").strategy
        is Strategy.ZERO2
    )


def test_a_dictionary_that_is_changed_key_by_key():
    body = 's = {"zero_optimization": {}}\ns["zero_optimization"]["stage"] = 1\ns.update(train_batch_size=8)'
    context = _in_code("s", body=body)
    assert (context.strategy, context.option("deepspeed.train_batch_size").value) == (Strategy.ZERO1, 8)


@pytest.mark.parametrize(
    "body",
    [
        f"s = {STAGE3}\nfor s in path:\n    pass",
        f"s = {STAGE3}\nchange(s)",
        f"s = {STAGE3}\nother = change(given=s)",
        f"if path:\n    s = {STAGE3}",
        "s = make(3)",
    ],
)
def test_what_a_branch_or_another_function_may_change_decides_nothing(body):
    assert _in_code("s", body=body).strategy is Strategy.DDP


BASE = f"BASE = {STAGE3}"
COPIES = "import copy\n" + BASE


@pytest.mark.parametrize(
    "body",
    [
        "s = copy.deepcopy(BASE)",
        "s = BASE.copy()",
        "s = dict(BASE, gradient_clipping=1.0)",
        "s = {**BASE, 'gradient_clipping': 1.0}",
        "s = BASE | {'gradient_clipping': 1.0}",
        "s = dict(BASE)\ns |= {'gradient_clipping': 1.0}",
        "s = {'engine': BASE}['engine']",
        "s = {}\ns.update(BASE)\ns.pop('fp16')\ndel s['gradient_clipping']",
        "s = copy.deepcopy(BASE)\nzero = s['zero_optimization']\nzero['cpu_offload'] = True",
        "s = copy.deepcopy(BASE)\ns['zero_optimization']['stage'] = 1\ns = BASE",
        "self = path\ns = dict(BASE)\nself.settings = s\nself.name = 'x'",
    ],
)
def test_copies_and_merges_of_a_dictionary(body):
    assert _in_code("s", body=body, top=COPIES).strategy is Strategy.ZERO3


def test_what_is_changed_in_a_copy_and_in_what_two_names_hold():
    body = "s = copy.deepcopy(BASE)\ns['zero_optimization']['stage'] = 1\ns['fp16'].update(enabled=False)"
    context = _in_code("s", body=body, top=COPIES)
    assert (context.strategy, context.option("deepspeed.fp16.enabled").value) == (Strategy.ZERO1, False)
    assert _in_code("BASE", body=body, top=COPIES).strategy is Strategy.ZERO3
    shared = "s = BASE.copy()\ns['zero_optimization']['stage'] = 2\ns['gradient_clipping'] = 0.5"
    context = _in_code("BASE", body=shared, top=COPIES)
    assert (context.strategy, context.option("deepspeed.gradient_clipping").value) == (Strategy.ZERO2, AUTO)
    alias = "s = BASE\nzero = s.get('zero_optimization')\nzero['stage'] = 1"
    assert _in_code("BASE", body=alias, top=COPIES).strategy is Strategy.ZERO1


@pytest.mark.parametrize(
    "body",
    [
        "if path:\n    BASE.update(zero_optimization={'stage': 0})",
        "if path:\n    zero = BASE['zero_optimization']\n    zero['stage'] = 0",
        "for section in BASE.values():\n    section.update(stage=0)",
        "[section.update(stage=0) for section in BASE.values() if path]",
        "path and BASE.update(zero_optimization={'stage': 0})",
        "BASE['zero_optimization'][path] = 0",
        "BASE['zero_optimization'].merge(path)",
        "BASE |= path",
        "other = BASE\nother = change(other)",
        "parts = [BASE]\nchange(parts)",
        "change(BASE['zero_optimization'])",
        "model.settings = BASE\nmodel.settings['zero_optimization'] = {'stage': 0}",
        "model.settings = BASE\nmodel.adapt()",
        "BASE.update(**path)",
        "one, other = BASE, path\none['zero_optimization']['stage'] = 0",
        "one, *rest = BASE, path\none['zero_optimization']['stage'] = 0",
        "parts = [BASE]\nfirst = parts[0]\nfirst['zero_optimization']['stage'] = 0",
        "section = BASE[path]\nsection['stage'] = 0",
        "section = BASE.get(path)\nsection['stage'] = 0",
        "if (held := BASE):\n    held['zero_optimization']['stage'] = 0",
        "print(held := BASE)\nheld['zero_optimization']['stage'] = 0",
        "def adapt():\n    BASE['zero_optimization']['stage'] = 0\nadapt()",
        "stage = 3\nfor stage in path:\n    BASE['zero_optimization']['stage'] = stage",
    ],
)
def test_a_change_that_cannot_be_followed_decides_nothing(body):
    assert _in_code("BASE", body="pass", top=COPIES).strategy is Strategy.ZERO3
    assert _in_code("BASE", body=body, top=COPIES).strategy is not Strategy.ZERO3


def test_dictionaries_within_each_other_take_bounded_work():
    more = "".join(f"d{n} = {{'a': d{n - 1}, 'b': d{n - 1}}}\n" for n in range(1, 40))
    body = f"d0 = {{}}\n{more}change(d39)\ns = copy.deepcopy(BASE)\ns['own'] = s\ns['same'] = s\n"
    body += "t = copy.deepcopy(s)"
    assert _in_code("t", body=body, top=COPIES).strategy is Strategy.ZERO3


def test_what_a_class_makes_is_no_dictionary():
    top = "from settings import Settings"
    assert _in_code("Settings(zero_optimization={'stage': 3})", top=top).strategy is Strategy.DDP


def test_a_loop_around_the_call_gives_names_what_does_not_show():
    inner = "stage = 3\nfor stage in path:\n    pass\nBASE['zero_optimization']['stage'] = stage"
    assert _in_code("BASE", body=inner, top=COPIES).strategy is not Strategy.ZERO3


def test_a_function_around_the_call_hides_the_names_of_the_module():
    code = f"""
import deepspeed
BASE = {STAGE3}

def main(model, loss, path):
    BASE = path
    def start():
        return deepspeed.initialize(model=model, config=BASE)
    engine = start()
    engine.backward(loss)

if __name__ == "__main__":
    main(None, None, None)
"""
    tree = text_tree({"train.py": code, "run.sh": "torchrun --nproc_per_node 8 train.py\n"})
    (context,) = build_project(tree).contexts
    assert context.strategy is Strategy.DDP


def test_another_function_may_change_what_the_module_holds():
    adapt = "\n\ndef adapt(stage):\n    BASE['zero_optimization']['stage'] = stage\n"
    assert _in_code("BASE", top=BASE + adapt).strategy is Strategy.DDP
    own = "\n\ndef adapt(BASE):\n    BASE['zero_optimization']['stage'] = 0\n"
    assert _in_code("BASE", top=BASE + own).strategy is Strategy.ZERO3


def test_a_dictionary_that_another_file_of_the_tree_defines():
    files = {"pkg/__init__.py": "", "pkg/settings.py": f"{BASE}\nBASE['fp16']['enabled'] = False\n"}
    top = "from pkg.settings import BASE"
    context = _in_code("BASE", top=top, **files)
    assert (context.strategy, context.option("deepspeed.fp16.enabled").value) == (Strategy.ZERO3, False)
    assert str(context.strategy_from.at) == "pkg/settings.py:1"
    other = {"pkg/adapt.py": "from .settings import BASE\n\ndef adapt():\n    BASE.clear()\n"}
    assert _in_code("BASE", top=top, **files, **other).strategy is Strategy.DDP
    again = {"pkg/all.py": "from pkg.settings import BASE\nfrom pkg.all import NONE\nALL = [BASE, 1]\n"}
    through = "from pkg.all import BASE"
    assert _in_code("BASE", top=through, **files, **again).strategy is Strategy.ZERO3
    reader = {"pkg/show.py": "from .settings import BASE\n\nprint(BASE['fp16'])\n"}
    assert _in_code("BASE", top=top, **files, **reader).strategy is Strategy.ZERO3


SETTINGS = {"pkg/__init__.py": "", "pkg/settings.py": f"{BASE}\n", "settings.py": f"{BASE}\n"}


@pytest.mark.parametrize(
    ("top", "config"),
    [
        ("import settings", "settings.BASE"),
        ("import settings as own", "own.BASE"),
        ("import pkg.settings", "pkg.settings.BASE"),
        ("import pkg.settings as own", "own.BASE"),
        ("from pkg import settings", "settings.BASE"),
        ("import copy\nimport settings", "copy.deepcopy(settings.BASE)"),
        ("import settings\nsettings.BASE.update(steps_per_print=5)", "dict(settings.BASE)"),
        ("import settings\nsettings.show()", "settings.BASE"),
    ],
)
def test_a_dictionary_that_a_module_of_the_tree_holds(top, config):
    assert _in_code(config, top=top, **SETTINGS).strategy is Strategy.ZERO3


@pytest.mark.parametrize(
    "body",
    [
        "change(settings)",
        "settings.BASE['zero_optimization']['stage'] = 0",
        "settings.BASE = path",
        "other = settings.BASE\nchange(other)",
        "own.BASE['zero_optimization']['stage'] = 0",
        "BASE['zero_optimization']['stage'] = 0",
        "if path:\n    settings.BASE = path",
    ],
)
def test_what_a_module_holds_and_code_changes(body):
    top = "import settings\nimport settings as own\nfrom settings import BASE"
    assert _in_code("settings.BASE", top=top, **SETTINGS).strategy is Strategy.ZERO3
    assert _in_code("settings.BASE", body=body, top=top, **SETTINGS).strategy is not Strategy.ZERO3


@pytest.mark.parametrize(
    "code",
    [
        "import settings\n\ndef adapt():\n    settings.BASE.clear()\n",
        "from settings import BASE\n\ndef adapt():\n    BASE.clear()\n",
        "import settings as own\n\ndef adapt(path):\n    own.BASE = path\n",
    ],
)
def test_another_file_changes_what_a_module_holds(code):
    files = {**SETTINGS, "adapt.py": code}
    assert _in_code("settings.BASE", top="import settings", **files).strategy is Strategy.DDP
    assert _in_code("BASE", top="from settings import BASE", **files).strategy is Strategy.DDP


def test_functions_of_a_module_may_change_what_it_holds():
    files = {**SETTINGS, "settings.py": f"{BASE}\n\ndef adapt():\n    BASE.clear()\n"}
    assert _in_code("settings.BASE", top="import settings", **files).strategy is Strategy.DDP


@pytest.mark.parametrize(
    "body",
    [
        "if path:\n    BASE['fp16']['enabled'] = False",
        "if path:\n    BASE['fp16'] = {'enabled': False}\nelse:\n    print('as it is')",
        "if path:\n    n = int(path)\n    BASE.update(fp16={'enabled': n > 1})",
        "if path:\n    BASE['fp16'].setdefault('auto_cast', True)\n    BASE.pop('fp16')",
        "if path:\n    del BASE['fp16']",
        "if path.a:\n    if path.b:\n        BASE['fp16']['x'] = 1\nelif path.c:\n    BASE['fp16'] = path",
        "if path is None:\n    raise ValueError(path)\nif path:\n    BASE['fp16'] = dict(enabled=True)",
    ],
)
def test_a_branch_leaves_alone_what_it_does_not_change(body):
    context = _in_code("BASE", body=body, top=COPIES)
    assert context.strategy is Strategy.ZERO3
    assert context.option("deepspeed.gradient_clipping").value is AUTO
    assert context.option("deepspeed.fp16.enabled").value is not True


@pytest.mark.parametrize(
    "body",
    [
        "if path:\n    zero = BASE['zero_optimization']\n    zero['stage'] = 0",
        "zero = {}\nif path:\n    zero = BASE['zero_optimization']\nzero['stage'] = 0",
        "other = {'a': {}}\nif path:\n    other['a'] = BASE\nother['a']['zero_optimization'] = {}",
        "if path:\n    BASE[path] = 0",
        "if path:\n    change(BASE)\n    BASE['fp16']['enabled'] = True",
        "if path:\n    BASE['fp16']['enabled'] = change(BASE)",
        "if change(BASE):\n    BASE['fp16']['enabled'] = True",
        "if path:\n    BASE['fp16']['enabled'] = (zero := BASE['zero_optimization'])\n    zero['stage'] = 0",
        "if path:\n    BASE['fp16'] = {}\n    for n in path:\n        BASE[n] = 0",
        "if path:\n    BASE.update(path)",
        "if path:\n    BASE['zero_optimization']['stage'] = 0",
        "if path:\n    BASE['zero_optimization'] = {'stage': 0}",
    ],
)
def test_a_branch_that_may_change_the_stage_decides_nothing(body):
    assert _in_code("BASE", top=COPIES).strategy is Strategy.ZERO3
    assert _in_code("BASE", body=body, top=COPIES).strategy is not Strategy.ZERO3


def test_a_parameter_hides_the_name_of_the_module():
    assert _in_code("path", top=f"path = {STAGE3}").strategy is Strategy.DDP


def test_what_comes_after_the_call_does_not_count():
    assert _in_code("s", body=f"s = {STAGE3}", top="def late():\n    s = 1").strategy is Strategy.ZERO3


def test_paths_by_variables_and_f_strings():
    files = {"conf/z3.json": ZERO3}
    assert _in_code("f'{folder}/z{n}.json'", body="folder = 'conf'\nn = 3", **files).configs == (
        "conf/z3.json",
    )
    assert _in_code("WHERE", top="WHERE = 'conf/' + 'z3.json'", **files).strategy is Strategy.ZERO3
    assert _in_code("f'{path}/z3.json'", **files).strategy is Strategy.DDP
