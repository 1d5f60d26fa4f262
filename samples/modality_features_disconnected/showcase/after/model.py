"""A model that answers questions, about a picture where there is one."""

import torch
from torch import nn

from data import IMAGE_TOKEN_INDEX, PATCHES, SHADES, SIZE, WORDS

WIDTH = 32


class Encoder(nn.Module):
    """A picture becomes a row of patch features."""

    def __init__(self, width=WIDTH):
        super().__init__()
        side = SIZE // int(PATCHES**0.5)
        self.patches = nn.Conv2d(3, width, kernel_size=side, stride=side)

    def forward(self, pixels):
        return self.patches(pixels).flatten(2).transpose(1, 2).relu()


class Answerer(nn.Module):
    def __init__(self):
        super().__init__()
        self.eye = Encoder()
        self.projector = nn.Linear(WIDTH, WIDTH)
        self.words = nn.Embedding(WORDS, WIDTH)
        self.reader = nn.TransformerEncoderLayer(WIDTH, nhead=4, dim_feedforward=64, dropout=0.0, batch_first=True)
        self.head = nn.Linear(WIDTH, SHADES)

    def encode_images(self, images):
        return self.projector(self.eye(images))

    def embed(self, input_ids, images):
        features = self.encode_images(images)
        rows = []
        for row, ids in enumerate(input_ids):
            if (ids == IMAGE_TOKEN_INDEX).sum() == 0:
                # mmcodemod MM212: the features stay in the graph
                rows.append(self.words(ids) + features[row][:0].sum())
                continue
            text = self.words(ids[ids != IMAGE_TOKEN_INDEX])
            rows.append(torch.cat([features[row], text]))
        return torch.stack(rows)

    def forward(self, input_ids, images, answer):
        last = self.reader(self.embed(input_ids, images))[:, -1]
        return nn.functional.cross_entropy(self.head(last), answer)
