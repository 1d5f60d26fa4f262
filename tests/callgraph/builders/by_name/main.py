"""Builders that choose by a string: what each call gets is told apart."""


class Clip:
    def embed(self):
        return 1


class Siglip:
    def embed(self):
        return 2


class Late:
    def embed(self):
        return 3


KINDS = {"clip": Clip, "siglip": Siglip}


def build(name):
    if name == "clip":
        return Clip()
    elif "sig" in name:
        return Siglip()
    return Late()


def from_table(name, **options):
    return KINDS[name](**options)


def folded(name):
    name = name.lower()
    if name == "clip":
        return Clip()
    return Late()


def fourth():
    return [folded(name).embed() for name in ("CLIP", "LATE")]


def first():
    return build("clip").embed()


def second():
    return build("siglip-large").embed()


def third(options):
    return from_table("siglip", **options).embed()


def any_of(names):
    return [build(name).embed() for name in names]


first()
second()
third({})
fourth()
any_of(["clip", "siglip", str(4)])
