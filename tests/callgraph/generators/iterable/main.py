"""Iterating an object runs `__iter__` and `__next__`; `__getitem__` where there is no `__iter__`."""


class Sampler:
    def __init__(self):
        self.left = 2

    def __iter__(self):
        return self

    def __next__(self):
        if not self.left:
            raise StopIteration
        self.left -= 1
        return use


def use():
    pass


class Rows:
    def __getitem__(self, index):
        if index > 1:
            raise IndexError(index)
        return index


class Lengths:
    def __iter__(self):
        return iter(self.values())

    def values(self):
        return [1]


for item in Sampler():
    item()
list(Rows())
total = sum(n for n in Lengths())
