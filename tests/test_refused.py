"""What is found in a launch whose program does not take its arguments."""

import textwrap

import pytest

from mmcodemod.pipeline import Settings, check
from mmcodemod.source.tree import text_tree

TRAIN = """\
import argparse
import torch.distributed as dist
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

{parser}

if __name__ == "__main__":
    args = {parses}
    model = AutoModelForCausalLM.from_pretrained("org/base")
    if dist.get_rank() == 0:
        dist.barrier()
    Trainer(model=model, args=TrainingArguments("out")).train()
"""
PLAIN = """\
parser = argparse.ArgumentParser()
parser.add_argument("--data-dir", default="data")
parser.add_argument("--no-amp", action="store_true")
"""
RETURNED = """\
def options():
    made = argparse.ArgumentParser("train")
    group = made.add_argument_group("data")
    group.add_argument("-d", "--data-dir")
    made.add_argument("--no-amp", action="store_true")
    return made
"""


FILE = f"import argparse\n{RETURNED.replace('return made', 'return made.parse_args()')}"


def barrier(flags, parser=PLAIN, parses="parser.parse_args()", files=()):
    """Severity and message of MM401 where the main rank alone waits."""
    train = TRAIN.format(parser=parser, parses=parses)
    files = {"run.sh": f"torchrun --nproc_per_node 8 train.py {flags}\n", **dict(files), "train.py": train}
    files["requirements.txt"] = "transformers==4.57.6\n" + files.get("requirements.txt", "")
    report = check(text_tree(files), Settings(preview=True))
    (found,) = [f for f in report.findings if f.rule == "MM401"]
    return found.severity.value, found.message


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        ("--data-dir x --steps 5", "does not know `--steps`"),
        ("--steps ../five", "does not know `--steps`"),
        ("--no-amp False", "takes no value for `--no-amp`"),
        ("--data-dir left right --no-amp", "takes no plain word, such as `right`"),
        ('--data-dir= "$HOME/data" --no-amp', 'takes no plain word, such as `"$HOME/data"`'),
    ],
)
@pytest.mark.parametrize(
    "how",
    [
        (PLAIN, "parser.parse_args()"),
        (RETURNED, "options().parse_args()"),
        (RETURNED + "given = options()\n", "given.parse_args()"),
    ],
)
def test_a_run_whose_flags_the_parser_refuses_is_a_note(flags, told, how):
    severity, message = barrier(flags, *how)
    assert severity == "info"
    assert "whether the run gets past train.py:" in message
    assert told in message


GIVEN = """\
def options(given=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--data-dir", default="data")
    if given is not None:
        args = parser.parse_args(given)
    else:
        args = parser.parse_args()
    return args
"""


def test_a_list_that_only_others_hand_over_is_not_the_command_line():
    severity, message = barrier("--data-dir x --steps 5", GIVEN, "options()")
    assert severity == "info"
    assert "does not know `--steps`" in message
    assert barrier("--data-dir x --steps 5", GIVEN, "options([])")[0] == "error"
    assert barrier("--data-dir x", GIVEN, "options()")[0] == "error"


@pytest.mark.parametrize("end", ["\\ ", "\\  # the next", "\\\t#"])
def test_a_blank_behind_the_backslash_is_a_word(end):
    severity, message = barrier(f"--data-dir x {end}\n  --no-amp")
    assert severity == "info"
    assert "a blank behind the backslash at run.sh:1 makes one" in message
    quoted = f"--data-dir 'x {end}\n' \\\n  --no-amp"
    assert "backslash" not in barrier(quoted)[1]


@pytest.mark.parametrize(
    ("command", "ends"),
    [
        ("\\\n  --no-amp \\ \n  --data-dir x", 5),
        ("\\ \n\n  --data-dir x", 0),  # no flag follows: nothing is said, though a shell makes a word of it
        ("\\  # the next\n  --data-dir x", 0),
        ("\\ \n  and train", 0),
        ("\\\n  --data-dir x", 0),
    ],
)
def test_of_a_page_only_a_blank_before_a_flag_ends_the_command(command, ends):
    page = f"Train:\n\n```bash\ntorchrun --nproc_per_node 8 train.py --no-amp {command}\n```\n"
    report = check(
        text_tree({"README.md": page, "train.py": TRAIN.format(parser=PLAIN, parses="parser.parse_args()")}),
        Settings(),
    )
    told = [f.message for f in report.findings if "backslash" in f.message]
    assert bool(told) == bool(ends)
    assert all(f"at README.md:{ends} makes one" in message for message in told)


LAUNCHERS = [
    ("deepspeed --num_gpus 8", True),
    ("deepspeed --num_gpus 8 --no_local_rank", False),
    ("python -m torch.distributed.launch --nproc_per_node 8", True),
    ("python -m torch.distributed.launch --use_env --nproc_per_node 8", False),
    ("torchrun --nproc_per_node 8", False),
]


