"""trl.scripts: what `trl sft` and its sisters run in each process.

Source: trl 1.16.0, cli/commands/__init__.py (`get_commands`), cli/commands/training.py (`TrainingCommand`),
scripts/sft.py, scripts/dpo.py and others (`main`: the trainer trains, then `save_model`).
"""

from trl import (
    DPOConfig, DPOTrainer, GRPOConfig, GRPOTrainer, KTOConfig, KTOTrainer, RewardConfig, RewardTrainer, RLOOConfig,
    RLOOTrainer, SFTConfig, SFTTrainer, TrlParser
)

VERSIONS = "trl>=0.8,<2"


def _sft():
    parser = TrlParser((SFTConfig,))
    (training_args,) = parser.parse_args_and_config()
    trainer = SFTTrainer(None, training_args)
    trainer.train()
    trainer.save_model()


def _dpo():
    parser = TrlParser((DPOConfig,))
    (training_args,) = parser.parse_args_and_config()
    trainer = DPOTrainer(None, None, training_args)
    trainer.train()
    trainer.save_model()


def _kto():
    parser = TrlParser((KTOConfig,))
    (training_args,) = parser.parse_args_and_config()
    trainer = KTOTrainer(None, None, training_args)
    trainer.train()
    trainer.save_model()


def _grpo():
    parser = TrlParser((GRPOConfig,))
    (training_args,) = parser.parse_args_and_config()
    trainer = GRPOTrainer(None, None, training_args)
    trainer.train()
    trainer.save_model()


def _rloo():
    parser = TrlParser((RLOOConfig,))
    (training_args,) = parser.parse_args_and_config()
    trainer = RLOOTrainer(None, None, training_args)
    trainer.train()
    trainer.save_model()


def _reward():
    parser = TrlParser((RewardConfig,))
    (training_args,) = parser.parse_args_and_config()
    trainer = RewardTrainer(None, training_args)
    trainer.train()
    trainer.save_model()
