"""False equals 0 and True equals 1, and they are not the same."""


def zero():
    return 0


def one():
    return 1


def other():
    return 2


def run(flag):
    if flag == 0:
        zero()
    if flag == 1:
        one()
    if flag is not True and flag is not False:
        other()


run(False)
run(1)
