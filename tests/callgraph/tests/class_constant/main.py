"""A constant of the class decides which objects get here."""


class Still:
    KIND = "still"

    def load(self):
        return 1

    def frames(self):
        return []


class Moving(Still):
    KIND = "moving"

    def load(self):
        return 2

    def frames(self):
        return [2]


def read(data):
    data.load()
    if data.KIND == "moving":
        data.frames()
    if data.KIND in ("still", "drawn"):
        return data.load()
    return getattr(data, "KIND", None)


for each in (Still(), Moving()):
    read(each)
