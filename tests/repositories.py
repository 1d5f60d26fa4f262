"""Small repositories of git for tests, made by git itself: a training program in two versions."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

MODEL = """\
from torch import nn
from transformers import AutoModel, PreTrainedModel


class Describer(PreTrainedModel):
    def __init__(self, config):
        super().__init__(config)
        self.vision = AutoModel.from_config(config.vision_config)
        self.bridge = nn.Linear(config.vision_config.hidden_size, config.hidden_size)
        self.words = nn.Embedding(config.vocab_size, config.hidden_size)
        self.decoder = AutoModel.from_config(config.text_config)

    def encode_images(self, pixel_values):
        return self.bridge(self.vision(pixel_values).last_hidden_state)

    def forward(self, input_ids, pixel_values=None, labels=None):
        inputs_embeds = self.words(input_ids)
        if pixel_values is not None:
            features = self.encode_images(pixel_values)
            here = (input_ids == self.config.image_token_id).unsqueeze(-1)
            inputs_embeds = inputs_embeds.masked_scatter(here, features.to(inputs_embeds.dtype))
        return self.decoder(inputs_embeds=inputs_embeds, labels=labels)
"""
DATA = """\
from PIL import Image
from torch.utils.data import Dataset


class Captions(Dataset):
    def __init__(self, rows, processor):
        self.rows, self.processor = rows, processor

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        row = self.rows[index]
        item = dict(self.processor.tokenizer(row["text"]))
        if row.get("file"):
            item["pixel_values"] = self.processor.image_processor(Image.open(row["file"]))["pixel_values"][0]
        return item
"""
TRAIN = """\
from transformers import AutoProcessor, HfArgumentParser, Trainer, TrainingArguments

from data import Captions
from model import Describer


def train():
    (args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()
    processor = AutoProcessor.from_pretrained("some/processor")
    model = Describer.from_pretrained("some/describer")
    Trainer(model=model, args=args, train_dataset=Captions([], processor)).train()


if __name__ == "__main__":
    train()
"""
JSON = """\
{
  "gradient_clipping": "auto",
  "train_micro_batch_size_per_gpu": "auto",
  "zero_optimization": {
    "stage": 2
  }
}
"""
RUN = "deepspeed train.py --deepspeed zero.json --output_dir out\n"

SOUND = {"model.py": MODEL, "data.py": DATA, "train.py": TRAIN, "zero.json": JSON, "run.sh": RUN}
"""A repository without a loud finding: what skips the encoder is harmless under ZeRO-2."""

STAGE3 = JSON.replace('"stage": 2', '"stage": 3')


@dataclass(frozen=True)
class Repository:
    """A repository in a folder, which git has never seen the user's configuration of."""

    root: Path

    @staticmethod
    def made(root: Path, files: Mapping[str, str | bytes] = SOUND) -> Repository:
        """A new one with one commit on `main`."""
        root.mkdir(parents=True, exist_ok=True)
        made = Repository(root)
        made.git("init", "-q", "-b", "main")
        made.commit(files)
        return made

    def git(self, *arguments: str, given: bytes = b"") -> str:
        """What a git command prints."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        person = {f"GIT_{who}_{what}": f"tester@{what}.test" for who in ("AUTHOR", "COMMITTER")
                  for what in ("NAME", "EMAIL")}  # fmt: skip
        env = {**kept, **person, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        command = ["git", "-C", str(self.root), *arguments]
        return subprocess.run(command, input=given, capture_output=True, check=True, env=env).stdout.decode(
            "utf-8", "surrogateescape"
        )

    def write(self, files: Mapping[str, str | bytes | None]) -> None:
        """Write files, or remove those that are None."""
        for path, content in files.items():
            file = self.root / path
            if content is None:
                file.unlink()
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode() if isinstance(content, str) else content)

    def commit(self, files: Mapping[str, str | bytes | None]) -> str:
        """Write files and commit all that is there; the name of the commit."""
        self.write(files)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "change")
        return self.git("rev-parse", "HEAD").strip()
