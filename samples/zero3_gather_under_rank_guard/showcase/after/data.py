"""Pictures with a question; the answer is the shade, or how many words the question has."""

import torch
from torch.utils.data import Dataset

SHADES, LENGTH, SIZE = 4, 6, 8  # SIZE in pixels, of a side
SHADE, HOW_MANY, FILLER = 0, 1, 2
WORDS = 3


class Quiz(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return self.rows

    def __getitem__(self, index):
        shade, asked, words = index // 2 % SHADES, index % 2, index // 8 % 4
        question = torch.full((LENGTH,), FILLER)
        question[words:] = HOW_MANY if asked else SHADE
        picture = torch.full((3, SIZE, SIZE), shade / SHADES)
        answer = words if asked else shade
        return {"pixels": picture, "question": question, "answer": torch.tensor(answer)}
