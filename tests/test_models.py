"""Framework models: their form, their agreement with installed libraries, and what they make reachable."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from mmcodemod.model.context import Entry
from mmcodemod.pipeline import build_project
from mmcodemod.project.stubs import MODELS
from mmcodemod.source.tree import text_tree

FOLDER = Path(__file__).parents[1] / "src" / "mmcodemod" / "models"
STUBS = sorted(FOLDER.glob("*.py"))
INTRINSICS = {"collective", "rank", "instances", "opaque"}
PYTHON = os.environ.get("MMCODEMOD_STUBS_PYTHON", sys.executable)

each_stub = pytest.mark.parametrize("stub", STUBS, ids=lambda f: f.stem)


def _tree(stub: Path) -> ast.Module:
    return ast.parse(stub.read_text(encoding="utf-8"))


def _constant(tree: ast.Module, name: str):
    found = [s for s in tree.body if isinstance(s, ast.Assign) and s.targets[0].id == name]
    return ast.literal_eval(found[0].value) if found else None


# -- form -------------------------------------------------------------------------------------------------


@each_stub
def test_a_model_says_which_versions_it_stands_for_and_where_that_is_written(stub):
    tree = _tree(stub)
    library = stub.stem.partition("__")[0]
    assert re.fullmatch(rf"{library}>=\d[\d.]*,<\d[\d.]*", _constant(tree, "VERSIONS"))
    assert re.search(r"\n\nSource: .*\S", ast.get_docstring(tree))
    assert all(home.partition(".")[0] == library for home in _constant(tree, "HOMES") or ())


@each_stub
def test_a_model_is_definitions_alone(stub):
    allowed = (ast.Import, ast.ImportFrom, ast.Assign, ast.ClassDef, ast.FunctionDef)
    assert not [s.lineno for s in _tree(stub).body[1:] if not isinstance(s, allowed)]


@each_stub
def test_a_model_says_only_the_words_that_the_project_understands(stub):
    said = [
        alias.name
        for node in ast.walk(_tree(stub))
        if isinstance(node, ast.ImportFrom) and node.module == "mmcodemod_intrinsics"
        for alias in node.names
    ]
    assert set(said) <= INTRINSICS


# -- signatures ---------------------------------------------------------------------------------------------


def _specs(stub: Path) -> list[list[object]]:
    """[module, qualified name, positional names, keyword-only names] of every function of a model."""
    module = stub.stem.replace("__", ".")
    found = []
    for node in _tree(stub).body:
        inside = node.body if isinstance(node, ast.ClassDef) else [node]
        for function in inside:
            if isinstance(function, ast.FunctionDef) and function.name not in ("__getattr__", "__iter__"):
                prefix = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
                found.append([module, f"{prefix}{function.name}", *_names(function)])
    return [spec for spec in found if not spec[1].startswith("_")]


def _names(function: ast.FunctionDef) -> tuple[list[str], list[str]]:
    args = function.args
    return [a.arg for a in (*args.posonlyargs, *args.args)], [a.arg for a in args.kwonlyargs]


def _importable(library: str) -> bool:
    code = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({library!r}) is None)"
    return not subprocess.run([PYTHON, "-c", code], capture_output=True, check=False).returncode


@each_stub
def test_parameters_agree_with_the_installed_library(stub):
    """Names that the installed version lacks are allowed, as models span versions; a third must be there."""
    library, specs = stub.stem.partition("__")[0], _specs(stub)
    if not specs:
        pytest.skip("defines no function that the library names")
    if not _importable(library):
        pytest.skip(f"{library} is not installed for {PYTHON} (set MMCODEMOD_STUBS_PYTHON)")
    script = Path(__file__).with_name("stub_signatures.py")
    done = subprocess.run(
        [PYTHON, str(script)], input=json.dumps(specs), capture_output=True, text=True, check=True
    )
    result = json.loads(done.stdout.splitlines()[-1])
    print(f"{stub.stem}: {result}")
    assert result["problems"] == []
    assert result["checked"] * 3 >= len(specs), result["absent"]


# -- what they make reachable -------------------------------------------------------------------------------


def project_of(text: str, **files: str):
    texts = {f"{name}.py": textwrap.dedent(body) for name, body in {"train": text, **files}.items()}
    return build_project(text_tree({**texts, "run.sh": "torchrun --nproc_per_node 2 train.py\n"}))


def reached(project, path: str = "train.py") -> set[str]:
    """Names of what a script reaches, in its own file."""
    found = project.reach(Entry(path)).functions
    return {f.partition("::")[2] for f in found if f.startswith(f"{path}::")}


def called(project, caller: str) -> set[str]:
    """Library names of what a function of train.py calls."""
    return {
        call.name
        for frame, calls in project.graph.external.items()
        if frame.function == f"train.py::{caller}"
        for call in calls
    }


LOADING = """
    from torch.utils.data import DataLoader, Dataset, Sampler

    class Data(Dataset):
        def __getitem__(self, i):
            return i

    class Order(Sampler):
        def __iter__(self):
            return iter([0])

    def collate(samples):
        return samples
