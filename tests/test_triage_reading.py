"""Reading a log: lines, prefixes, tracebacks of several ranks, NCCL, launches, secrets, endless logs."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mmcodemod
from mmcodemod.model.triage import Death, Frame, Seen, Stand
from mmcodemod.triage import lines, reading
from mmcodemod.triage.safe import masked, masked_words, quoted
from mmcodemod.triage.signatures import signatures

SOURCE = Path(mmcodemod.__file__).parents[1]
EVERY = signatures()
INFLIGHT = "RuntimeError: still have inflight params [1]"


def seen(text: str | bytes) -> Seen:
    data = text.encode() if isinstance(text, str) else text
    return reading.read(io.BytesIO(data), EVERY)


def rules(found: Seen) -> set[str]:
    return {h.signature.rule for h in found.heard}


# -- lines ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "rank", "text"),
    [
        ("[rank3]: ValueError: x", "3", "ValueError: x"),
        ("[rank12]:   File", "12", "  File"),
        ("[default0]:  deep", "local 0", " deep"),
        ("[default0]:[rank8]: deep", "8", "deep"),
        ("12: hello", "12", "hello"),
        ("  3: [rank11]: hello", "11", "hello"),
        ("[1,5]<stderr>: hello", "5", "hello"),
        ("(RayTrainWorker pid=77, ip=10.0.0.3) hello", "pid 77", "hello"),
        ("node-2: [rank4]: hello", "4", "hello"),
        ("2026-01-02T03:04:05.678Z [rank4]: hello", "4", "hello"),
        ("[2026-01-02 03:04:05,678] [INFO] [launch.py:1:main] x", "", "[INFO] [launch.py:1:main] x"),
        ("\x1b[36m(RayWorker pid=50)\x1b[0m [E x] y", "pid 50", "[E x] y"),
        (" [36m(RayWorker pid=50) [0m [E x] y", "pid 50", "[E x] y"),
        ("  4%|#    | 1/24 [00:00<00:02,  8.72it/s][rank0]: Traceback", "0", "Traceback"),
        ("node: not a rank", "", "node: not a rank"),
        ("\x1b]0;title\x07plain", "", "plain"),
    ],
)
def test_prefixes(raw: str, rank: str, text: str) -> None:
    line = lines.cleaned(1, raw.encode())
    assert (line.rank, line.text) == (rank, text)


def test_bytes_that_are_no_text_are_replaced() -> None:
    assert lines.cleaned(1, b"\xff\xfeabc").text.endswith("abc")


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.binary(max_size=60).map(lambda b: b.replace(b"\n", b"").replace(b"\r", b"")), max_size=60),
    st.integers(7, 40),
    st.sampled_from([b"\n", b"\r\n", b"\r"]),
)
def test_blocks_lose_nothing_whatever_their_size(parts: list[bytes], size: int, end: bytes) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(lines, "BLOCK", size)
        data = end.join(parts)
        assert b"".join(lines.blocks(io.BytesIO(data))) == data


def test_a_line_that_is_too_long_is_cut_and_the_next_one_whole() -> None:
    long = b"x" * (lines.BLOCK * 3)
    found = b"".join(lines.blocks(io.BytesIO(b"first\n" + long + b"\nlast\n"))).split(b"\n")
    assert [len(part) for part in found] == [5, lines.LONGEST, 4, 0]


def test_line_numbers_are_those_of_an_editor() -> None:
    log = (
        "step\n" * 5000 + "a\rb\rc\r\n" + "ValueError: x\n" + "OSError: [Errno 28] No space left on device\n"
    )
    found = seen(log)
    assert found.lines == 5003
    assert [h.quotes[0].line for h in found.heard] == [5003]


def test_hours_of_a_progress_bar_without_a_line_feed() -> None:
    bar = "".join(f"\r {i}%|##  | {i}/9 [00:01<00:02, 8.7it/s]" for i in range(30000))
    found = seen("x\n" * 3000 + bar + "\n".join(traceback("2", INFLIGHT, ("a.py", 3, "f"))) + "\n")
    assert [(d.error, d.ranks, d.line) for d in found.deaths] == [("RuntimeError", ("2",), 3001)]
    assert "MM201" in rules(found)


# -- tracebacks ----------------------------------------------------------------------------------------


def traceback(rank: str, error: str, *frames: tuple[str, int, str]) -> list[str]:
    head = f"[rank{rank}]: " if rank else ""
    body = [
        f'{head}  File "{p}", line {n}, in {f}\n{head}    source()\n{head}    ^^^^^^' for p, n, f in frames
    ]
    text = "\n".join([f"{head}Traceback (most recent call last):", *body, f"{head}{error}"])
    return text.split("\n")


def interleaved(*parts: list[str]) -> str:
    rows = []
    for i in range(max(map(len, parts))):
        rows += [part[i] for part in parts if i < len(part)]
    return "\n".join(rows) + "\n"


def test_two_ranks_whose_lines_alternate() -> None:
    one = traceback("0", "ValueError: a: b", ("/x/a.py", 1, "main"), ("/x/b.py", 2, "f"))
    other = traceback("1", "pkg.mod.OddError", ("/x/a.py", 1, "main"), ("/x/c.py", 3, "g"))
    found = seen(interleaved(one, other)).deaths
    assert [(d.error, d.message, d.ranks) for d in found] == [
        ("ValueError", "a: b", ("0",)),
        ("OddError", "", ("1",)),
    ]
    assert found[0].frames == (Frame("/x/a.py", 1, "main"), Frame("/x/b.py", 2, "f"))
    assert found[1].frames == (Frame("/x/a.py", 1, "main"), Frame("/x/c.py", 3, "g"))


def test_ranks_that_the_log_does_not_tell_apart_are_one_traceback() -> None:
    one = traceback("", "ValueError: a", ("/x/a.py", 1, "main"), ("/x/b.py", 2, "f"))
    (death,) = seen(interleaved(one, one, one)).deaths
    assert death.frames == (Frame("/x/a.py", 1, "main"), Frame("/x/b.py", 2, "f"))
    assert (death.error, death.count) == ("ValueError", 3)


def test_the_same_death_of_many_ranks_is_told_once() -> None:
    text = "\n".join(
        line for r in range(64) for line in traceback(str(r), f"RuntimeError: rank {r}", ("/x/a.py", 1, "f"))
    )
    (death,) = seen(text).deaths
    assert death.count == 64 and len(death.ranks) == 64


def test_a_chain_begins_with_its_cause() -> None:
    first = traceback("", "KeyError: 'x'", ("/x/a.py", 1, "f"))
    second = traceback("", "RuntimeError: y", ("/x/b.py", 2, "g"))
    middle = ["", "The above exception was the direct cause of the following exception:", ""]
    found = seen("\n".join([*first, *middle, *second]))
    assert [d.error for d in found.deaths] == ["KeyError", "RuntimeError"]
    assert found.first == found.deaths[0]


def test_what_others_die_of_in_consequence_is_not_the_first() -> None:
    broken = traceback("3", "RuntimeError: Connection reset by peer", ("/x/a.py", 1, "f"))
    cause = traceback("0", "ValueError: x", ("/x/b.py", 2, "g"))
    found = seen("\n".join([*broken, *cause]))
    assert found.first is not None and found.first.error == "ValueError"
    assert [d.consequence for d in found.deaths] == [True, False]


def test_a_traceback_of_rich_and_a_cpp_exception() -> None:
    rich = (
        "╭──────────── Traceback (most recent call last) ───────────╮\n"
        "│ /x/train.py:619 in <module>                              │\n"
        "│ ❱ 619 │   main()                                         │\n"
        "│ /x/model.py:20 in forward                                │\n"
        "╰──────────────────────────────────────────────────────────╯\n"
        "RuntimeError: boom\n"
    )
    (death,) = seen(rich).deaths
    assert death.frames == (Frame("/x/train.py", 619, "<module>"), Frame("/x/model.py", 20, "forward"))
    cpp = seen("terminate called\n  what():  [enforce] op.preamble.length <= op.nbytes. 8 vs 4\n")
    assert cpp.deaths[0].error == "C++ exception" and "MM201" in rules(cpp)


def test_a_traceback_whose_end_never_comes() -> None:
    text = '[rank1]: Traceback (most recent call last):\n[rank1]:   File "a.py", line 3, in f\n' + "x\n" * 20
    assert [d.error for d in seen(text).deaths] == [""]


def test_words_of_other_processes_do_not_end_a_traceback() -> None:
    text = (
        'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    x()\n'
        "[INFO] something else\nloss: 3\nsaving\nValueError: real\n"
    )
    assert [(d.error, d.message) for d in seen(text).deaths] == [("ValueError", "real")]


def test_recursion_and_thousands_of_deaths_stay_small() -> None:
    deep = (
        "Traceback (most recent call last):\n"
        + '  File "a.py", line 3, in f\n' * 5000
        + "RecursionError: x\n"
    )
    assert len(seen(deep).deaths[0].frames) <= 200
    many = "".join(
        f'Traceback (most recent call last):\n  File "a{i}.py", line 3, in f\nValueError: x\n'
        for i in range(500)
    )
    found = seen(many)
    assert len(found.deaths) == 64 and found.more_deaths == 436


# -- NCCL, launches, versions --------------------------------------------------------------------------

WATCHDOG = "Watchdog caught collective operation timeout: WorkNCCL("


def test_where_the_ranks_stood() -> None:
    found = seen(
        f"[rank0]:[E101 10:11:12.345 ProcessGroupNCCL.cpp:616] [Rank 0] {WATCHDOG}SeqNum=81, "
        "OpType=_ALLGATHER_BASE, NumelIn=8, NumelOut=16, Timeout(ms)=600000) ran for 600001 milliseconds\n"
        f"[E ProcessGroupNCCL.cpp:475] [PG 0 Rank 7] {WATCHDOG}SeqNum=82, OpType=ALLREDUCE, "
        "NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600001 milliseconds\n"
        f"[Rank 3] {WATCHDOG}OpType=BROADCAST, Timeout(ms)=1800000) ran for 1800001 milliseconds\n"
    )
    assert found.stands == (
        Stand("0", 81, "_ALLGATHER_BASE", 8, 600000, 1),
        Stand("3", -1, "BROADCAST", -1, 1800000, 3),
        Stand("7", 82, "ALLREDUCE", 1, 600000, 2),
    )
    assert found.time == "101 10:11:12" and found.died


@pytest.mark.parametrize(
    ("line", "script"),
    [
        (
            "[2026-01-02 03:04:05,6] [INFO] [runner.py:1:main] cmd = /x/python -m deepspeed.launcher.launch "
            "--world_info=x train.py --deepspeed ds.json",
            "train.py",
        ),
        ("process 1 spawned with command: ['/x/python', '-u', 'src/train.py', '--x']", "src/train.py"),
        ("+ torchrun --nproc_per_node 2 train.py --x 1", "train.py"),
        ("user@host:~$ WANDB=0 deepspeed a/train.py --deepspeed ds.json", "a/train.py"),
        ("accelerate launch --config_file a.yaml train.py", "train.py"),
    ],
)  # fmt: skip
def test_commands(line: str, script: str) -> None:
    (started,) = seen(line + "\n").started
    assert started.script == script


def test_versions_and_strategies() -> None:
    found = seen("DeepSpeed info: version=0.14.4, git\ntransformers version: 4.49.0\ntorch==2.1.0+cu118\n"
                 "  File \"/x/deepspeed/runtime/zero/stage3.py\", line 3, in step\n")  # fmt: skip
    assert dict(found.versions) == {"deepspeed": "0.14.4", "transformers": "4.49.0", "torch": "2.1.0"}
    assert found.strategies == ("zero3",)


def test_a_signature_counts_only_in_its_versions() -> None:
    text = "RuntimeError: still have inflight params [1]\n"
    assert "MM201" in rules(seen(text)) and "MM201" in rules(seen("DeepSpeed info: version=0.14.4\n" + text))
    assert "MM201" not in rules(seen("DeepSpeed info: version=0.16.9\n" + text))


def test_a_signature_counts_only_under_its_strategies() -> None:
    text = "CheckpointError: Recomputed values for the following tensors have different metadata\n"
    ddp = '  File "/x/torch/nn/parallel/distributed.py", line 3, in forward\n'
    assert "MM115" in rules(seen(text)) and "MM115" not in rules(seen(ddp + text))


# -- secrets -------------------------------------------------------------------------------------------

SECRETS = ["hf_" + "AbCd" * 8, "ghp_" + "a1" * 18, "0123456789abcdef" * 2 + "01234567", "sk-" + "x9" * 20]


@pytest.mark.parametrize("secret", SECRETS)
def test_known_tokens_are_masked(secret: str) -> None:
    assert secret not in masked(f"a {secret} b") and "***" in masked(secret)


@pytest.mark.parametrize(
    "text",
    [
        "token=hunter2hunter", "HF_TOKEN: 'hunter2hunter'", '"api_key": "hunter2hunter"',
        "--hub_token hunter2hunter",
        "WANDB_API_KEY=hunter2hunter", "Authorization: Bearer hunter2hunter", "https://me:hunter2hunter@host/x",
        "password = hunter2hunter", "AWS_SECRET_ACCESS_KEY=hunter2hunter",
    ],
)  # fmt: skip
def test_named_secrets_are_masked(text: str) -> None:
    assert "hunter2" not in masked(text)


@pytest.mark.parametrize(
    "text", ["cls_token: copying a param", "pad_token=<unk1>", "num_tokens: 512", "token_type_ids: 12345678"]
)
def test_words_of_the_trade_are_not(text: str) -> None:
    assert masked(text) == text


def test_nothing_of_a_secret_gets_into_what_is_kept() -> None:
    secret = SECRETS[0]
    log = (
        f"deepspeed train.py --hub_token {secret} --x=1\n"
        f'Traceback (most recent call last):\n  File "a.py", line 1, in f\n{INFLIGHT} {secret}\n'
        f"{'x' * 300}RuntimeError: still have inflight params {secret} {'y' * 300}\n"
    )
    assert secret not in repr(seen(log)) and "abcdefghij" in quoted("x" * 300 + "abcdefghij", 300)
    assert masked_words(("--token", "abc", "--n", "3")) == ("--token", "***", "--n", "3")


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=400), st.integers(0, 400))
def test_a_quotation_is_short(text: str, at: int) -> None:
    assert len(quoted(text, min(at, len(text)))) <= 250


# -- hostile and large logs ----------------------------------------------------------------------------


PARTS = [
    *(
        b"Traceback (most recent call last):\n",
        b'  File "a.py", line 1, in f\n',
        b"ValueError: x\n",
        b"[rank0]: ",
    ),
    *(b"\r", b"\n", b"\xff\x00\n", b"\x1b[", b"cmd = ['a", b"spawned with command: [[[[[[", b"  what():  \n"),
    *(b"Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1, OpType=X, ", b"loss': nan\n"),
    b"exits with return code = -9\n",
]


@settings(max_examples=80, deadline=None)
@given(st.lists(st.sampled_from(PARTS), max_size=40))
def test_no_log_makes_it_fail(parts: list[bytes]) -> None:
    seen(b"".join(parts))


HOSTILE = [
    *(b"spawned with command: " + b"[" * 12000, b"+ deepspeed " + b"A=1 " * 3000, b"[" * 16000, b"1" * 16000),
    *(b"cmd = torchrun " + b"'" * 11999, b"\x1b[" + b"0;" * 8000, b"Watchdog caught " * 1000),
    *(b"token" * 3000 + b"rror: mpi4py", b"https://" + b"a" * 16000, b"zero_optimization_stage " * 600),
    b"[PG " * 4000 + b"Watchdog caught collective operation timeout: WorkNCCL(OpType=X, Timeout(ms)=1",
    b"a." * 8000 + b"Error: No module named 'mpi4py'",
]


@pytest.mark.parametrize("line", HOSTILE, ids=lambda line: repr(line[:24]))
def test_a_hostile_line_costs_little(line: bytes) -> None:
    begun = time.process_time()
    seen(b'Traceback (most recent call last):\n  File "a.py", line 1, in f\n' + line + b"\n")
    assert time.process_time() - begun < 2.0


PEAK = """
import re, sys
from mmcodemod.triage.reading import read
from mmcodemod.triage.signatures import signatures
known = signatures()
with open(sys.argv[1], "rb") as stream:
    found = read(stream, known)
