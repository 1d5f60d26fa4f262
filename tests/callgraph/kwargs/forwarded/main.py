"""Keyword arguments by name and through `**options`."""


def gelu():
    pass


def layer(act, **options):
    act()
    finish(**options)


def finish(norm=None):
    norm()


def rms():
    pass


layer(act=gelu, norm=rms)
