from mmengine.config import read_base

from lantern.dataset import Captions, collate
from lantern.model import Eye, Lantern, Reader, Words

with read_base():
    from ..base.schedule import *

data_path = "data/questions.json"
batch_size = 4
width = 32

tokenizer = dict(type=Words, path="data/words.txt")

model = dict(
    type=Lantern,
    freeze_llm=True,
    freeze_visual_encoder=True,
    llm=dict(type=Reader, width=width, words=16),
    visual_encoder=dict(type=Eye, width=width),
)

train_dataset = dict(type=Captions, data_path=data_path, tokenizer=tokenizer, map_num_proc=2)
train_dataloader = dict(batch_size=batch_size, num_workers=0, collate_fn=dict(type=collate))
