"""Trees that the tests of call graphs share."""

from __future__ import annotations

# A training run with what makes call graphs hard: a framework in between, a callback, a nested function, a
# model whose code is not here, and a function that nothing calls.
SAMPLE = {
    "run.sh": "torchrun tools/train.py\n",
    "tools/__init__.py": "",
    "tools/train.py": """
from transformers import AutoModel
from trainer import MyTrainer
from dataset import Data


def main():
    model = AutoModel.from_pretrained("org/model", trust_remote_code=True)
    MyTrainer(model=model, train_dataset=Data()).train()


def unused():
    lonely()


def lonely():
    pass


if __name__ == "__main__":
    main()
""",
    "tools/trainer.py": """
from transformers import Trainer


class MyTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False):
        def shift(x):
            return x

        outputs = self.model(**inputs)
        return shift(outputs.loss)

    def prediction_step(self, model, inputs):
        return self.compute_loss(model, inputs)
""",
    "tools/dataset.py": """
import os


class Data:
    def __getitem__(self, index):
        print(os.getcwd())
        return sorted([index], key=rank)


def rank(one):
    return one
""",
}


# The same without a framework in between, whose model may change.
PLAIN = {
    "main.py": """
import os
from diffusers import AutoModel
from pkg import rows
from pkg.model import Head


def build():
    return Head(AutoModel.from_pretrained("org/model", trust_remote_code=True))


def main(argv):
    head = build()
    for row in rows(argv.folder):
        head.loss(row, key=len)
    os.makedirs("out")


if __name__ == "__main__":
    main(None)
""",
    "pkg/__init__.py": """
def rows(folder):
    def clean(row):
        return row.strip()

    return sorted(open(folder), key=clean)


def lonely():
    pass
""",
    "pkg/model.py": """
class Base:
    def loss(self, row, key):
        return self.forward(row)


class Head(Base):
    def __init__(self, model):
        self.model = model

    def forward(self, row):
        return self.model(row)

    def loss(self, row, key):
        return super().loss(row, key)
""",
}
