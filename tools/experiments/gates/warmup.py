# mypy: ignore-errors
"""Does the Trainer accept one warm-up step in DeepSpeed's configuration when it is told none?"""

import json
import tempfile

from transformers import TrainingArguments
from transformers.integrations.deepspeed import HfTrainerDeepSpeedConfig

CONFIG = {
    "train_micro_batch_size_per_gpu": "auto",
    "zero_optimization": {"stage": 0},
    "scheduler": {"type": "WarmupLR", "params": {"warmup_num_steps": 1}},
}
with tempfile.TemporaryDirectory() as folder:
    with open(f"{folder}/ds.json", "w") as file:
        json.dump(CONFIG, file)
    args = TrainingArguments(folder, use_cpu=True, warmup_steps=0, report_to="none")
    config = HfTrainerDeepSpeedConfig(f"{folder}/ds.json")
    config.trainer_config_process(args)
    try:
        config.trainer_config_finalize(args, None, 100)
        print("accepted")
    except ValueError as error:
        print("refused:", str(error).replace("\n", " "))
