"""swift.pipelines: what `swift sft`, `swift pt` and `swift rlhf` run in each process.

Source: ms-swift 4.6.0, cli/main.py (`ROUTE_MAPPING`), pipelines/train/sft.py, pretrain.py and rlhf.py. Checkpoints are
written by the Trainer while it trains; nothing is saved after it.
"""

from transformers import HfArgumentParser, Seq2SeqTrainer, TrainingArguments
from trl import DPOTrainer

VERSIONS = "swift>=2,<5"


class SwiftTrainingArguments(TrainingArguments):
    pass


def sft_main(args=None):
    parser = HfArgumentParser((SwiftTrainingArguments,))
    (training_args,) = parser.parse_args_into_dataclasses()
    Seq2SeqTrainer(None, training_args).train()


def pretrain_main(args=None):
    sft_main(args)


def rlhf_main(args=None):
    parser = HfArgumentParser((SwiftTrainingArguments,))
    (training_args,) = parser.parse_args_into_dataclasses()
    DPOTrainer(None, None, training_args).train()
