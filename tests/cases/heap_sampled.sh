#!/bin/bash
# INTERCEPT_HEAP_EVERY: a sample of the heap, whose estimates are what the program counted itself, each within its own error.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program heap_sampled
INTERCEPT_HEAP_EVERY=64K run_traced "$PROGRAMS/heap_sampled" >did.json 2>err || fail "status $?: $(cat err)"

# Six standard errors: once in 500 million runs.
"$REPORT" alloc --format json --allocator c "$OUTPUT" >alloc.json || fail "alloc: status $?"
"$REPORT" leaks --format json "$OUTPUT" >leaks.json || fail "leaks: status $?"
"$REPORT" threads --format json "$OUTPUT" >threads.json || fail "threads: status $?"
python3 -S - <<'END' || fail "estimates"
import json, sys
did, alloc, leaks, threads = (json.load(open(name + ".json")) for name in ("did", "alloc", "leaks", "threads"))
totals, bad = alloc["totals"], []

def near(what, got, wanted, error):
    print(what, "estimated", got, "is", wanted, "error", error)
    if not 0 < error < wanted / 2 or abs(got - wanted) > 6 * error:
        bad.append(what)

def equal(what, got, wanted):
    if got != wanted:
        bad.append("%s: got %s, wanted %s" % (what, got, wanted))

near("bytes", totals["bytes_allocated"], did["bytes"], totals["bytes_allocated_error"])
near("kept bytes", totals["live_bytes"], did["kept_bytes"], totals["live_bytes_error"])
equal("a sample", totals["sampled_allocations"] < did["blocks"] / 2, True)
equal("one in", totals["heap_every"], 65536)
for name in "frees_unmatched", "address_reused", "reallocs_failed":
    equal(name, totals[name], 0)
equal("temporary blocks, which are not known", totals["temporary_allocations"], None)
equal("bytes of the rows", sum(row["bytes_allocated"] for row in alloc["rows"]), totals["bytes_allocated"])
equal("bytes of the threads", sum(row["bytes_allocated"] for row in threads["rows"]), totals["bytes_allocated"])
equal("bytes of the leaks", leaks["totals"]["bytes"], totals["live_bytes"])
equal("blocks, less freed ones", abs(totals["allocations"] - totals["frees"] - totals["end_allocations"]) <= 1, True)
equal("losses", alloc["losses"], [])
equal("growth", leaks["totals"]["freed_later_rows"], 0)
for row in alloc["rows"]: # 0 where all blocks are so large that each is in the sample
    equal("error of " + row["caller"], row["bytes_error"] is not None, True)
print("\n".join(bad))
sys.exit(bool(bad))
END

# Each report says so.
for report in alloc leaks peak summary; do
	"$REPORT" "$report" "$OUTPUT" >text 2>&1 || fail "$report: status $?"
	grep -q 'figures of the heap are estimates' text || fail "$report does not say that it is a sample: $(head -20 text)"
	grep -q 'estimates from .* sampled blocks, one in 64.0 KiB (INTERCEPT_HEAP_EVERY); +- is the standard error' <(tr -s '\n ' ' ' <text) ||
		fail "$report without the sample: $(head -20 text)"
done

# Of each allocation, nothing is an estimate.
INTERCEPT_HEAP_EVERY=1 run_traced "$PROGRAMS/heap_sampled" >did.json 2>err || fail "status $?"
expect_eq "sampled" "$(json alloc "$OUTPUT" "totals.get('sampled_allocations')")" null
"$REPORT" alloc "$OUTPUT" | grep estimates && fail "estimates where all was recorded"

# What cannot be.
INTERCEPT_HEAP_EVERY=500 run_traced "$PROGRAMS/heap_sampled" >did.json 2>err
grep -q "^intercept: INTERCEPT_HEAP_EVERY='500' is not allowed; allowed is 0 or 1 for each allocation, or a size from 1K to 1G, such as 512K; taking '0'$" err ||
	fail "a wrong size: $(cat err)"
true
