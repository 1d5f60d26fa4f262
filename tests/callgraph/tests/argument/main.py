"""Which objects are passed on behind a test of them."""


class Still:
    KIND = "still"

    def show(self):
        return 1


class Moving:
    KIND = "moving"

    def show(self):
        return 2


def show_still(data):
    return data.show()


def show_moving(data):
    return data.show()


def run(data):
    if data.KIND == "moving":
        return show_moving(data)
    return show_still(data=data)


run(Still())
run(Moving())
