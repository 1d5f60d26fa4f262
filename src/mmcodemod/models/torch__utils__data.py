"""torch.utils.data 1.13 to 2.x: a loader calls its dataset and its collate function. Never run."""


class Dataset:
    pass


class IterableDataset(Dataset):
    pass


class DataLoader:
    def __init__(self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0,
                 collate_fn=None, pin_memory=False, drop_last=False, **kwargs):
        collate_fn([dataset.__getitem__(0)])
