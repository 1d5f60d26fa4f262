"""The Trainer with a loss over the answers alone, and what it tells on the way."""

import deepspeed
import torch.nn as nn
from transformers import Trainer, TrainerCallback

import diary


class AnswerTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        logits = outputs.logits[:, :-1].flatten(0, 1)
        loss = nn.functional.cross_entropy(logits, labels[:, 1:].flatten())
        return (loss, outputs) if return_outputs else loss


class Progress(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kwargs):
        if "loss" in logs:
            diary.note(step=state.global_step, loss=logs["loss"])

    def on_step_end(self, args, state, control, model=None, **kwargs):
        if state.global_step % 8:
            return
        asked = [p for name, p in model.named_parameters() if name.endswith("bridge.place")]
        # Every rank takes part in the gather, and one of them tells.
        with deepspeed.zero.GatheredParameters(asked):
            if state.is_world_process_zero:
                print(f"step {state.global_step}: the bridge asks with length {asked[0].norm():.2f}")