@pytest.mark.parametrize(("launcher", "adds"), LAUNCHERS)
def test_a_launcher_may_add_the_rank(launcher, adds):
    files = {"run.sh": f"{launcher} train.py --data-dir x\n"}
    assert ("`--local_rank`, which the launcher adds" in barrier("", files=files.items())[1]) is adds
    taken = f'{PLAIN}parser.add_argument("--local_rank", type=int)\n'
    assert "the launcher adds" not in barrier("", taken, files=files.items())[1]


OLD = "python -m torch.distributed.launch --nproc_per_node 8 train.py --data-dir x\n"


@pytest.mark.parametrize(
    ("torch", "option", "refused"),
    [
        ("torch==2.1.2", "--local_rank", True),
        ("torch==2.1.2", "--local-rank", False),
        ("torch==1.13.1", "--local_rank", False),
        ("torch", "--local_rank", False),
    ],
)
def test_torch_writes_the_rank_with_a_dash_since_2_0(torch, option, refused):
    taken = f'{PLAIN}parser.add_argument("{option}", type=int)\n'
    message = barrier("", taken, files={"run.sh": OLD, "requirements.txt": f"{torch}\n"}.items())[1]
    assert ("as torch.distributed.launch writes it since torch 2.0" in message) is refused


EXTENDED = f"import deepspeed\n{PLAIN}{{}}\n"


def test_so_is_one_whose_parser_deepspeed_adds_its_own_options_to():
    for call in ("parser = deepspeed.add_config_arguments(parser)", "deepspeed.add_config_arguments(parser)"):
        severity, message = barrier("--data-dir x --deepspeed --steps 5", EXTENDED.format(call))
        assert severity == "info"
        assert "does not know `--steps`" in message
        known = "--data-dir x --deepspeed --deepspeed_config d.json"
        assert barrier(known, EXTENDED.format(call))[0] == "error"


def test_the_parser_has_them_by_whatever_name():
    made = f"import deepspeed\n{RETURNED}given = options()\ngiven = deepspeed.add_config_arguments(given)\n"
    assert barrier("--deepspeed --no-amp", made, "given.parse_args()")[0] == "error"
    assert "`--steps`" in barrier("--deepspeed --steps 5", made, "given.parse_args()")[1]


@pytest.mark.parametrize(
    "call",
    [
        "other = deepspeed.add_config_arguments(parser)\nmore(other)",
        "parser = deepspeed.add_tuning_arguments(parser)",
        "parser = more(deepspeed.add_config_arguments(parser))",
    ],
)
def test_what_else_may_add_options_to_it_leaves_them_open(call):
    assert barrier("--steps 5", EXTENDED.format(call))[0] == "error"


def test_so_is_one_whose_parser_is_in_another_file():
    found = barrier("--steps 5", "from options import options", "options()", {"options.py": FILE})
    assert found[0] == "info"
    assert "whether the run gets past options.py:" in found[1]
    assert barrier("--no-amp", "from options import options", "options()", {"options.py": FILE})[0] == "error"


def test_so_is_one_whose_parser_declares_an_option_twice():
    severity, message = barrier("", PLAIN + 'parser.add_argument("--data-dir")\n')
    assert severity == "info"
    assert "the parser there is given `--data-dir` a second time at train.py:8" in message


@pytest.mark.parametrize("flags", ["", "--data-dir x", "--data x", "--no-amp", "--no-amp --data-dir=x"])
def test_what_the_parser_takes_dies_nowhere(flags):
    assert barrier(flags)[0] == "error"


@pytest.mark.parametrize(
    ("parser", "parses"),
    [
        (PLAIN, "parser.parse_known_args()[0]"),
        (PLAIN, "parser.parse_args(['--no-amp'])"),
        (PLAIN + "extend(parser)\n", "parser.parse_args()"),
        (PLAIN + "add = parser.add_argument\nadd('--steps', type=int)\n", "parser.parse_args()"),
        (PLAIN + "for name in NAMES:\n    parser.add_argument(name)\n", "parser.parse_args()"),
        (PLAIN.replace("ArgumentParser()", "ArgumentParser(parents=[base])"), "parser.parse_args()"),
        (PLAIN.replace("ArgumentParser()", "ArgumentParser(**more)").replace("argparse.", ""), "None"),
        (PLAIN + "other = argparse.ArgumentParser()\n", "parser.parse_args()"),
        (PLAIN + "sub = parser.add_subparsers()\n", "parser.parse_args()"),
        (PLAIN + "def unused():\n    return parser.parse_args()\n", "None"),
        (
            "class Made:\n    parser = argparse.ArgumentParser()\n    parser.add_argument('--lr')\n",
            "Made.parser.parse_args()",
        ),
        (PLAIN + "reader.parser = parser\n", "reader.parser.parse_args()"),
        (RETURNED + "made = add_more(options())\n", "made.parse_args()"),
        (RETURNED + "given = options()\ngiven = add_more(given)\n", "given.parse_args()"),
        (RETURNED, "add_more(options()).parse_args()"),
        ("class Args:\n    def parse_args(self):\n        return self\n", "Args().parse_args()"),
    ],
)
def test_a_parser_of_which_something_does_not_show_refuses_nothing(parser, parses):
    assert barrier("--steps 5", parser, parses)[0] == "error"


