"""trl: trainers that are transformers Trainers, with what they call besides.

Source: https://huggingface.co/docs/trl/index; ModelConfig: trl/trainer/model_config.py (read in 0.27.0, 0.29.0 and
of 2024).
"""

from dataclasses import dataclass

from transformers import HfArgumentParser, Trainer

VERSIONS = "trl>=0.7,<2"
HOMES = ("trl.*",)


class TrlParser(HfArgumentParser):
    def parse_args_and_config(self, args=None, *others, **kwargs):
        return self.parse_args_into_dataclasses()


@dataclass
class ModelConfig:
    model_name_or_path: str | None = None
    use_peft: bool = False
    load_in_8bit: bool = False
    load_in_4bit: bool = False


class SFTTrainer(Trainer):
    def __init__(self, model=None, args=None, data_collator=None, train_dataset=None, **kwargs):
        self.formatting_func = kwargs["formatting_func"]
        super().__init__(model, args, data_collator, train_dataset, **kwargs)
        self.formatting_func(train_dataset)


class RewardTrainer(Trainer):
    pass


class KTOTrainer(Trainer):
    def __init__(self, model=None, ref_model=None, args=None, *others, train_dataset=None, **kwargs):
        self.ref_model = ref_model
        super().__init__(model, args, train_dataset=train_dataset, **kwargs)

    def compute_loss(self, model, inputs, *args, **kwargs):
        self.ref_model(inputs)
        return super().compute_loss(model, inputs)


class DPOTrainer(Trainer):
    def __init__(self, model=None, ref_model=None, args=None, data_collator=None, **kwargs):
        self.ref_model = ref_model
        super().__init__(model, args, data_collator, **kwargs)

    def compute_loss(self, model, inputs, *args, **kwargs):
        self.ref_model(inputs)
        return super().compute_loss(model, inputs)


class GRPOTrainer(Trainer):
    def __init__(self, model, reward_funcs=None, args=None, train_dataset=None, **kwargs):
        self.reward_funcs = reward_funcs
        super().__init__(model, args, train_dataset=train_dataset, **kwargs)

    def _prepare_inputs(self, generation_batch):
        self._generate_and_score_completions(generation_batch)

    def _generate_and_score_completions(self, inputs):
        self.reward_funcs(inputs)
        for reward_func in self.reward_funcs:
            reward_func(inputs)


class RLOOTrainer(GRPOTrainer):
    pass


class PPOTrainer(Trainer):
    def __init__(self, *args, **kwargs):
        super().__init__(kwargs["model"], data_collator=kwargs["data_collator"])
