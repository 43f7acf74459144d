#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""judge.py [--live [--process PID]] PROF-REPORT RECORDING PROGRAM

Compares the advice for RECORDING with what the head of PROGRAM wants (training.py explains it). --live: the
machine may have been busy, so other advice may come too, but the wanted one is there, and none where "none" is
wanted that speaks of the optimizer or of Python; whether a thread was running may be left open. Where the report itself says that
the loop's thread had no CPU for most of the steps' time, launches wait for the machine and not the GPU for them: launch_bound is left open.
--process: of a recording of several programs. Prints what is wrong, exit status 1.
"""

import json
import re
import subprocess
import sys

LEFT_OPEN = "The thread was "
NO_CPU = re.compile(r"had no CPU for (\d+)(?:\.\d+)? % of the (?:steps' )?time")
NO_CPU_MOST = 50  # per cent
GUESS_SAMPLES = 20  # a line by fewer may be another one in another run
GUESSES = {"optimizer", "small_operators", "zero_grad", "item"}


def wanted(path):
    with open(path, encoding="utf-8") as file:
        lines = re.findall(r"^# (first|also|text|names|line|module): (.*)$", file.read(), re.M)
    head = dict(lines)
    texts = [text for key, text in lines if key == "text"]
    return head["first"], head.get("also", "").split(), texts, head.get("names", ""), head.get("line", ""), head.get("module", "")


def main():
    *options, program, recording, source = sys.argv[1:]
    live = "--live" in options
    first, also, texts, names, line, module = wanted(source)
    command = [program, "bottleneck", "--format", "json", *[option for option in options if option != "--live"], recording]
    rows = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["rows"]
    said = [row["id"] for row in rows if row["severity"] != "note"]
    wrong = []
    if live and first == "launch_bound" and any(int(share) > NO_CPU_MOST for row in rows for share in NO_CPU.findall(row["text"])):
        return 0
    if live:
        texts = [text for text in texts if not text.startswith(LEFT_OPEN)]
        if first != "none" and first not in said:
            wrong.append("no '%s'" % first)
        unwanted = [name for name in said if name in GUESSES - {first, *also}]
    else:
        if (said or ["none"])[0] != first:
            wrong.append("wanted '%s' first" % first)
        unwanted = [name for name in said if name not in {first, *also}]
    wrong += ["'%s' is not so" % name for name in unwanted]
    wrong += ["'%s' is not named" % text for text in texts if not any(text in str(row) for row in rows)]
    who, _, pattern = names.partition(" ")
    if names and not any(row["id"] == who and re.search(pattern, str(row)) for row in rows):
        wrong.append("'%s' does not name '%s'" % (who, pattern))
    # where stacks were sampled, or recorded with each collection or allocation: the user's own line, of the first advice
    has_stacks = first == "gc_pauses" or first.endswith("_growth") or any((row["samples"] or 0) > (GUESS_SAMPLES if live else 0) for row in rows if row["id"] == first)
    if line and has_stacks and not any(row["id"] == first and ("/" + (row["line"] or "")).endswith("/" + line) for row in rows):
        wrong.append("'%s' is not at %s" % (first, line))
    if module:
        command = [program, "modules", "--format", "json", recording]
        row = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["rows"][0]
        if row["module"] != module:
            wrong.append("the first module is '%s', not '%s'" % (row["module"], module))
    if wrong:
        print("%s: %s; said: %s" % (source, ", ".join(wrong), ", ".join(said) or "nothing"), file=sys.stderr)
        return 1
    return 0


sys.exit(main())
