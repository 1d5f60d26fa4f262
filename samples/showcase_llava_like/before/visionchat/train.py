"""Trains the projector, or everything but the encoder."""

from dataclasses import dataclass, field

import transformers

from visionchat.data import Collator, ConversationDataset
from visionchat.model.language import VisionChatForCausalLM


@dataclass
class ModelArguments:
    model_name_or_path: str = field(default="weights/chat-7b")
    vision_weights: str = field(default=None)
    tune_projector_only: bool = field(default=False)


@dataclass
class DataArguments:
    data_path: str = field(default=None)


@dataclass
class TrainingArguments(transformers.TrainingArguments):
    remove_unused_columns: bool = field(default=False)


def train():
    parser = transformers.HfArgumentParser((ModelArguments, DataArguments, TrainingArguments))
    model_args, data_args, training_args = parser.parse_args_into_dataclasses()

    model = VisionChatForCausalLM.from_pretrained(
        model_args.model_name_or_path, vision_weights=model_args.vision_weights
    )
    tokenizer = transformers.AutoTokenizer.from_pretrained(model_args.model_name_or_path)
    if model_args.tune_projector_only:
        model.requires_grad_(False)
        model.get_model().projector.requires_grad_(True)

    trainer = transformers.Trainer(
        model=model,
        args=training_args,
        train_dataset=ConversationDataset(data_args.data_path, tokenizer),
        data_collator=Collator(tokenizer.pad_token_id),
    )
    trainer.train()
    trainer.save_model(training_args.output_dir)


if __name__ == "__main__":
    train()
