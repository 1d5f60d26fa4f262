"""A decorator calls the function with what nobody passes in the text."""

import click


def shout():
    return 1


@click.command()
@click.option("--loud", is_flag=True, default=True)
def run(loud=False):
    if loud:
        shout()


run([], standalone_mode=False)
