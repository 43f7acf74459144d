#!/bin/bash
# INTERCEPT_TRACE=+modules: calls of nn.Module as a program's own hooks count them; results and looks are those without us.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 500
need_torch eager
cat >models.py <<'END'
import copy, pickle, threading, torch
nn = torch.nn
torch.manual_seed(1)


class Block(nn.Module):
    def __init__(self, shared):
        super().__init__()
        self.conv, self.shared, self.hidden = nn.Conv2d(4, 4, 3, padding=1), shared, [nn.Sequential(nn.Identity())]

    def forward(self, x):
        return self.hidden[0](nn.ReLU()(self.shared(self.conv(x))))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        shared = nn.BatchNorm2d(4)
        self.stem = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU())
        self.blocks = nn.ModuleList([Block(shared), Block(shared)])
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(144, 10))

    def forward(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        return self.late(self.head(x)) if hasattr(self, "late") else self.head(x)


class Fails(nn.Module):
    def forward(self, x):
        raise x


class Fragile(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Fails()

    def forward(self, x):
        try:
            return self.inner.__call__(x)
        except ValueError:
            return torch.ones(1)


class Again(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = nn.Linear(4, 4)

    def forward(self, x, depth):
        return self.last(x) if depth == 0 else self(x, depth - 1)


class Compares(nn.Identity):  # unlike others, has no hash
    __eq__ = lambda self, other: True
    __hash__ = None
END
cat >train.py <<'END'
import collections, json, sys
from models import *
from torch.nn.modules import module as home
calls = collections.Counter()
if "count" in sys.argv:
    home.register_module_forward_pre_hook(lambda module, arguments: calls.update([type(module).__name__]))
net, results = Net(), []
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(4):
    if step == 2:
        net.late = nn.Linear(10, 10)
    loss = nn.functional.cross_entropy(net(torch.randn(8, 1, 8, 8)), torch.randint(0, 10, (8,)))
    loss.backward()
    optimizer.step()
    results.append(loss)
encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), 2)
results.append(encoder(torch.randn(2, 5, 16)))
encoder.eval()
with torch.inference_mode():
    results.append(encoder(torch.randn(2, 5, 16)))
for error in ValueError(), KeyError(), KeyboardInterrupt(), ValueError():
    try:
        results.append(Fragile()(error))
    except BaseException as caught:
        print(repr(caught))
again = Again()
results += [again(torch.ones(4), 3) for _ in range(3)]
results.append(Compares()(torch.ones(1)))
results.append(torch.utils.checkpoint.checkpoint(net.head, torch.randn(2, 144, requires_grad=True), use_reentrant=False))
results[-1].sum().backward()
net.eval()
threads = [threading.Thread(target=lambda: [net(torch.ones(1, 1, 8, 8)) for _ in range(20)]) for _ in range(4)]
[t.start() for t in threads], [t.join() for t in threads]
traced, script = torch.jit.trace(net.head, torch.ones(1, 144)), torch.jit.script(Again().last)
results += [traced(torch.ones(1, 144)), script(torch.ones(4)), torch.fx.symbolic_trace(net.head)(torch.ones(1, 144))]
results.append(nn.DataParallel(net)(torch.ones(2, 1, 8, 8)))
twin = pickle.loads(pickle.dumps(copy.deepcopy(net)))
results.append(twin(torch.ones(2, 1, 8, 8)))
print(net, sorted(vars(net)), sorted(vars(net.head)), twin.__getstate__().keys(), b"ntercept" in pickle.dumps(net))
print([float(r.double().sum()).hex() for r in results])
print([finder for finder in sys.meta_path if "ntercept" in repr(finder)], [n for n in sys.modules if "ntercept" in n])
json.dump(calls, open("calls.json", "w"))
END
"$PYTHON" -W ignore train.py >bare.out 2>bare.err || fail "bare: $(tail -5 bare.err)"
INTERCEPT_TRACE=+modules,-alloc run_traced "$PYTHON" -W ignore train.py >traced.out 2>traced.err || fail "$(tail -5 traced.err)"
cmp bare.out traced.out || fail "what the program sees: $(diff bare.out traced.out)"
cmp bare.err traced.err || fail "standard error: $(diff bare.err traced.err)"

# counts are those of hooks of the program's own, by class
rm -f ./*.evt
INTERCEPT_TRACE=+modules,-alloc run_traced "$PYTHON" -W ignore train.py count >out 2>err || fail "$(tail -5 err)"
"$REPORT" modules --format json --limit 0 "$OUTPUT" >rows.json || fail "report"
"$REPORT" modules --format json --tree --limit 0 "$OUTPUT" >tree.json || fail "tree"
"$REPORT" dump "$OUTPUT" >dump.txt
expect_eq "ends" "$(grep -c ' torch_module_end' dump.txt)" "$(grep -c ' torch_module_begin' dump.txt)"
python3 -S - <<'END' || fail "rows"
import collections, json
theirs = collections.Counter(json.load(open("calls.json")))
doc, tree = json.load(open("rows.json")), json.load(open("tree.json"))["rows"]
ours = collections.Counter()
for row in doc["rows"]:
    ours[row["class"]] += row["calls"] + row["recomputed_calls"]
assert ours == theirs, {k: (ours[k], theirs[k]) for k in ours | theirs if ours[k] != theirs[k]}
rows = {(r["class"], r["module"]): r for r in doc["rows"]}
for name in ("Net", "Net"), ("Sequential", "stem"), ("Conv2d", "stem.0"), ("ReLU", "stem.1"), ("Block", "blocks.1"), \
        ("Conv2d", "blocks.1.conv"), ("BatchNorm2d", "blocks.0.shared"), ("ReLU", "blocks.1.?"), ("Identity", "blocks.0.?.0"), \
        ("Linear", "late"), ("TransformerEncoderLayer", "layers.1"), ("Linear", "layers.0.linear1"), ("Linear", "last"):
    assert name in rows, (name, sorted(rows))
def calls(*name):
    return rows[name]["calls"]
assert calls("BatchNorm2d", "blocks.0.shared") == calls("Block", "blocks.0") + calls("Block", "blocks.1")
assert ("BatchNorm2d", "blocks.1.shared") not in rows
# the layers in eval mode are called, what is in them is not (the fast path); Again calls itself
assert calls("TransformerEncoderLayer", "layers.1") == 2 and calls("Linear", "layers.0.linear1") == 1
assert calls("Again", "Again") == 12 and rows["Linear", "last"]["depth"] == 4, rows["Linear", "last"]
assert rows["Sequential", "head"]["depth"] == 0  # the checkpoint calls it alone, by its name in the net
assert calls("Fragile", "Fragile") == calls("Fails", "inner") == 4 and rows["Fragile", "Fragile"]["open"] == 0
for r in doc["rows"]:
    assert 0 <= r["self_ns"] <= r["total_ns"] and r["min_ns"] <= r["p50_ns"] <= r["p99_ns"] <= r["max_ns"], r
assert rows["Net", "Net"]["tensor_bytes"] > rows["Sequential", "stem"]["tensor_bytes"] > 0
assert rows["Conv2d", "stem.0"]["operators"] >= 4 * calls("Conv2d", "stem.0")
# rows of the tree add up: each below the time of the one around it
inside, path = collections.Counter(), []
for i, r in enumerate(tree):
    path[r["depth"]:] = [i]
    if r["depth"]:
        inside[path[-2]] += r["total_ns"]
assert all(r["total_ns"] - inside[i] == r["self_ns"] for i, r in enumerate(tree))
assert [r["module"] for r in tree if r["depth"] == 1][:2] == ["stem", "blocks.0"]  # in the order of calls
assert sum(r["self_ns"] for r in tree) == sum(r["self_ns"] for r in doc["rows"]) == doc["totals"]["total_ns"]
END
"$REPORT" modules --tree "$OUTPUT" >table || fail "tree as a table"
expect_match "a child" "$(grep -m 1 'stem\.0' table)" '^    stem\.0 +Conv2d '

# torch.compile: the same graphs, nothing breaks, no warning; a call of what was compiled is one of the module
cat >compile.py <<'END'
import sys, warnings
from models import *
if tuple(map(int, torch.__version__.split(".")[:2])) < (2, 8):
    sys.exit(77)
warnings.simplefilter("error")
counters = torch._dynamo.utils.counters


def show(what, *results):
    print(what, [float(r.detach().sum()).hex() for r in results], dict(counters["stats"]), len(counters["graph_break"]))
    torch._dynamo.reset()
    counters.clear()


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = torch.compile(Again(), backend="eager")

    def forward(self, x):
        return self.part(x, 0)


for name, module, x in ("net", Net(), torch.ones(2, 1, 8, 8)), ("sequential", nn.Sequential(nn.Linear(4, 4), nn.ReLU()), torch.ones(4)):
    compiled = torch.compile(module, backend="eager", fullgraph=name == "sequential")
    show(name, *[compiled(x) for _ in range(3)])
    function = torch.compile(lambda x: module(x) + 1, backend="eager")
    show("function of " + name, *[function(x) for _ in range(3)])
    module.compile(backend="eager")
    show(name + ".compile()", *[module(x) for _ in range(3)])
outer = Outer()
show("a part", outer(torch.ones(4)), outer(torch.ones(4)))
print(type(torch.export.export(nn.Sequential(nn.Linear(4, 4)), (torch.ones(4),))).__name__)
END
PYTHONPATH='' "$PYTHON" compile.py >bare.out 2>bare.err
status=$?
if [[ $status != 77 ]]; then
	expect_eq "bare ($(tail -5 bare.err)), status" $status 0
	rm -f ./*.evt
	PYTHONPATH='' INTERCEPT_TRACE=+modules,-alloc run_traced "$PYTHON" compile.py >traced.out 2>traced.err || fail "$(tail -5 traced.err)"
	cmp bare.out traced.out || fail "torch.compile: $(diff bare.out traced.out)"
	expect "$OUTPUT" 'modules.row(module="Net").calls >= 3' 'modules.row(module="Outer").calls == 2' \
		'modules.row(module="part")["class"] == "Again"' 'modules.row(module="part").calls == 2' \
		'not modules.select(**{"class": "OptimizedModule"})' 'modules.totals.unmatched == 0' 'modules.totals.open == 0'
fi

# without it nothing is registered, and the report says why there is nothing
rm -f ./*.evt
cat >plain.py <<'END'
from models import *
from torch.nn.modules import module as home
assert not home._global_forward_hooks and not home._global_forward_pre_hooks
Net()(torch.ones(1, 1, 8, 8))
END
INTERCEPT_TRACE=-alloc run_traced "$PYTHON" plain.py >out 2>err || fail "without +modules: $(tail -5 err)"
expect "$OUTPUT" 'modules.rows == []' 'modules.totals.calls == 0'
expect_match "no modules" "$("$REPORT" modules "$OUTPUT")" 'INTERCEPT_TRACE was without modules'