@pytest.mark.parametrize(
    "flags", ["--other_options ...", "--other-options [...]", "--data-dir path to your data --no-amp"]
)
def test_what_stands_for_words_of_the_user_dies_nowhere(flags):
    assert barrier(flags)[0] == "error"


def test_a_switch_may_have_an_opposite():
    parser = PLAIN + "parser.add_argument('--fast', action=argparse.BooleanOptionalAction)\n"
    assert barrier("--no-fast", parser)[0] == "error"
    assert barrier("--fast --no-faster", parser)[0] == "info"


def test_what_a_flag_means_elsewhere_is_no_value_of_a_switch():
    parser = PLAIN + "parser.add_argument('--deepspeed', action='store_true')\n"
    parser += "parser.add_argument('--deepspeed_config')\n"
    files = {"ds.json": '{"train_batch_size": 8}\n'}
    assert barrier("--deepspeed_config ds.json --deepspeed", parser, files=files)[0] == "error"
    assert barrier("--deepspeed_config ds.json --deepspeed on", parser, files=files)[0] == "info"


def test_other_words_of_the_file_do_not_matter():
    assert barrier("--steps 5", PLAIN + 'Path("out").mkdir(parents=True)\n')[0] == "info"


def test_two_sides_of_a_test_may_declare_the_same_option():
    sides = "if NEW:\n    parser.add_argument('--lr')\nelse:\n    parser.add_argument('--lr')\n"
    assert barrier("--lr 1", PLAIN + sides)[0] == "error"


def test_a_switch_beside_positionals_may_stand_before_one():
    assert barrier("--no-amp x", PLAIN + "parser.add_argument('data')\n")[0] == "error"


@pytest.mark.parametrize(
    "flags",
    ['--data-dir "some where"', "--data-dir some\\ where", "--data-dir $A $B", "--data-dir a > x"],
)
def test_words_that_the_shell_changes_are_not_counted(flags):
    assert barrier(flags)[0] == "error"


@pytest.mark.parametrize("more", ["nargs='+'", "nargs=2", "action=Pair"])
def test_an_option_may_take_two_words(more):
    parser = PLAIN.replace('default="data"', more)
    assert barrier("--data-dir some where", parser)[0] == "error"


REQUIRED = PLAIN.replace('default="data"', "required=True")


@pytest.mark.parametrize("flags", ["", "--no-amp", "--tag <name of the run>", "--tag=<the name>"])
def test_an_option_that_is_required_must_be_given(flags):
    more = "".join(f'parser.add_argument("--{name}")\n' for name in ("lr", "tag"))
    severity, message = barrier(f"{flags} --lr 1", REQUIRED + more)
    assert severity == "info"
    assert "requires `--data_dir`" in message


@pytest.mark.parametrize(
    "flags",
    [
        "--data-dir x",
        "--data-dir=x",
        "--data x",
        "--lr $LR --data-dir $D",
        "$MORE --lr 1",
        "--lr 1 $@",
        '--data-dir "x y"',
        "--lr 1 ...",
        "--lr 1 [...]",
        "--data-dir <where the data is>",
        "--lr 1 <more options>",
        "--lr 1 < a b> c",
    ],
)
def test_an_option_may_be_given_in_other_ways(flags):
    assert barrier(flags, REQUIRED + 'parser.add_argument("--lr")\n')[0] == "error"


def test_a_launcher_may_give_the_rank():
    parser = PLAIN + "parser.add_argument('--local_rank', type=int, required=True)\n"
    assert barrier("--no-amp", parser)[0] == "error"


@pytest.mark.parametrize(
    ("then", "severity"),
    [("", "info"), ("--data-dir x\n", "error"), ("    x --data-dir x\n", "error"), ("echo\n", "info")],
)
def test_a_page_may_wrap_a_command_without_a_backslash(then, severity):
    page = f"```bash\ntorchrun --nproc_per_node 8 train.py --lr 1\n{then}```\n"
    train = TRAIN.format(parser=REQUIRED + 'parser.add_argument("--lr")\n', parses="parser.parse_args()")
    report = check(
        text_tree({"train.py": train, "README.md": page, "requirements.txt": "transformers==4.57.6\n"}),
        Settings(preview=True),
    )
    assert [f.severity.value for f in report.findings if f.rule == "MM401"] == [severity]


