#!/bin/bash
# INTERCEPT_SCHEDULE: each step has the action that torch.profiler.schedule() gives it, for many schedules.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_torch eager
"$PYTHON" - >table 2>err <<'END' || skip "torch.profiler does not come: $(tail -1 err)"
import inspect, itertools, random, warnings
from torch.profiler import schedule
warnings.simplefilter("ignore")
keys = ["wait", "warmup", "active", "repeat", "skip_first", "skip_first_wait"]
have = [k for k in keys if k in inspect.signature(schedule).parameters]
random.seed(7)
cases = list(itertools.product(range(3), range(3), range(1, 4), range(3), range(3), range(2)))
cases += [tuple(random.randrange(k == 2, 20) for k in range(6)) for _ in range(500)]
for values in cases:
    given = {k: v for k, v in zip(keys, values) if k in have}
    order = random.sample(list(given), len(given))
    text = ",".join("%s=%d" % (k, given[k]) for k in order if given[k] or random.random() < .5)
    action = schedule(**given)
    print(text, "".join(str(int(action(step).value)) for step in range(120)))
END
"$BUILD/unit/test_schedule" table >out 2>&1 || fail "$(cat out)"
grep -q "^$(wc -l <table) schedules of the table" out || fail "not all of the table was compared: $(cat out)"
(($(wc -l <table) > 900)) || fail "few schedules: $(wc -l <table)"
