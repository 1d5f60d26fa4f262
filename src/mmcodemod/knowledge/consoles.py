"""Training programs that libraries install: their commands, what these run, and what the libraries ship.

`model` is the file of the framework model (`models/`) whose function stands for the program. Only commands
that train are named: every other one makes no run. Sources, read in the packages of the versions given
there:

- llamafactory 0.9.5: launcher.py (`launch`: `train` starts torchrun itself where FORCE_TORCHRUN is set or
  there are several devices), hparams/parser.py (`read_args`: a YAML or JSON file first, then `key=value`).
- axolotl 0.19.0: cli/main.py (`train`: `--launcher` is accelerate unless given), cli/utils/train.py (the
  options that are handed to accelerate), core/builders/base.py (the names of the arguments),
  cli/utils/fetch.py and the folder deepspeed_configs of its repository, which `axolotl fetch
  deepspeed_configs` copies.
- trl 1.16.0: cli/commands (`get_commands`, `TrainingCommand`: accelerate starts the script, and takes what
  the script's parser leaves), cli/accelerate_config.py and accelerate_configs/*.yaml.
- ms-swift 4.6.0: cli/main.py (`ROUTE_MAPPING`, `use_torchrun`: NPROC_PER_NODE or NNODES;
  `parse_yaml_args`), config/*.json and arguments/sft_args.py (`_init_deepspeed`).
- xtuner 0.2.0: entry_point.py (`cli`: torchrun where NPROC_PER_NODE or NNODES is more than 1),
  tools/train.py and configs/deepspeed/*.json.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Value = str | int | bool
Preset = Mapping[str, Value]


@dataclass(frozen=True)
class Console:
    """`library` as it is named in an index of packages, `package` as it is imported. `names`: commands that
    the library installs; `commands`: their first word where they train, and `modules`: dotted modules that
    train, with the function of `model` that they run ("" for a module that takes a command). `accelerate`:
    the commands start accelerate. `overrides`: `key=value` sets an argument. `leaves`: it makes blocks of
    experts leaf modules itself under ZeRO-3. `each_device`: it starts a process for each visible device
    itself. `renamed`: keys of the configuration, by the name of the argument that they fill. `presets`:
    DeepSpeed configurations that the library brings, and `launches`: such configurations of accelerate,
    with what they set. `marks`: the keys at the top of a configuration that nothing launches, all of the
    first group and one of the second."""

    library: str
    package: str
    model: str
    names: tuple[str, ...]
    commands: Mapping[str, str]
    modules: Mapping[str, str] = field(default_factory=dict)
    accelerate: bool = False
    overrides: bool = False
    leaves: bool = False
    each_device: bool = False
    renamed: Mapping[str, str] = field(default_factory=dict)
    presets: Mapping[str, Preset] = field(default_factory=dict)
    launches: Mapping[str, Preset] = field(default_factory=dict)
    marks: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())


_ZERO = "deepspeed.zero_optimization."


def _zero(stage: int, optimizer: bool = False, parameters: bool = False) -> Preset:
    """What a DeepSpeed configuration sets: all that these libraries bring clip "auto" and, under stage 3,
    gather the weights that are saved."""
    found: dict[str, Value] = {f"{_ZERO}stage": stage, "deepspeed.gradient_clipping": "auto"}
    if optimizer:
        found[f"{_ZERO}offload_optimizer.device"] = "cpu"
    if parameters:
        found[f"{_ZERO}offload_param.device"] = "cpu"
    if stage == 3:
        found[f"{_ZERO}stage3_gather_16bit_weights_on_model_save"] = True
    return found


LLAMAFACTORY = Console(
    library="llamafactory",
    package="llamafactory",
    model="llamafactory__train__tuner.py",
    names=("llamafactory-cli", "lmf"),
    commands={"train": "run_exp"},
    modules={"llamafactory.cli": "", "llamafactory.launcher": "run_exp"},
    overrides=True,
    each_device=True,
    leaves=True,  # model/model_utils/moe.py, `add_z3_leaf_module`
    marks=(("stage",), ("do_train", "finetuning_type")),
)
AXOLOTL = Console(
    library="axolotl",
    package="axolotl",
    model="axolotl__cli__train.py",
    names=("axolotl",),
    commands={"train": "do_train"},
    modules={"axolotl.cli.train": "do_train", "axolotl.cli.main": ""},
    accelerate=True,
    leaves=True,  # loaders/model.py, `_set_z3_leaf_modules`
    renamed={
        "micro_batch_size": "per_device_train_batch_size",
        "eval_batch_size": "per_device_eval_batch_size",
        "num_epochs": "num_train_epochs",
        "lr_scheduler": "lr_scheduler_type",
        "optimizer": "optim",
        "fsdp_version": "fsdp_config.fsdp_version",
    },
    presets={
        "deepspeed_configs/zero1.json": _zero(1),
        "deepspeed_configs/zero1_torch_compile.json": _zero(1),
        "deepspeed_configs/zero2.json": _zero(2, optimizer=True),
        "deepspeed_configs/zero2_torch_compile.json": _zero(2, optimizer=True),
        "deepspeed_configs/zero3.json": _zero(3),
        "deepspeed_configs/zero3_bf16.json": _zero(3),
        "deepspeed_configs/zero3_bf16_cpuoffload_all.json": _zero(3, optimizer=True, parameters=True),
        "deepspeed_configs/zero3_bf16_cpuoffload_params.json": _zero(3, parameters=True),
    },
    marks=(("base_model",), ("datasets", "adapter", "micro_batch_size")),
)
TRL = Console(
    library="trl",
    package="trl",
    model="trl__scripts.py",
    names=("trl",),
    commands={name: f"_{name}" for name in ("sft", "dpo", "kto", "grpo", "rloo", "reward")},
    modules={
        "trl.cli": "",
        **{f"trl.scripts.{name}": f"_{name}" for name in ("sft", "dpo", "kto", "grpo", "rloo", "reward")},
    },
    accelerate=True,
    launches={
        **{f"zero{stage}": {f"{_ZERO}stage": stage} for stage in (1, 2)},
        "zero3": {f"{_ZERO}stage": 3, f"{_ZERO}stage3_gather_16bit_weights_on_model_save": True},
        "fsdp1": {"accelerate.distributed_type": "FSDP"},
        "fsdp2": {"accelerate.distributed_type": "FSDP", "accelerate.fsdp_config.fsdp_version": 2},
        "multi_gpu": {"accelerate.distributed_type": "MULTI_GPU"},
        "single_gpu": {"accelerate.distributed_type": "NO"},
    },
    marks=(("model_name_or_path", "dataset_name"), ()),
)
SWIFT = Console(
    library="ms-swift",
    package="swift",
    model="swift__pipelines.py",
    names=("swift",),
    commands={"sft": "sft_main", "pt": "pretrain_main", "rlhf": "rlhf_main"},
    modules={
        "swift.cli.main": "",
        "swift.cli.sft": "sft_main",
        "swift.cli.pt": "pretrain_main",
        "swift.cli.rlhf": "rlhf_main",
    },
    leaves=True,  # model/register.py, `_deepspeed_set_z3_leaf_modules`
    presets={
        "zero0": _zero(0),
        "zero1": _zero(1),
        "zero2": _zero(2),
        "zero2_offload": _zero(2, optimizer=True),
        "zero3": _zero(3),
        "zero3_offload": _zero(3, optimizer=True, parameters=True),
    },
)
XTUNER = Console(
    library="xtuner",
    package="xtuner",
    model="xtuner__tools__train.py",
    names=("xtuner",),
    commands={"train": "main"},
    modules={"xtuner.tools.train": "main"},
    presets={
        "deepspeed_zero1": _zero(1),
        "deepspeed_zero2": _zero(2),
        "deepspeed_zero2_offload": _zero(2, optimizer=True),
        "deepspeed_zero3": _zero(3),
        "deepspeed_zero3_offload": _zero(3, optimizer=True, parameters=True),
    },
)

CONSOLES = (LLAMAFACTORY, AXOLOTL, TRL, SWIFT, XTUNER)
BY_NAME = {name: console for console in CONSOLES for name in console.names}
BY_MODULE = {module: console for console in CONSOLES for module in console.modules}
LEAVES = frozenset(console.library for console in CONSOLES if console.leaves)
MODELS = frozenset(console.model for console in CONSOLES)
