"""Imports inside functions and methods, under another name."""


def main():
    from helper import step as go
    import helper as h

    go()
    h.other()


class Runner:
    def run(self):
        from helper import other

        other()


main()
Runner().run()