"""
LOADED = {"Data.__getitem__", "Order.__iter__", "collate"}
NET = """
    from torch import nn

    class Net(nn.Module):
        def forward(self, x):
            return self.part(x)

        def part(self, x):
            return x
"""


def script(*parts: str, main: str) -> str:
    """A script that trains: only then is the graph built from its entry."""
    body = "".join(textwrap.dedent(p) for p in parts)
    main = textwrap.indent(textwrap.dedent(main).strip(), "    ")
    return (
        f"{body}\n\ndef main(loss):\n{main}\n    loss.backward()\n\nif __name__ == '__main__':\n    main(1)\n"
    )


def test_a_loader_asks_its_sampler_its_dataset_and_its_collate_function():
    text = script(LOADING, main="DataLoader(Data(), sampler=Order(), collate_fn=collate)")
    assert reached(project_of(text)) >= LOADED


def test_loaders_of_two_scripts_do_not_share_what_they_were_given():
    other = script(LOADING, main="DataLoader(Data(), sampler=Order(), collate_fn=collate)")
    text = script(
        "from torch.utils.data import DataLoader\ndef mine(samples):\n    return samples\n",
        main="DataLoader([1], collate_fn=mine)",
    )
    project = project_of(text, other=other)
    functions = project.reach(Entry("train.py")).functions
    assert "train.py::mine" in functions
    assert "other.py::collate" not in functions
    assert "train.py::mine" not in project.reach(Entry("other.py")).functions


def test_a_call_of_a_module_runs_its_hooks_and_forward():
    text = script(
        NET,
        "def before(module, args):\n    pass\ndef after(module, args, output):\n    pass\n",
        main="""
            net = Net()
            net.register_forward_pre_hook(before)
            net.register_forward_hook(after)
            net(1)
        """,
    )
    assert reached(project_of(text)) >= {"Net.forward", "Net.part", "before", "after"}


@pytest.mark.parametrize(
    ("made", "run"),
    [
        ("nn.Sequential(Net(), Other())", "layers(1)"),
        ("nn.ModuleList([Net(), Other()])", "for layer in layers:\n    layer(1)"),
        ("nn.ModuleList([Net(), Other()])", "layers[i](1)"),
        ("nn.ModuleDict({'a': Net(), 'b': Other()})", "layers[i](1)"),
    ],
)
def test_containers_keep_their_children(made, run):
    other = "class Other(nn.Module):\n    def forward(self, x):\n        return x\n"
    text = script(NET, other, main=f"i = 0\nlayers = {made}\n{run}")
    assert reached(project_of(text)) >= {"Net.forward", "Other.forward"}


def test_two_containers_do_not_share_their_children():
    other = "class Other(nn.Module):\n    def forward(self, x):\n        return x\n"
    text = script(NET, other, main="a = nn.Sequential(Net())\nb = nn.Sequential(Other())\nb(1)")
    assert reached(project_of(text)) >= {"Other.forward"}
    assert "Net.forward" not in reached(project_of(text))


@pytest.mark.parametrize(
    ("library", "wrapped"),
    [
        ("from torch.nn.parallel import DistributedDataParallel as W", "W(Net())"),
        ("from torch.nn import DataParallel as W", "W(Net())"),
        ("from torch.distributed.fsdp import FullyShardedDataParallel as W", "W(module=Net())"),
        ("import torch", "torch.compile(Net())"),
        ("from peft import get_peft_model as W", "W(Net(), None)"),
        ("from peft import PeftModel", "PeftModel.from_pretrained(Net(), 'adapter')"),
        ("import deepspeed", "deepspeed.initialize(model=Net())[0]"),
        ("import deepspeed", "deepspeed.init_inference(Net())"),
        ("from accelerate import Accelerator", "Accelerator().prepare(Net())"),
        ("from accelerate import Accelerator", "Accelerator().prepare(Net(), None)[0]"),
        ("from lightning.fabric import Fabric", "Fabric().setup(Net())"),
    ],
)
def test_a_wrapper_runs_what_it_wraps(library, wrapped):
    text = script(NET, library + "\n", main=f"model = {wrapped}\nmodel(1)")
    project = project_of(text)
    assert reached(project) >= {"Net.forward", "Net.part"}
    edges = [e for f, out in project.graph.edges.items() if f.function == "train.py::main" for e in out]
    assert "train.py::Net.forward" in {e.callee.function for e in edges}, "the wrapper is not in between"


@pytest.mark.parametrize("member", ["model.module.part(1)", "model.part(1)"])
def test_an_engine_looks_like_its_module(member):
    text = script(NET, main=f"import deepspeed\nmodel, *_ = deepspeed.initialize(model=Net())\n{member}")
    assert reached(project_of(text)) >= {"Net.part"}


def test_a_wrapper_that_may_wrap_itself_ends():
    text = script(
        NET,
        "from torch.nn.parallel import DistributedDataParallel as W\n",
        main="model = Net()\nfor _ in range(2):\n    model = W(model)\nmodel(1)",
    )
    assert reached(project_of(text)) >= {"Net.forward"}


def test_what_one_caller_wraps_does_not_reach_another():
    text = script(
        NET,
        "class Other(nn.Module):\n    def forward(self, x):\n        return x\n",
        "from peft import get_peft_model\n",
        main="a = get_peft_model(Net(), None)\nb = get_peft_model(Other(), None)\nb(1)",
    )
    assert "Net.forward" not in reached(project_of(text))


@pytest.mark.parametrize("use", ["checkpoint(run, 1)", "checkpoint(Net().part, 1, use_reentrant=False)"])
def test_checkpointing_runs_its_function(use):
    text = script(
        NET,
        "from torch.utils.checkpoint import checkpoint\ndef run(x):\n    return Net().part(x)\n",
        main=use,
    )
    assert "Net.part" in reached(project_of(text))


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("import torch.distributed as dist\ndist.all_reduce(x)", "torch.distributed.all_reduce"),
        ("from torch import distributed\ndistributed.barrier()", "torch.distributed.barrier"),
        ("from torch.distributed import all_gather\nall_gather([], x)", "torch.distributed.all_gather"),
        (
            "from accelerate import Accelerator\nAccelerator().wait_for_everyone()",
            "accelerate.Accelerator().wait_for_everyone",
        ),
        ("import deepspeed\ndeepspeed.init_distributed()", "deepspeed.init_distributed"),
    ],
)
def test_collectives_are_functions_with_a_marker(code, name):
    project = project_of(script(main=f"x = 1\n{code}"))
    assert name in called(project, "main")
    marked = [f for f, calls in project.graph.external.items() if calls[0].name.endswith(".collective")]
    assert name.rpartition(".")[2] in {f.function.rpartition("::")[2].rpartition(".")[2] for f in marked}


TRAINED = script(
    NET,
    LOADING,
    """
    import transformers
    from transformers.trainer import Trainer

    class Told(transformers.TrainerCallback):
        def on_step_end(self, args, state, control, **kwargs):
            told()

    def told():
        pass

    def metrics(predictions):
        return {}

    class Mine(Trainer):
        def _get_train_sampler(self, dataset=None):
            return Order()

        def compute_loss(self, model, inputs, **kwargs):
            return model(**inputs)

        def _save_checkpoint(self, model, trial):
            pass
    """,
    main="""
        Mine(
            model=Net(),
            data_collator=collate,
            train_dataset=Data(),
            callbacks=[Told()],
            compute_metrics=metrics,
        ).train()
    """,
)


def test_the_trainer_calls_hooks_callbacks_loader_and_model():
    wanted = {"Mine._get_train_sampler", "Mine.compute_loss", "Mine._save_checkpoint", "Net.forward"}
    assert reached(project_of(TRAINED)) >= wanted | LOADED | {"Told.on_step_end", "told", "metrics"}


def test_an_argument_parser_gives_objects_of_its_dataclasses_in_order():
    text = script(
        """
        from dataclasses import dataclass
        from transformers import HfArgumentParser

        @dataclass
        class A:
            def run(self):
                pass

        @dataclass
        class B:
            def __post_init__(self):
                pass

            def run(self):
                pass
        """,
        main="""
            parser = HfArgumentParser((A, B))
            a, b = parser.parse_args_into_dataclasses()
            b.run()
        """,
    )
    found = reached(project_of(text))
    assert found >= {"B.run", "B.__post_init__"}
    assert "A.run" not in found


def test_an_auto_class_builds_what_was_registered():
    text = script(
        """
        from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedModel

        class Net(PreTrainedModel):
            def __init__(self, config):
                pass

            def forward(self, x):
                return x

        AutoModelForCausalLM.register(AutoConfig, Net)
        """,
        main="AutoModelForCausalLM.from_pretrained('net')(1)",
    )
    project = project_of(text)
    assert reached(project) >= {"Net.__init__", "Net.forward"}
    assert "transformers.AutoModelForCausalLM.from_pretrained" in called(project, "main")


@pytest.mark.parametrize("base", ["MistralForCausalLM", "models.clip.CLIPModel", "LlavaPreTrainedModel"])
def test_model_classes_without_a_model_of_their_own_extend_pretrained_model(base):
    text = script(
        f"""
        import transformers

        class Net(transformers.{base}):
            def __init__(self, config):
                super().__init__(config)
                self.post_init()

            def _init_weights(self, module):
                pass

            def forward(self, images):
                return super().forward(images)
        """,
        main="Net(None).generate()",
    )
    project = project_of(text)
    assert reached(project) >= {"Net._init_weights", "Net.forward"}
    outside = {o.name for calls in project.graph.external.values() for o in calls}
    assert f"transformers.{base}.forward" in outside
    assert f"transformers.{base}.__init__" in outside


def test_classes_of_transformers_that_are_no_models_extend_nothing():
    text = script(
        "from transformers import CLIPConfig",
        """
        class Config(CLIPConfig):
            def forward(self):
                pass
        """,
        main="Config().generate()",
    )
    assert "Config.forward" not in reached(project_of(text))


@pytest.mark.parametrize(
    "trainer", ["SFTTrainer", "DPOTrainer", "GRPOTrainer", "RewardTrainer", "KTOTrainer"]
)
def test_trainers_of_trl_are_trainers(trainer):
    made = f"trl.{trainer}(model=Net(), train_dataset=Data(), data_collator=collate)"
    main = f"import trl\n{made}.train()"
    assert reached(project_of(script(NET, LOADING, main=main))) >= {"Net.forward", "Data.__getitem__"}


@pytest.mark.parametrize("library", ["lightning", "lightning.pytorch", "pytorch_lightning"])
def test_fit_calls_the_hooks_of_module_data_and_callbacks(library):
    text = script(
        LOADING,
        f"import {library} as pl\n",
        """
        class Net(pl.LightningModule):
            def forward(self, x):
                return x

            def training_step(self, batch, batch_idx):
                return self(batch)

            def validation_step(self, batch, batch_idx):
                pass

            def on_before_optimizer_step(self, optimizer):
                pass

        class Parts(pl.LightningDataModule):
            def setup(self, stage):
                pass

            def train_dataloader(self):
                return DataLoader(Data(), sampler=Order(), collate_fn=collate)

        class Told(pl.Callback):
            def on_train_epoch_end(self, trainer, module):
                pass
        """,
        main="pl.Trainer(callbacks=[Told()]).fit(Net(), datamodule=Parts())",
    )
    wanted = {"Net.training_step", "Net.forward", "Net.validation_step", "Net.on_before_optimizer_step"}
    wanted |= {"Parts.setup", "Parts.train_dataloader", "Told.on_train_epoch_end"}
    assert reached(project_of(text)) >= wanted | LOADED


def test_a_runner_calls_hooks_by_name_and_the_training_step():
    text = script(
        LOADING,
        """
        from mmengine.hooks import Hook
        from mmengine.model import BaseModel
        from mmengine.runner import Runner

        class Net(BaseModel):
            def forward(self, inputs, mode="tensor"):
                return inputs

        class Told(Hook):
            def _before_iter(self, runner, batch_idx, data_batch=None, mode="train"):
                pass
        """,
        main="""
            loader = DataLoader(Data(), sampler=Order(), collate_fn=collate)
            Runner(model=Net(), work_dir="out", train_dataloader=loader, custom_hooks=[Told()]).train()
        """,
    )
    assert reached(project_of(text)) >= {"Net.forward", "Told._before_iter"} | LOADED


def test_the_trees_own_package_wins():
    text = script(main="from transformers import Trainer\nTrainer().train()")
    package = "class Trainer:\n    def train(self):\n        pass\n"
    project = build_project(text_tree({"train.py": text, "transformers/__init__.py": package}))
    functions = project.reach(Entry("train.py")).functions
    assert "transformers/__init__.py::Trainer.train" in functions
    assert not [f for f in functions if f.startswith(MODELS)]


def test_models_are_read_only_where_the_tree_imports_the_library():
    project = project_of(script(main="import torch\ntorch.compile(None)"))
    loaded = {
        path.rpartition("/")[2].partition(".")[0] for path in project.index.files if path.startswith(MODELS)
    }
    assert "torch" in loaded
    assert {name.partition("__")[0] for name in loaded} == {"torch"}
