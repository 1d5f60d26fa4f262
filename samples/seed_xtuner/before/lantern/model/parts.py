"""Small parts, to try configurations with."""

import torch
import torch.nn as nn


class Words:
    """Numbers for words, one a line."""

    def __init__(self, path):
        with open(path) as file:
            self.numbers = {word: number for number, word in enumerate(file.read().split(), 1)}

    def __call__(self, word):
        return self.numbers.get(word, 0)


class Eye(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.patches = nn.Conv2d(3, width, kernel_size=4, stride=4)

    def forward(self, pictures):
        return self.patches(pictures).flatten(2).mean(-1).tanh()


class Reader(nn.Module):
    def __init__(self, width, words):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.reads = nn.GRU(width, width, batch_first=True)
        self.head = nn.Linear(width, words)
        nn.init.normal_(self.head.weight)

    def get_input_embeddings(self):
        return self.words

    def forward(self, inputs_embeds):
        return self.head(self.reads(inputs_embeds)[0])
