"""Builtins run the functions that they are given."""


def double(n):
    return 2 * n


def positive(n):
    return n > 0


def length(n):
    return n


def lowest(n):
    return n


print(list(map(double, [1, 2])))
list(filter(positive, [1]))
sorted([2, 1], key=length)
min([1, 2], key=lowest)


def later():
    pass


def hand():
    return later


for fn in map(lambda f: f(), [hand]):
    fn()
