"""Supervised finetuning."""

import math

import torch
from transformers import Trainer, TrainerCallback

from foundry import diary
from foundry.data.collator import PictureCollator
from foundry.data.loader import Rows
from foundry.data.plugins import get_plugin
from foundry.model.loader import load_model


class Watch(TrainerCallback):
    """Ends a run that has nothing to lose any more."""

    def on_log(self, args, state, control, logs=None, **kwargs):
        if "loss" not in logs:
            return
        diary.note(step=state.global_step, loss=logs["loss"])
        if not math.isfinite(logs["loss"]):
            raise FloatingPointError(f"the loss of step {state.global_step} is {logs['loss']}")


def watched(model):
    """The projector, and the head of the language model."""
    names = [name for name, p in model.named_parameters() if p.requires_grad]
    return [n for n in names if n.endswith(("linear_1.weight", "linear_2.weight"))]


def run_sft(model_args, data_args, training_args, finetuning_args):
    torch.manual_seed(training_args.seed)
    model = load_model(model_args, finetuning_args)
    plugin = get_plugin(data_args.template or "default", model.config.image_token_index)
    trainer = Trainer(
        model=model,
        args=training_args,
        train_dataset=Rows(data_args.dataset, plugin, data_args.cutoff_len),
        data_collator=PictureCollator(plugin=plugin),
        callbacks=[Watch()],
    )
    diary.weights("start", model, watched(model))
    trainer.train()
    diary.weights("end", model, watched(model))
    diary.note(done="trained on text and pictures")
