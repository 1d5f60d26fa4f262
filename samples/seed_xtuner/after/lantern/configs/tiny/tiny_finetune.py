from mmengine.config import read_base

from lantern.dataset import PictureQuestions, collate, question_map_fn
from lantern.model import Eye, Lantern, Reader, Words

with read_base():
    from ..base.schedule import *

# Data
data_path = "data/questions.json"
max_length = 8
batch_size = 4
dataloader_num_workers = 0

# Model
width = 32

tokenizer = dict(type=Words, path="data/words.txt")

model = dict(
    type=Lantern,
    freeze_llm=True,
    freeze_visual_encoder=True,
    llm=dict(type=Reader, width=width, words=16),
    visual_encoder=dict(type=Eye, width=width),
)

train_dataset = dict(
    type=PictureQuestions,
    data_path=data_path,
    tokenizer=tokenizer,
    map_fn=question_map_fn,
    max_length=max_length,
)

train_dataloader = dict(batch_size=batch_size, num_workers=dataloader_num_workers, collate_fn=dict(type=collate))
