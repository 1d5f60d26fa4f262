"""axolotl.cli.train: what `axolotl train` runs in each process.

Source: axolotl 0.19.0, cli/train.py (`do_train`), core/builders/base.py and causal.py (the arguments are built of the
keys of the configuration), train.py (`save_trained_model` calls `save_model` under DeepSpeed's ZeRO-3).
"""

from transformers import HfArgumentParser, Trainer, TrainingArguments

VERSIONS = "axolotl>=0.4,<1"


class AxolotlTrainingArguments(TrainingArguments):
    pass


def do_train(cfg, cli_args):
    parser = HfArgumentParser((AxolotlTrainingArguments,))
    (training_args,) = parser.parse_dict(cfg)
    trainer = Trainer(None, training_args)
    trainer.train()
    trainer.save_model()
