"""Pictures of one shade, with a question: which shade, or the opposite one?"""

import torch

SHADES, SIZE = 4, 8  # SIZE in pixels, of a side


class Shades(torch.utils.data.Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return self.rows

    def __getitem__(self, index):
        shade, opposite = index % SHADES, index // SHADES % 2
        picture = torch.zeros(3, SIZE, SIZE)
        picture[:, :, 2 * shade : 2 * shade + 2] = 1.0
        answer = SHADES - 1 - shade if opposite else shade
        return {"pixels": picture, "question": torch.tensor(opposite), "labels": torch.tensor(answer)}
