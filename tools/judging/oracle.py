"""Runs in an environment with DeepSpeed: reads cases from a file and writes what the libraries answer.

    python oracle.py CASES.json ANSWERS.jsonl

The libraries' own code parses the arguments (HfArgumentParser), reads the file, fills in "auto"
(HfTrainerDeepSpeedConfig) and judges it (DeepSpeedConfig). Pretended are only the ranks, and a GPU, without
which TrainingArguments refuses a precision for a reason that is none of the configuration's.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import tempfile
from importlib import import_module, metadata
from inspect import signature
from pathlib import Path
from typing import Any

MODEL_STEPS = 100  # steps of a run that max_steps does not limit
LONGEST = 400  # letters of an error that are kept
HALVES, ZERO = ("fp16", "bf16"), "zero_optimization"


class Asked(dict[str, object]):
    """A configuration that keeps which of its keys DeepSpeed has asked for."""

    def __init__(self, written: object = ()) -> None:
        super().__init__(written)  # type: ignore[call-overload]
        self.asked: set[str] = set()

    def __getitem__(self, key: str) -> object:
        self.asked.add(key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        self.asked.add(str(key))
        return super().__contains__(key)

    def get(self, key: str, default: object = None) -> object:
        self.asked.add(key)
        return super().get(key, default)

    def unread(self) -> list[str]:
        return [key for key in self if key not in self.asked]


class Ranks:
    """What DeepSpeed asks a model-parallel unit, for ranks that all have data of their own."""

    def __init__(self, count: int) -> None:
        self.count = count

    def get_data_parallel_world_size(self) -> int:
        return self.count


class Model:
    """The Trainer fills sizes in from it."""

    class config:
        hidden_size = 64


class Loop:
    """The Trainer, as far as choosing a schedule asks it."""

    def create_optimizer(self) -> object:
        return object()

    def create_scheduler(self, **_: object) -> object:
        return object()


def main(cases: str, answers: str) -> None:
    logging.disable(logging.CRITICAL)
    _pretend()
    every = json.loads(Path(cases).read_text(encoding="utf-8"))
    with Path(answers).open("w", encoding="utf-8") as out, tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for case in every:
            Path("ds.json").write_text(case["text"], encoding="utf-8")
            out.write(json.dumps({"name": case["name"], **_answer(case)}, sort_keys=True) + "\n")
            out.flush()


def _pretend() -> None:
    torch, arguments = import_module("torch"), import_module("transformers").training_args
    import_module("deepspeed.runtime.config").dist.get_rank = lambda *_: 0
    arguments.is_torch_bf16_gpu_available = lambda: True
    arguments.TrainingArguments.device = property(lambda _: torch.device("cuda"))


def _answer(case: Any) -> dict[str, object]:
    seen: dict[str, object] = {}
    try:
        (_by_trainer if case["loader"] == "trainer" else _by_deepspeed)(case, seen)
    except Exception as error:  # whatever stops a run is an answer
        return {"outcome": "rejects", "error": f"{type(error).__name__}: {_plain(str(error))}"}
    return {"outcome": "accepts", **seen}


def _plain(text: str) -> str:
    return " ".join(text.split())[:LONGEST]


def _by_trainer(case: Any, seen: dict[str, object]) -> None:
    transformers = import_module("transformers")
    integration = import_module("transformers.integrations.deepspeed")
    transformers.TrainingArguments.world_size = property(lambda _: case["ranks"])
    parser = transformers.HfArgumentParser(transformers.TrainingArguments)
    (args,) = parser.parse_args_into_dataclasses(list(case["flags"]))
    config = integration.HfTrainerDeepSpeedConfig("ds.json")
    config.trainer_config_process(args, *_searched(config, args))
    steps = args.max_steps if args.max_steps > 0 else MODEL_STEPS
    config.trainer_config_finalize(args, Model(), steps)
    _, schedule = integration.deepspeed_optim_sched(Loop(), config, args, steps, [])
    if "scheduler" in config.config and type(schedule).__name__ == "DummyScheduler":
        seen["schedule"] = _likeness(config.config["scheduler"], args, steps)
    seen["max_grad_norm"] = args.max_grad_norm
    _load(config.config, case["ranks"], seen)


def _searched(config: Any, args: Any) -> tuple[bool, ...]:
    """What the Trainer hands on since it can search for the batch size under DeepSpeed."""
    known = signature(config.trainer_config_process).parameters
    return (args.auto_find_batch_size,) if "auto_find_batch_size" in known else ()


def _likeness(written: dict[str, Any], args: Any, steps: int) -> str:
    """ "alike" when after the warm-up DeepSpeed's schedule gives the learning rates of the Trainer's, up to a
    twentieth of the peak; "unknown" where the warm-up never ends."""
    torch, schedules = import_module("torch"), import_module("deepspeed.runtime.lr_schedules")
    made = [torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=args.learning_rate) for _ in range(2)]
    warmup = args.get_warmup_steps(steps)
    hf = import_module("transformers").get_scheduler(args.lr_scheduler_type, made[0], warmup, steps)
    ds = getattr(schedules, written["type"])(made[1], **written["params"])
    curves: list[list[float]] = [[], []]
    for _ in range(steps - 1):
        for curve, optimizer, schedule in zip(curves, made, (hf, ds)):
            optimizer.step()
            schedule.step()
            curve.append(optimizer.param_groups[0]["lr"])
    after = list(zip(*curves))[warmup + 2 :]
    if not after:
        return "unknown"
    return "alike" if max(abs(a - b) for a, b in after) <= max(curves[0]) / 20 else "another"


def _by_deepspeed(case: Any, seen: dict[str, object]) -> None:
    config = import_module("deepspeed.runtime.config").DeepSpeedConfig
    config(
        "ds.json", mpu=Ranks(case["ranks"])
    )  # its own reader of files, which refuses keys that stand twice
    hjson = import_module("hjson")
    written = json.loads(hjson.dumpsJSON(hjson.loads(Path("ds.json").read_text(encoding="utf-8"))))
    _load(written, case["ranks"], seen)


def _load(written: dict[str, Any], ranks: int, seen: dict[str, object]) -> None:
    inner = {name: Asked(written[name]) for name in HALVES if isinstance(written.get(name), dict)}
    whole = Asked({**written, **inner})
    config = import_module("deepspeed.runtime.config").DeepSpeedConfig(whole, mpu=Ranks(ranks))
    zero = config.zero_config
    lost = [f"{ZERO}.{key}" for key in written.get(ZERO, {}) if key not in _fields(type(zero))]
    plain = {name: section for name, section in inner.items() if section.asked}  # else a model takes them all
    lost += [f"{name}.{key}" for name, section in plain.items() for key in section.unread()]
    seen["unread"] = sorted([*whole.unread(), *lost])
    seen["clipping"] = config.gradient_clipping
    seen["stage"] = config.zero_optimization_stage
    seen["overlap"] = bool(zero.overlap_comm)
    seen["gather"] = bool(zero.gather_16bit_weights_on_model_save)


def _fields(model: Any) -> set[str]:
    """The names and aliases of a pydantic model, of version 1 or 2."""
    fields = getattr(model, "model_fields", None) or model.__fields__
    return {*fields, *(field.alias for field in fields.values())}


def versions() -> dict[str, str]:
    return {name: metadata.version(name) for name in ("deepspeed", "transformers", "accelerate")}


if __name__ == "__main__":
    if sys.argv[1:] == ["--versions"]:
        print(json.dumps(versions()))
    else:
        main(*sys.argv[1:])
