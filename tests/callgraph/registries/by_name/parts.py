_PARTS = {}


def part(cls):
    _PARTS[cls.__name__] = cls
    return cls


def build(name, **options):
    return _PARTS[name](**options)
