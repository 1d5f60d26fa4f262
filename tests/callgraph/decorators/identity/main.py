"""A decorator that returns its function tells the decorated functions apart."""


def mark(fn):
    fn.marked = True
    return fn


@mark
def used():
    pass


@mark
def unused():
    pass


used()
