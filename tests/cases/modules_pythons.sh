#!/bin/bash
# Calls of nn.Module in every CPython there is, with a package in place of torch: all are seen, by name, and the program sees nothing of it.
# SPDX-License-Identifier: MIT
# timeout: 300
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

mkdir -p torch/nn/modules
: >torch/nn/modules/__init__.py
cat >torch/__init__.py <<'EOF_PYTHON'
from torch.nn.modules.module import Module
EOF_PYTHON
echo "from torch.nn.modules import module" >torch/nn/__init__.py
# torch's own way of a call, 2.0 and later
cat >torch/nn/modules/module.py <<'EOF_PYTHON'
class Module:
    def __init__(self, **parts):
        self._modules = parts

    def named_modules(self, prefix=""):
        yield prefix, self
        for name, part in self._modules.items():
            yield from part.named_modules(prefix + "." * bool(prefix) + name)

    def _wrapped_call_impl(self, *args, **kwargs):
        return self._call_impl(*args, **kwargs)

    def _call_impl(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    __call__ = _wrapped_call_impl
EOF_PYTHON
cat >program.py <<'EOF_PYTHON'
import collections, gc, sys, threading, traceback, weakref
import torch
from torch import Module

called = []  # append() is one step in free-threaded builds as well, += 1 is not


class Counted(Module):
    def forward(self, x, fail=None):
        called.append(type(self).__name__)
        return self.inside(x, fail)


class Leaf(Counted):
    def inside(self, x, fail):
        if fail:
            raise fail
        return x


class Own(Leaf):  # its own __call__, and the one of the class by Python code
    def __call__(self, *args, **kwargs):
        return super().__call__(*args, **kwargs)


class Explicit(Leaf):
    pass


class Again(Counted):
    def inside(self, x, fail):
        return self(x - 1) if x > 0 else x


class Net(Counted):
    def inside(self, x, fail):
        for name, part in self._modules.items():
            x = part.__call__(x) if name == "explicit" else part(x)
        Leaf()(x)
        try:
            return self._modules["leaf"](x, fail=fail)
        except BaseException as error:
            caught.append(traceback.format_exc())
            return x


caught, seen = [], []
net = Net(leaf=Leaf(), own=Own(), explicit=Explicit(), again=Again(), pair=Net(leaf=Leaf()))
for fail in None, ValueError(), KeyboardInterrupt(), None:
    net(2, fail=fail)
threads = [threading.Thread(target=lambda: [net(1) for _ in range(50)]) for _ in range(4)]
[thread.start() for thread in threads], [thread.join() for thread in threads]
try:
    Module.__call__()
except TypeError as error:
    caught.append(str(error))
last = weakref.ref(Leaf())
assert last() is None
# what a profile function sees of a module that is called for the first time
sys.setprofile(lambda frame, what, argument: seen.append((what, frame.f_code.co_name)))
Leaf()(1)
sys.setprofile(None)
if sys.version_info < (3, 11):  # the names of modules are found by Python code
    seen = []
function = Module.__call__
print(caught, seen, function.__code__ is Module._wrapped_call_impl.__code__, sorted(vars(Module)), vars(net) and sorted(vars(net)))
print(len([o for o in gc.get_referrers(net) if isinstance(o, dict) and o is not globals()]))
print(sorted(collections.Counter(called).items()), file=open("counts", "w"))
EOF_PYTHON
for python in "${PYTHONS[@]}"; do
	tried=$((${tried:-0} + 1))
	PYTHONPATH=$PWD "$python" program.py >bare 2>&1 || fail "$python: bare: $(tail -3 bare)"
	rm -f ./*.evt
	PYTHONPATH=$PWD INTERCEPT_TRACE=+modules,-alloc run_traced "$python" program.py >traced 2>err || fail "$python: $(tail -3 err)"
	cmp bare traced || fail "$python: what the program sees: $(diff bare traced)"
	"$REPORT" modules --format json --limit 0 "$OUTPUT" >rows.json || fail "$python: report"
	python3 -S - <<'EOF_PYTHON' || fail "$python: other calls than the program's own count"
import ast, collections, json
theirs = dict(ast.literal_eval(open("counts").read()))
document = json.load(open("rows.json"))
ours, names = collections.Counter(), set()
for row in document["rows"]:
    ours[row["class"]] += row["calls"]
    names.add((row["class"], row["module"]))
    assert row["open"] == 0, row
assert ours == theirs, (ours, theirs)
wanted = {("Net", "Net"), ("Leaf", "leaf"), ("Own", "own"), ("Explicit", "explicit"), ("Again", "again"), ("Leaf", "pair.leaf"), ("Leaf", "?"),
          ("Leaf", "pair.?"), ("Leaf", "Leaf"), ("Net", "pair")}
assert names == wanted, names ^ wanted
assert document["totals"]["unmatched"] == document["totals"]["open"] == 0, document["totals"]
EOF_PYTHON
done
[[ ${tried:-} ]] || fail "no Python was tried"
