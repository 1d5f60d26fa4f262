"""Names that a module looks up among its own: by a text that is known, and by one that is not."""


class Oak:
    def grow(self):
        return 1


class Elm:
    def grow(self):
        return 2


def plant(kind):
    return globals()[kind]()


def water(kind):
    return globals()[kind]()


def dig():
    return 3


plant("".join(["O", "ak"])).grow()
plant("".join(["El", "m"])).grow()
water("dig")


def get(kind):
    return 4


def mow(kind):
    return globals().get(kind)()


mow("dig")
