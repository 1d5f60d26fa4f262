"""llamafactory.train: what `llamafactory-cli train` runs in each process.

Source: llamafactory 0.9.5, launcher.py (`launch`), train/tuner.py (`run_exp`), hparams/parser.py (`get_train_args`),
train/sft/workflow.py (`run_sft`): the Trainer trains and `save_model` is called at the end.
"""

from transformers import HfArgumentParser, Seq2SeqTrainer, TrainingArguments

VERSIONS = "llamafactory>=0.8,<1"


def run_exp(args=None, callbacks=None):
    parser = HfArgumentParser((TrainingArguments,))
    (training_args,) = parser.parse_args_into_dataclasses()
    trainer = Seq2SeqTrainer(None, training_args, callbacks=callbacks)
    trainer.train()
    trainer.save_model()
