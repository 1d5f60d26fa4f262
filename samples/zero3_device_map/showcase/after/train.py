"""Trains on captions of tiles."""

from safetensors.torch import load_file
from transformers import HfArgumentParser, Trainer, TrainerCallback, TrainingArguments
from transformers.integrations import is_deepspeed_zero3_enabled

import diary
from data import Tiles
from model import Captioner

WATCHED = ("eye.weight", "model.embed_tokens.weight", "lm_head.weight")


class Diary(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kwargs):
        if "loss" in logs:
            diary.note(step=state.global_step, loss=logs["loss"])


def main():
    (args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()
    model = Captioner.from_pretrained("weights", device_map=None if is_deepspeed_zero3_enabled() else "auto")

    checkpoint = load_file("weights/model.safetensors")
    for name in WATCHED:
        diary.print_of("checkpoint", name, checkpoint[name])
    diary.weights("start", model, WATCHED)
    trainer = Trainer(model=model, args=args, train_dataset=Tiles(256), callbacks=[Diary()])
    trainer.train()
    diary.weights("end", model, WATCHED)
    diary.note(done="trained to name colours")


if __name__ == "__main__":
    main()
    diary.close()
