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
from importlib import metadata
from pathlib import Path

MODEL_STEPS = 100  # steps of a run that max_steps does not limit
HALVES = ("fp16", "bf16")


class Asked(dict):  # type: ignore[type-arg]
    """A configuration that keeps which of its keys DeepSpeed has asked for."""

    def __init__(self, written: object = ()) -> None:
        super().__init__(written)  # type: ignore[call-overload]
        self.asked: set[str] = set()

    def __getitem__(self, key):  # type: ignore[no-untyped-def]
        self.asked.add(key)
        return super().__getitem__(key)

    def __contains__(self, key):  # type: ignore[no-untyped-def]
        self.asked.add(key)
        return super().__contains__(key)

    def get(self, key, default=None):  # type: ignore[no-untyped-def]
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
    import deepspeed.runtime.config as deepspeed_config
    import torch
    from transformers import TrainingArguments, training_args

    deepspeed_config.dist.get_rank = lambda *_: 0
    training_args.is_torch_bf16_gpu_available = lambda: True
    TrainingArguments.device = property(lambda _: torch.device("cuda"))


def _answer(case: dict[str, object]) -> dict[str, object]:
    trainer = case["loader"] == "trainer"
    seen: dict[str, object] = {}
    try:
        (_by_trainer if trainer else _by_deepspeed)(case, seen)
    except Exception as error:  # whatever stops a run is an answer
        return {"outcome": "rejects", "error": f"{type(error).__name__}: {_plain(str(error))}"}
    return {"outcome": "accepts", **seen}


def _plain(text: str) -> str:
    return " ".join(text.split())[:400]


def _by_trainer(case: dict[str, object], seen: dict[str, object]) -> None:
    from transformers import HfArgumentParser, TrainingArguments
    from transformers.integrations.deepspeed import HfTrainerDeepSpeedConfig, deepspeed_optim_sched

    TrainingArguments.world_size = property(lambda _: case["ranks"])
    (args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses(list(case["flags"]))
    config = HfTrainerDeepSpeedConfig("ds.json")
    config.trainer_config_process(args, *_searched(args))
    steps = args.max_steps if args.max_steps > 0 else MODEL_STEPS
    config.trainer_config_finalize(args, Model(), steps)
    _, schedule = deepspeed_optim_sched(Loop(), config, args, steps, [])
    if "scheduler" in config.config and type(schedule).__name__ == "DummyScheduler":
        seen["schedule"] = _likeness(config.config["scheduler"], args, steps)
    seen["max_grad_norm"] = args.max_grad_norm
    _load(config.config, case, seen)


def _likeness(written: dict[str, object], args: object, steps: int) -> str:
    """"alike" when after the warm-up DeepSpeed's schedule gives the learning rates of the Trainer's, up to a
    twentieth of the peak."""
    import torch
    from deepspeed.runtime import lr_schedules
    from transformers import get_scheduler

    made = [torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=args.learning_rate) for _ in "12"]  # type: ignore[attr-defined]
    ours = get_scheduler(args.lr_scheduler_type, made[0], args.get_warmup_steps(steps), steps)  # type: ignore[attr-defined]
    theirs = getattr(lr_schedules, str(written["type"]))(made[1], **written["params"])  # type: ignore[operator]
    curves: list[list[float]] = [[], []]
    for _ in range(steps - 1):
        for curve, optimizer, schedule in zip(curves, made, (ours, theirs)):
            optimizer.step()
            schedule.step()
            curve.append(optimizer.param_groups[0]["lr"])
    after = args.get_warmup_steps(steps) + 2  # type: ignore[attr-defined]
    far = max(abs(a - b) for a, b in list(zip(*curves))[after:])
    return "alike" if far <= max(curves[0]) / 20 else "another"


def _searched(args: object) -> tuple[bool, ...]:
    """What the Trainer hands on since it can search for the batch size under DeepSpeed."""
    from inspect import signature

    from transformers.integrations.deepspeed import HfTrainerDeepSpeedConfig

    known = signature(HfTrainerDeepSpeedConfig.trainer_config_process).parameters
    return (args.auto_find_batch_size,) if "auto_find_batch_size" in known else ()  # type: ignore[attr-defined]


def _by_deepspeed(case: dict[str, object], seen: dict[str, object]) -> None:
    from deepspeed.runtime.config import DeepSpeedConfig

    DeepSpeedConfig("ds.json", mpu=Ranks(case["ranks"]))  # hjson, and keys that stand twice
    _load(_hjson("ds.json"), case, seen)


def _hjson(path: str) -> dict[str, object]:
    import hjson

    return json.loads(hjson.dumpsJSON(hjson.loads(Path(path).read_text(encoding="utf-8"))))  # type: ignore[no-any-return]


def _load(written: dict[str, object], case: dict[str, object], seen: dict[str, object]) -> None:
    from deepspeed.runtime.config import DeepSpeedConfig

    inner = {name: Asked(written[name]) for name in HALVES if isinstance(written.get(name), dict)}
    whole = Asked({**written, **inner})
    config = DeepSpeedConfig(whole, mpu=Ranks(case["ranks"]))
    zero = config.zero_config
    below = written.get("zero_optimization", {})
    lost = [f"zero_optimization.{key}" for key in below if key not in _fields(type(zero))]  # type: ignore[attr-defined]
    plain = {name: section for name, section in inner.items() if section.asked}  # else a model takes them all
    lost += [f"{name}.{key}" for name, section in plain.items() for key in section.unread()]
    seen["unread"] = sorted([*whole.unread(), *lost])
    seen["clipping"] = config.gradient_clipping
    seen["stage"] = config.zero_optimization_stage
    seen["overlap"] = bool(zero.overlap_comm)
    seen["gather"] = bool(zero.gather_16bit_weights_on_model_save)


def _fields(model: type) -> set[str]:
    """The names and aliases of a pydantic model, of version 1 or 2."""
    fields = getattr(model, "model_fields", None) or getattr(model, "__fields__")  # noqa: B009
    return {*fields, *(field.alias for field in fields.values())}


def versions() -> dict[str, str]:
    return {name: metadata.version(name) for name in ("deepspeed", "transformers", "accelerate")}


if __name__ == "__main__":
    if sys.argv[1:] == ["--versions"]:
        print(json.dumps(versions()))
    else:
        main(*sys.argv[1:])
