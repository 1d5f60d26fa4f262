"""Decorators with arguments, and two of them on one function."""


def retry(times):
    def decorate(fn):
        def wrapper():
            return fn()

        return wrapper

    return decorate


def logged(fn):
    def inner():
        return fn()

    return inner


@logged
@retry(3)
def download():
    pass


download()
