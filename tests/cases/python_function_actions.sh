#!/bin/bash
# Calls of Python functions by action of Lightning's Trainer are those of cProfile that is enabled in the action, exactly; by step and range, too.
# SPDX-License-Identifier: MIT
# timeout: 420
. "$ROOT/tests/lib.sh"
need_lightning eager

cat >program.py <<'EOF'
import cProfile, logging, pstats, sys, warnings
import lightning.pytorch as pl, torch
from lightning.pytorch.profilers import PassThroughProfiler
warnings.simplefilter("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
Data = torch.utils.data.TensorDataset
ACTIONS = ["run_training_batch", "[Strategy]SingleDeviceStrategy.training_step", "outer", "inner", "twice", "half"]

class Mine(PassThroughProfiler):  # cProfile in one action, if any
    def __init__(self, wanted):
        super().__init__()
        self.wanted, self.depth, self.profile_of = wanted, 0, cProfile.Profile()

    def start(self, action_name):
        super().start(action_name)
        self.depth += action_name == self.wanted
        if action_name == self.wanted and self.depth == 1:
            self.profile_of.enable()

    def stop(self, action_name):
        if action_name == self.wanted and self.depth == 1:
            self.profile_of.disable()
        self.depth -= action_name == self.wanted
        super().stop(action_name)

class Model(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(8, 2)

    def training_step(self, batch, index):
        return torch.nn.functional.cross_entropy(self.net(batch[0]), batch[1])

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

def leaves(profiler):  # ends an action that its caller has begun, and begins it again
    abs(-1)
    profiler.stop("half")
    abs(-2)
    profiler.start("half")
    return fib(3)

def numbers():
    yield fib(2)
    yield fib(3)

def own(profiler):
    resumed = numbers()
    next(resumed)
    with profiler.profile("outer"):
        fib(5), next(resumed)
        with profiler.profile("inner"):
            fib(4), len([1])
        with profiler.profile("twice"):
            with profiler.profile("twice"):
                fib(6)
            fib(2)
    profiler.start("half")
    leaves(profiler)
    profiler.stop("half")
    profiler.start("outer")  # actions that overlap
    profiler.start("inner")
    fib(3)
    profiler.stop("outer")
    fib(4)
    profiler.stop("inner")

def once(wanted):
    torch.manual_seed(1)
    profiler = Mine(wanted)
    data = Data(torch.randn(24, 8), torch.randint(0, 2, (24,)))
    trainer = pl.Trainer(max_epochs=1, accelerator="cpu", devices=1, logger=False, enable_progress_bar=False,
                         enable_checkpointing=False, enable_model_summary=False, profiler=profiler)
    trainer.fit(Model(), torch.utils.data.DataLoader(data, batch_size=8))
    own(profiler)
    return profiler

once(None)  # what is done for the first time
for i, action in enumerate(ACTIONS):
    with torch.cuda.nvtx.range("turn %d" % i):
        profiler = once(action if sys.argv[1] == "theirs" else None)
    if sys.argv[1] == "theirs":
        profiler.profile_of.create_stats()
        pstats.Stats(profiler.profile_of).dump_stats("theirs.%d" % i)
EOF

cat >compare.py <<'EOF'
import json, pstats, re, sys

# What the two runs cannot have in common: cProfile does not see super().stop(), which comes after disable(), nor what ours calls there.
OURS = re.compile("action_begin|action_end|'disable'|/(profiler|base).py:[0-9]+.(start|stop)|:[0-9]+.is_(compiling|scripting)")

# Functions of C that share a definition have the name of the one that was called first.
def name(file, line, function):
    return "%s:%s(%s)" % (file, line, re.sub(" at 0x[0-9a-f]+|built-in method ", "", function))

wrong = seen = 0
for i, action in enumerate(["run_training_batch", "[Strategy]SingleDeviceStrategy.training_step", "outer", "inner", "twice", "half"]):
    theirs, ours = {}, {}
    for place, (cc, nc, tt, ct, callers) in pstats.Stats("theirs.%d" % i).stats.items():
        theirs[name(*place)] = [nc, cc]
    for row in json.load(open("turn.%d" % i))["rows"]:
        if row["action"] == action:
            ours[name(row["file"], row["line"], row["function"])] = [row["ncalls"], row["primitive_calls"]]
    for key in sorted(theirs.keys() | ours.keys()):
        if not OURS.search(key):
            seen += 1
            if theirs.get(key) != ours.get(key):
                wrong += 1
                print("%s: %s: cProfile %s, ours %s" % (action, key, theirs.get(key), ours.get(key)))
assert seen > 100, seen
sys.exit(wrong != 0)
EOF

"$PYTHON" program.py theirs >bare.out 2>&1 || fail "bare: $(tail -3 bare.out)"
INTERCEPT_TRACE=+functions,-alloc run_traced "$PYTHON" program.py ours >traced.out 2>&1 || fail "traced: $(tail -3 traced.out)"
for i in 0 1 2 3 4 5; do
	"$REPORT" functions --by action --range "turn $i" --limit 0 --format json "$OUTPUT" >turn.$i || fail "no report of turn $i"
done
python3 -S compare.py || fail "calls by action differ"

# the totals have each call once, whatever actions it was in; nothing was lost of what no action has
expect "$OUTPUT" 'functions("--by", "action").totals.ncalls == functions.totals.ncalls' \
	'functions("--by", "step").sum("ncalls") == functions.totals.ncalls' \
	'functions("--by", "range").sum("ncalls") == functions.totals.ncalls' \
	'functions("--by", "thread").sum("ncalls") == functions.totals.ncalls' \
	'{r["function"] for r in functions("--by", "action").rows if r["action"] == "(no action)"} > {"once", "own"}' \
	'not [r for r in functions("--by", "action").rows if r["action"] == "(no action)" and r["function"] == "training_step"]'
# three steps a fit, and seven fits: each step after the first has one training_step
expect "$OUTPUT" 'sorted(r["step"] for r in functions("--by", "step").rows if r["function"] == "training_step" and "program.py" in r["file"])[:21] == list(range(21))' \
	'all(r["ncalls"] == 1 for r in functions("--by", "step").rows if r["function"] == "training_step" and "program.py" in r["file"])'
# one action alone, as a file for pstats
"$REPORT" functions --range inner --format pstats -o inner.prof "$OUTPUT" || fail "no pstats of an action"
"$PYTHON" -c 'import pstats
counts = [nc for place, (cc, nc, *_) in pstats.Stats("inner.prof").stats.items() if place[2] == "fib"]
assert counts == [7 * (9 + 5 + 9)], counts' || fail "pstats of an action"