def test_an_option_may_be_required_on_one_side_of_a_test_alone():
    parser = PLAIN + "if NEW:\n    parser.add_argument('--lr', required=True)\n"
    assert barrier("--no-amp", parser)[0] == "error"


def test_a_short_name_gives_a_required_option():
    parser = REQUIRED.replace('"--data-dir"', '"-d", "--data-dir"')
    assert barrier("-d x", parser)[0] == "error"
    assert barrier("-dx", parser)[0] == "error"
    assert barrier("--no-amp", parser)[0] == "info"


def test_an_option_of_the_main_block_may_be_required():
    block = 'if __name__ == "__main__":\n' + textwrap.indent(REQUIRED, "    ")
    assert barrier("--no-amp", block)[0] == "info"
    assert barrier("--data-dir x", block)[0] == "error"


def test_so_does_a_program_that_is_started_as_a_module():
    files = {
        "run.sh": "torchrun --nproc_per_node 8 -m train --no-amp\n",
        "requirements.txt": "transformers==4.57.6\n",
    }
    tree = text_tree({**files, "train.py": TRAIN.format(parser=REQUIRED, parses="parser.parse_args()")})
    (found,) = [f for f in check(tree, Settings(preview=True)).findings if f.rule == "MM401"]
    assert found.severity.value == "info"
    assert "requires `--data_dir`" in found.message


VALUES = """\
parser = argparse.ArgumentParser()
parser.add_argument("--arch", choices=["swan", "heron"])
parser.add_argument("--size", type=int, choices=[4, 8])
parser.add_argument("--warmup-steps", type=int, default=0)
parser.add_argument("--lr", type=float)
parser.add_argument("--mode", type=str.lower, choices=("low", "high"))
parser.add_argument("--kind", choices=KINDS)
parser.add_argument("--many", nargs="+", choices=["a", "b"])
"""


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        ("--arch goose", "does not have `goose` among the choices of `--arch`"),
        ("--lr 1e-4 --arch=goose", "does not have `goose` among the choices of `--arch`"),
        ("--arch 'goose'", "does not have `goose` among the choices of `--arch`"),
        ("--arch Swan", "does not have `Swan` among the choices of `--arch`"),
        ("--size 16", "does not have `16` among the choices of `--size`"),
        ("--warmup-steps 0.1", "takes a whole number for `--warmup-steps`, not `0.1`"),
        ("--warmup-steps 1e3", "takes a whole number for `--warmup-steps`, not `1e3`"),
        ("--lr auto", "takes a number for `--lr`, not `auto`"),
    ],
)
def test_a_value_that_an_option_does_not_take(flags, told):
    severity, message = barrier(flags, VALUES)
    assert severity == "info"
    assert told in message


@pytest.mark.parametrize(
    "flags",
    [
        "--arch swan --size 8 --warmup-steps 10 --lr 1e-4",
        "--arch 'swan' --size=8 --lr=3",
        "--arch $ARCH --warmup-steps $((2 * 5)) --lr ${LR}",
        "--arch ARCH --warmup-steps N",  # the user writes it
        "--arch your_arch",
        "--arch arch",
        "--arch <goose>",
        "--arch swan/heron",
        "--lr 1e-4/3e-4 --warmup-steps 10/20",  # a page writes one for each stage
        "--mode LOW --mode loud",  # what reads it is open
        "--kind any",
        "--many a b",
    ],
)
def test_values_that_it_takes_or_that_do_not_show(flags):
    assert barrier(flags, VALUES)[0] == "error"


def test_plain_words_of_the_program_leave_values_open():
    assert barrier("--arch goose", VALUES + 'parser.add_argument("data", nargs="?")\n')[0] == "error"


NUMBERED = PLAIN.replace('default="data"', "type=int")


@pytest.mark.parametrize("read", ["$HALF", "${HALF}", '"$HALF"'])
@pytest.mark.parametrize("line", ["HALF=True", "export HALF='True'  # always"])
def test_a_variable_that_one_line_sets_has_its_value(read, line):
    script = f"{line}\ntorchrun --nproc_per_node 8 train.py --data-dir {read}\n"
    severity, message = barrier("", NUMBERED, files={"run.sh": script})
    assert severity == "info"
    assert "takes a whole number for `--data-dir`, not `True`" in message


@pytest.mark.parametrize(
    "lines",
    ["HALF=${1:-True}", "HALF=True\nHALF=1", "HALF=True\nread HALF", "HALF=True\n. ./more.sh", "HALF=8", ""],
)
def test_a_variable_that_may_hold_something_else(lines):
    script = f"{lines}\ntorchrun --nproc_per_node 8 train.py --data-dir $HALF\n"
    assert barrier("", NUMBERED, files={"run.sh": script})[0] == "error"
