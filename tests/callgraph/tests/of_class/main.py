"""A test of the class of what is passed."""


def of_text(value):
    return value


def of_list(value):
    return value


def of_number(value):
    return value


def read(value):
    if isinstance(value, str):
        return of_text(value)
    if isinstance(value, (list, tuple)):
        return of_list(value)
    return of_number(value)


read("a")
read(["a"])
