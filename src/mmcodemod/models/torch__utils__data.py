"""torch.utils.data: a loader asks its sampler for indices, its dataset for samples, and collates them. A loader
that is made is taken to be iterated.

Source: https://docs.pytorch.org/docs/stable/data.html
"""

VERSIONS = "torch>=1.13,<3"
HOMES = ("torch.utils.data.*",)


class Dataset:
    pass


class IterableDataset(Dataset):
    pass


class Sampler:
    pass


class BatchSampler(Sampler):
    def __init__(self, sampler, batch_size, drop_last):
        self.sampler = sampler

    def __iter__(self):
        self.sampler.__iter__()


class Subset(Dataset):
    def __init__(self, dataset, indices):
        self.dataset = dataset

    def __getitem__(self, idx):
        return self.dataset.__getitem__(idx)


class ConcatDataset(Dataset):
    def __init__(self, datasets):
        self.datasets = datasets

    def __getitem__(self, idx):
        for dataset in self.datasets:
            dataset.__getitem__(idx)


class DataLoader:
    def __init__(
        self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0,
        collate_fn=None, pin_memory=False, drop_last=False, timeout=0, worker_init_fn=None, *args, **kwargs
    ):
        self.dataset = dataset
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.collate_fn = collate_fn
        self.worker_init_fn = worker_init_fn
        self.__iter__()

    def __iter__(self):
        self.worker_init_fn(0)
        self.batch_sampler.__iter__()
        self.sampler.__iter__()
        self.dataset.__iter__()
        self.collate_fn([self.dataset.__getitem__(0)])
