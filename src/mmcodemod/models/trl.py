"""trl 0.7 to 0.2x: trainers that are transformers Trainers. Never run."""

from transformers import Trainer


class SFTTrainer(Trainer):
    pass


class DPOTrainer(Trainer):
    pass


class KTOTrainer(Trainer):
    pass


class RewardTrainer(Trainer):
    pass


class GRPOTrainer(Trainer):
    pass
