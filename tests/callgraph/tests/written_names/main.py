"""Settings of a module that text from elsewhere writes over."""

LOUD = False


def shout():
    return 1


exec("LOUD = True")
if LOUD:
    shout()
