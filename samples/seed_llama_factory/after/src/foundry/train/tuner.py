from foundry.hparams.parser import get_train_args

from .sft import run_sft

STAGES = {"sft": run_sft}


def run_exp():
    model_args, data_args, finetuning_args, training_args = get_train_args()
    if finetuning_args.stage not in STAGES:
        raise ValueError(f"Unknown stage: {finetuning_args.stage}.")
    STAGES[finetuning_args.stage](model_args, data_args, training_args, finetuning_args)