print(found.size, len(found.heard), re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="asks Linux for the peak")
def test_memory_does_not_grow_with_the_log(tmp_path: Path) -> None:
    """Of a log of 1 GB it was 42 MB. Here 30 MB with each kind of line, read by a process of its own."""
    log = tmp_path / "log"
    bars = b"".join(b"\r  4%%|#   | %d/100 [00:01<00:02, 8.7it/s]" % i for i in range(1000))
    body = bars + b"\n{'loss': 1.25, 'grad_norm': 2.5}\n[rank3]: [INFO] step\n" * 50
    begun = [traceback(str(i), INFLIGHT, ("b.py", i, "f"))[:-1] for i in range(400)]
    with log.open("wb") as file:
        for _ in range(600):
            file.write(body)
        file.write(b"y" * 8_000_000 + b"\n" + interleaved(*begun).encode() + INFLIGHT.encode())
    done = subprocess.run(
        [sys.executable, "-c", PEAK, str(log)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
    )
    size, heard, peak = map(int, done.stdout.split())
    assert size == log.stat().st_size > 30_000_000 and heard >= 4
    assert peak < 80_000  # kilobytes


def test_gzip_reads_the_same(tmp_path: Path) -> None:
    text = b"OSError: [Errno 28] No space left on device\n"
    (tmp_path / "log.gz").write_bytes(gzip.compress(text))
    with gzip.open(tmp_path / "log.gz") as stream:
        assert reading.read(stream, EVERY) == seen(text)


def test_a_death_without_frames_is_sorted_with_the_others() -> None:
    assert Seen(deaths=(Death("A", "", 9), Death("B", "", 3))).first == Death("B", "", 3)


STATE = "RuntimeError: Error(s) in loading state_dict for Net:"
MISSING = '\tMissing key(s) in state_dict: "a.bias".'
MISMATCH = "\tsize mismatch for a.weight: copying a param with shape torch.Size([4]) from checkpoint"


def test_the_line_below_that_decides_belongs_to_the_message() -> None:
    ranks = [
        [
            *traceback(rank, STATE, ("a.py", 3, "load")),
            f"[rank{rank}]: {MISSING}",
            f"[rank{rank}]: {MISMATCH}",
        ]
        for rank in "01"
    ]
    (death,) = seen(interleaved(*ranks) + "[rank0]: done\n").deaths
    assert death.ranks == ("0", "1")
    assert death.message == "Error(s) in loading state_dict for Net: " + MISMATCH.strip()
    first = seen("\n".join([*traceback("", STATE, ("a.py", 3, "load")), MISSING, "saving"])).deaths[0]
    assert first.message.endswith("for Net: " + MISSING.strip())


def test_what_stands_below_is_bounded_and_no_other_traceback() -> None:
    lines = [*traceback("", STATE, ("a.py", 3, "load")), *["\tx" * 500] * 500]
    assert len(seen("\n".join(lines)).deaths[0].message) == 600
    assert seen("\n".join(lines)).deaths[0].message.endswith("…")
    two = seen(
        "\n".join(traceback("", STATE, ("a.py", 3, "f")) + traceback("", "ValueError: x", ("b.py", 4, "g")))
    )
    assert [d.message for d in two.deaths] == ["Error(s) in loading state_dict for Net:", "x"]
