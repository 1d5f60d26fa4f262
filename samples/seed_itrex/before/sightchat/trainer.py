"""A Trainer whose batches hold rows of one kind: all with a picture, or all without."""

import torch
import transformers
from torch.utils.data import Sampler


class OneKindSampler(Sampler):
    """Shuffled groups of `size` rows; `kinds` says which have a picture. What is left over is dropped."""

    def __init__(self, size, kinds, seed):
        self.size, self.kinds, self.seed = size, kinds, seed

    def __len__(self):
        return sum(self.kinds.count(kind) // self.size * self.size for kind in (True, False))

    def __iter__(self):
        chance = torch.Generator().manual_seed(self.seed)
        groups = []
        for kind in (True, False):
            rows = torch.tensor([row for row, other in enumerate(self.kinds) if other == kind])
            rows = rows[torch.randperm(len(rows), generator=chance)]
            groups += rows[: len(rows) // self.size * self.size].split(self.size)
        for group in torch.randperm(len(groups), generator=chance).tolist():
            yield from groups[group].tolist()


class SightTrainer(transformers.Trainer):
    def _get_train_sampler(self, *args, **kwargs):
        if not self.args.group_by_modality_length:
            return super()._get_train_sampler(*args, **kwargs)
        size = self.args.train_batch_size * self.args.world_size
        return OneKindSampler(size, self.train_dataset.kinds, self.args.seed)
