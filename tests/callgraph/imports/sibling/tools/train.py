from dataset import Data


def main():
    Data().load()
