"""Lists of callables: index, append, extend, slice and comprehension."""


def resize():
    pass


def crop():
    pass


def normalise():
    pass


ops = [resize]
ops[0]()
ops.append(crop)
ops.extend([normalise])
for op in ops:
    op()
for op in ops[1:]:
    op()
[op() for op in ops]
grid = [[resize], [crop]]
grid[1][0]()
