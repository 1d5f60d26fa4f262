"""A function passed through two calls, positionally and as `*args`."""


def collate():
    pass


def load(fn):
    fn()


def build(make, *rest):
    make(*rest)


load(collate)
build(load, collate)
