"""Goes on with a conversation, word by word."""

from torch import nn

from data import WORDS

WIDTH = 32


class Speaker(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.memory = nn.GRU(WIDTH, WIDTH, batch_first=True)
        self.head = nn.Linear(WIDTH, WORDS)

    def forward(self, input_ids):
        states, _ = self.memory(self.words(input_ids))
        return self.head(states)
