import kit.rounds


def main():
    kit.rounds.one_round()
