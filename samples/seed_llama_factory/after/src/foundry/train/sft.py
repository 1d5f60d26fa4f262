"""Supervised finetuning."""

import math

import torch
from transformers import Trainer, TrainerCallback

from foundry import diary
from foundry.data.collator import PictureCollator
from foundry.data.loader import Rows
from foundry.data.plugins import get_plugin
from foundry.model.loader import load_model


WATCHED = ("multi_modal_projector.linear_1.weight", "multi_modal_projector.linear_2.weight")


class Watch(TrainerCallback):
    """Ends a run that has nothing to lose any more."""

    def on_log(self, args, state, control, logs=None, **kwargs):
        if "loss" not in logs:
            return
        diary.note(step=state.global_step, loss=logs["loss"])
        if not math.isfinite(logs["loss"]):
            raise FloatingPointError(f"the loss of step {state.global_step} is {logs['loss']}")


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
    diary.weights("start", model, WATCHED)
    trainer.train()
    diary.weights("end", model, WATCHED)
    diary.note(done="trained on text and pictures")
