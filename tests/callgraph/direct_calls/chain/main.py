"""The result of a call is called at once."""


def build():
    def outer():
        def inner():
            pass

        return inner

    return outer


build()()()


def passed(fn):
    return fn


passed(build)()
