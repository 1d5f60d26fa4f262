"""What stands behind a `return`, `raise`, `break` or `continue` never runs."""


def project():
    pass


def old():
    pass


def stop():
    raise ValueError
    old()


def rounds():
    for number in range(2):
        if number:
            break
            old()
        continue
        old()
    return project
    return old


def main():
    rounds()()
    try:
        stop()
    except ValueError:
        return


main()
