"""What only runs when a caller passes something that no caller passes."""


def as_table(path):
    return path


def as_text(path):
    return path


def load(path, fmt=None, verbose=False, depth=0):
    if fmt is not None:
        return as_table(path)
    if verbose:
        print(path)
        as_table(path)
    if depth == 3:
        return as_text(path)
    if depth < 2:
        return load(path, fmt=fmt, depth=depth + 1)
    return as_text(path)


load("a")
