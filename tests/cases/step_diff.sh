#!/bin/bash
# prof-report step-diff: two steps side by side; parts add up to the steps, in every recording; what is longer, additional and missing has its name.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

python3 -S - "$REPORT" "$ROOT" <<'END' || fail "a comparison of steps"
import glob, json, subprocess, sys
report, root = sys.argv[1:]
def run(*arguments, wanted=0):
    done = subprocess.run([report, *arguments], capture_output=True, text=True)
    assert done.returncode == wanted, (arguments, done.returncode, done.stderr)
    return done.stdout
def of(name, *options):
    return json.loads(run("step-diff", f"{root}/tests/truth/recordings/{name}.evt", "--limit", "0", "--format", "json", *options))
def rows(document, what):
    return [row for row in document["rows"] if row["what"] == what]

compared = 0
for path in sorted(glob.glob(root + "/tests/truth/recordings/*.evt")):
    document = json.loads(run("step-diff", path, "--limit", "0", "--format", "json"))
    totals, parts = document["totals"], document["rows"]
    if "slow_ns" not in totals:
        assert not parts, path
        continue
    compared += 1
    for side in ("slow", "typical"):
        assert sum(row[side + "_ns"] or 0 for row in parts) == totals[side + "_ns"], (path, side)
        waits = [(row[side + "_waiting_ns"], row) for row in parts if row[side + "_waiting_ns"] is not None]
        assert all(wait <= totals[side + "_ns"] for wait, _ in waits), (path, side)
    assert len(rows(document, "additional")) == totals["additional"] and len(rows(document, "missing")) == totals["missing"], path
    assert [row["position"] for row in sorted(parts, key=lambda row: row["position"])] == list(range(len(parts))), path
assert compared >= 60, compared

# A checkpoint every tenth step: what it does is in no other step.
checkpoint = of("checkpoint")
most = checkpoint["rows"][0]
assert (most["part"], most["what"]) == ("(after aten::detach)", "additional"), most
assert checkpoint["totals"]["missing"] == 0
# The same two the other way round.
back = of("checkpoint", "--steps", "%d,%d" % (checkpoint["totals"]["typical_step"], checkpoint["totals"]["slow_step"]))
assert (back["totals"]["missing"], back["totals"]["additional"]) == (checkpoint["totals"]["additional"], 0)
assert sum(row["longer_ns"] for row in back["rows"]) == -sum(row["longer_ns"] for row in checkpoint["rows"])

text = run("step-diff", root + "/tests/truth/recordings/gc_pauses.evt", "--width", "80")
assert "By category: gc " in text and "in gc_pauses.py:17." in text, text
assert all(len(line) <= 80 for line in text.split("\n\n")[0].split("\n")), text
for given, said in (("x", "no pair of steps"), ("1,", "no pair of steps"), ("1,99999", "no process has steps 1 and 99999"), ("-1,2", "no pair"),
                    ("99999999999999999999999,1", "no pair")):
    text = run("step-diff", root + "/tests/truth/recordings/good.evt", "--steps=" + given)
    assert said in text, (given, text)
END
