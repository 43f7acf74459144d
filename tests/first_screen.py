#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
first_screen.py [--write] PROF-REPORT TESTS

Looks at what prof-report shows first on a terminal, of each recording below TESTS: how large it is, whether its verdict's
line is in the recording, whether shares add up, words, and colours. Some of these screens are golden: golden/screens.
"""
import fcntl
import glob
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import threading

LINES, COLUMNS, WORDS = 25, 80, 25
GOLDEN = {
    "samples": "golden/samples.evt",  # a script of Python
    "native": "golden/native.evt",  # a native program
    "killed": "golden/killed.evt",
    "families": "golden/families.evt",  # a part of a training on a GPU
    "straggler": "truth/recordings/straggler.evt",  # two ranks
    "gpu_item": "truth/recordings/gpu_item.evt",
    "python_leak": "truth/recordings/python_leak.evt",
}
found = []


def fault(path, text):
    found.append(f"{path}: {text}")


END = "\4 that is all"  # written behind the output: what a terminal holds when its last user goes may be lost


def on_terminal(command, folder, columns=COLUMNS, utf8=True, color=False):
    """What the command shows on a terminal of its own."""
    ours, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, columns, 0, 0))
    environment = dict(os.environ, PAGER="cat", TERM="xterm", LC_ALL="C.UTF-8" if utf8 else "C")
    environment.pop("COLUMNS", None)
    environment.pop("NO_COLOR", None)
    if not color:
        environment["NO_COLOR"] = "1"
    child = subprocess.Popen(command, cwd=folder, env=environment, stdin=terminal, stdout=terminal, stderr=subprocess.DEVNULL)
    writer = threading.Thread(target=lambda: (child.wait(), os.write(terminal, END.encode())))
    writer.start()
    text = b""
    while not text.endswith(END.encode()):
        text += os.read(ours, 1 << 16)
    writer.join()
    os.close(ours)
    os.close(terminal)
    if child.returncode not in (0, 1):  # 1: of a damaged file
        fault(command[-1], f"status {child.returncode}")
    return text[:-len(END)].decode().replace("\r\n", "\n")


def rows(report, path, *arguments):
    """Rows of a report; none where it has no such recording."""
    done = subprocess.run([REPORT, report, "--format", "json", *arguments, path], capture_output=True, check=False)
    return json.loads(done.stdout)["rows"] if done.stdout else []


def places(path):
    """FILE:LINE, without folders, of all that the recording says lines of."""
    known = set()
    for row in rows("bottleneck", path):
        known.update(os.path.basename(row[name]) for name in ("line", "caller") if row.get(name))
    for row in rows("lines", path, "--frames", "all"):
        if row["file"]:
            known.add(f"{os.path.basename(row['file'])}:{row['line']}")
    return known


def judge_size(path, text):
    lines = text.splitlines()
    if len(lines) > LINES:
        fault(path, f"{len(lines)} lines")
    for line in lines:
        if len(line) > COLUMNS:
            fault(path, f"a line of {len(line)} columns: {line}")
    if "\n\n\n" in text or not lines or not lines[0]:
        fault(path, "empty lines")


def judge_answer(path, file, answer):
    """The first paragraph: what ran, and the verdict."""
    for sentence in re.split(r"\. ", answer.replace("\n", " ")):
        if len(sentence.split()) > WORDS:
            fault(path, f"a sentence of {len(sentence.split())} words: {sentence}")
    verdict = answer.splitlines()[-2:]
    said = re.findall(r"\d+ % of [^:]*: (\S+:\d+)(?=,? |$)", " ".join(verdict))
    if said and not set(said) & places(file):
        fault(path, f"the verdict's line is not in the recording: {said}")
    for share in re.findall(r"(\d+) %", answer):
        if int(share) > 100:
            fault(path, f"a share of {share} %")
    for samples in re.findall(r"\((?:a guess: only )?([\d,]+) samples?\)", answer):
        if (int(samples.replace(",", "")) < 20) != ("guess" in answer):
            fault(path, f"{samples} samples are a guess, or are not: {answer}")


def judge_bars(path, text):
    """Percents of a legend are all there is; a bar has the marks of its legend and no others."""
    if re.search("^serving ", text, re.M) and not rows("requests", path) and not any(
            row["function"] in ("accept", "serve_forever") for row in rows("lines", path, "--frames", "all")):
        fault(path, "it is said to serve, but no request came, and nobody waited for a connection")
    for bar, legend in re.findall(r"^(?:run|serving|a step) +\[(.*)\].*\n((?:  .*\n)+)", text, re.M):
        shares = [int(share) for share in re.findall(r"(\d+) %", legend)]
        if shares and sum(shares) != 100:
            fault(path, f"shares add up to {sum(shares)}: {legend}")
        marks = set(re.findall(r"(?:^|[, ] *)(\S) [a-z0-9]", legend.replace("\n", " ")))
        if set(bar) - marks:
            fault(path, f"the legend lacks {set(bar) - marks}: {bar}, {legend}")


def judge_words(path, text):
    """A native program is told nothing of Python and PyTorch."""
    answer, *rest = text.split("\n\n")
    words = re.findall(r"(?i)\b(?:pytorch|torch|operators?|dataloader|training)\b", text)
    if not re.match(r"(?:The recording of )?(?:python|every_event)", answer) and rest and words:
        fault(path, f"words of PyTorch: {words}")


def judge_next(path, text):
    commands = re.findall(r"^(?:next:)? +(prof-report \S+)", text, re.M)
    if not commands or "--help" in text or not any("--all" in command for command in commands):
        fault(path, f"what to run next: {commands}")


def judge(path):
    folder, file = os.path.split(path)
    text = on_terminal([REPORT, file], folder)
    judge_size(path, text)
    judge_answer(path, os.path.abspath(path), text.split("\n\n")[0])
    judge_bars(path, text)
    judge_words(path, text)
    judge_next(path, text)


def judge_kinds(tests):
    """Widths, colours, character sets, --all, and no terminal; of one recording that has all."""
    folder, file = os.path.join(tests, "truth/recordings"), "gpu_item.evt"
    first = on_terminal([REPORT, file], folder)
    if "\33" in first:
        fault(file, "NO_COLOR is coloured")
    colored = on_terminal([REPORT, file], folder, color=True)
    if "\33[" not in colored or re.sub(r"\x1b\[[0-9;]*m", "", colored) != first:
        fault(file, "colours are missing, or change the text")
    plain = on_terminal([REPORT, file], folder, utf8=False)
    if not plain.isascii():
        fault(file, "not ASCII in the locale C")
    judge_bars(file, plain)
    for columns in (50, 40):
        for line in on_terminal([REPORT, file], folder, columns).splitlines():
            if len(line) > columns and "prof-report" not in line:
                fault(file, f"a line of {len(line)} columns on a terminal of {columns}: {line}")
    whole = on_terminal([REPORT, "--all", file], folder)
    piped = subprocess.run([REPORT, file], cwd=folder, capture_output=True, text=True, check=True,
                           env=dict(os.environ, COLUMNS=str(COLUMNS), LC_ALL="C.UTF-8")).stdout
    if whole != piped:
        fault(file, "--all is not what a pipe gets")
    if whole.split("\nnext:")[0] != first.split("\nnext:")[0] or "threads by" not in whole:
        fault(file, "the first screen is not the begin of --all, or no table follows")


def judge_golden(tests, writes):
    for name, path in GOLDEN.items():
        text = on_terminal([REPORT, os.path.basename(path)], os.path.join(tests, os.path.dirname(path)))
        golden = os.path.join(tests, "golden/screens", name + ".txt")
        if writes:
            with open(golden, "w", encoding="utf-8") as file:
                file.write(text)
        with open(golden, encoding="utf-8") as file:
            wanted = file.read()
        if text != wanted:
            fault(name, f"another screen than {golden}:\n{text}")


def main(report, tests, writes):
    global REPORT
    REPORT = os.path.abspath(report)
    recordings = [path for part in ("golden", "golden/events", "gpu/recordings", "truth/recordings")
                  for path in sorted(glob.glob(os.path.join(tests, part, "*.evt")))]
    if len(recordings) < 50:
        fault(tests, f"only {len(recordings)} recordings")
    for path in recordings:
        judge(path)
    judge_kinds(tests)
    judge_golden(tests, writes)
    for text in found:
        print(text, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*[argument for argument in sys.argv[1:] if argument != "--write"], "--write" in sys.argv))
