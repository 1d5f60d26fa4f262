"""One generated configuration, who loads it, and the small tree that mmcodemod sees around it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

TRAINER, RAW = "trainer", "deepspeed"

TRAINS: Mapping[str, str] = {
    TRAINER: """\
from transformers import HfArgumentParser, Trainer, TrainingArguments

if __name__ == "__main__":
    (args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()
    trainer = Trainer(model=build(), args=args)
    trainer.train()
    trainer.save_model("out")
""",
    RAW: """\
import argparse

import deepspeed

if __name__ == "__main__":
    parser = deepspeed.add_config_arguments(argparse.ArgumentParser())
    engine, *_ = deepspeed.initialize(args=parser.parse_args(), model=build())
    for batch in data():
        engine.backward(engine(batch))
        engine.step()
    engine.save_16bit_model("out")
""",
}
FLAG: Mapping[str, str] = {TRAINER: "--deepspeed", RAW: "--deepspeed_config"}


@dataclass(frozen=True)
class Case:
    """`kind` says in words what was done to a usual configuration; `text` is the file as it is written."""

    name: str
    kind: str
    loader: str
    ranks: int
    text: str
    flags: tuple[str, ...] = field(default=())

    def record(self) -> dict[str, object]:
        return asdict(self)

    def tree(self, releases: Mapping[str, str]) -> dict[str, bytes]:
        """The files of a repository that launches it with these releases."""
        command = ["deepspeed", f"--num_gpus {self.ranks} train.py {FLAG[self.loader]} ds.json", *self.flags]
        pins = [f"{name}=={version}" for name, version in sorted(releases.items())]
        files = {
            "ds.json": self.text,
            "requirements.txt": "\n".join([*pins, ""]),
            "run.sh": " ".join(command) + "\n",
            "train.py": TRAINS[self.loader],
        }
        return {path: text.encode() for path, text in files.items()}


@dataclass
class Draft:
    """A configuration in the making. `slips` are done to its text in the end."""

    loader: str
    ranks: int
    config: dict[str, object]
    flags: dict[str, str] = field(default_factory=dict)
    slips: list[tuple[str, str]] = field(default_factory=list)

    def section(self, path: str) -> dict[str, object]:
        """The object below the keys of a dotted path, made where it is missing."""
        node = self.config
        for key in path.split("."):
            inner = node.setdefault(key, {})
            if not isinstance(inner, dict):
                inner = node[key] = {}
            node = inner
        return node

    def text(self) -> str:
        written = json.dumps(self.config, indent=2)
        for old, new in self.slips:
            written = written.replace(old, new, 1)
        return written + "\n"

    def arguments(self) -> tuple[str, ...]:
        return tuple(part for name, value in sorted(self.flags.items()) for part in (f"--{name}", value))
