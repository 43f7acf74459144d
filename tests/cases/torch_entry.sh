#!/bin/bash
# However a Python program is started, its operators are seen, and nothing of ours is left for it to see.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 480
need_torch eager
cat >prog.py <<'END'
import sys
import torch
print(torch.ones(3).erfinv()[0].item())
if __name__ == "__main__":
    left = [f for f in sys.meta_path if "ntercept" in repr(f)]
    spec = torch.__spec__
    print(left, [n for n in sys.modules if "ntercept" in n], [n for n in globals() if "ntercept" in n],
          "exec_module" in vars(spec.loader), spec.origin.endswith("torch/__init__.py"))
END
sums() { # of every file of the session
	"$REPORT" dump "$OUTPUT" | grep -c 'torch_begin.* name="aten::erfinv"'
}
try() { # WHAT OPERATORS COMMAND...
	local what=$1 wanted=$2
	shift 2
	rm -f ./*.evt
	run_traced "$@" >out 2>err || fail "$what: $(tail -3 err)"
	says_nothing err || fail "$what: on standard error: $(cat err)"
	expect_eq "sums recorded, $what" "$(sums)" "$wanted"
}
try script 1 "$PYTHON" prog.py
expect_eq "what is left" "$(tail -1 out)" "[] [] [] False True"
export INTERCEPT_TRACE=-alloc # from here on it is about operators alone
try "-m" 1 "$PYTHON" -m prog
try "-I" 1 "$PYTHON" -I prog.py
try "-c" 1 "$PYTHON" -c 'import torch; torch.ones(3).erfinv()'
try stdin 1 "$PYTHON" - <prog.py
site=$("$PYTHON" -c 'import importlib.util as u, os; print(os.path.dirname(os.path.dirname(u.find_spec("torch").origin)))')
try "-S" 1 env PYTHONPATH="$site" "$PYTHON" -S prog.py
for method in fork spawn forkserver; do
	cat >"$method.py" <<END
import multiprocessing, prog
def work():
    prog.torch.ones(3).erfinv()
if __name__ == "__main__":
    context = multiprocessing.get_context("$method")
    children = [context.Process(target=work) for _ in range(2 if "$method" == "fork" else 1)]
    [c.start() for c in children]
    [c.join() for c in children]
END
done
# the program's own, and one a child; a child that is not forked imports the module, which makes one more
try fork 3 "$PYTHON" fork.py
try spawn 3 "$PYTHON" spawn.py
try forkserver 3 "$PYTHON" forkserver.py

# who only asks whether there is a torch, as many packages do, imports it later; so does who failed at first
cat >asks.py <<'END'
import importlib.util, sys
assert importlib.util.find_spec("torch")
finders = [f for f in sys.meta_path if "ntercept" not in repr(f)]
import prog
assert sys.meta_path == finders
spec = importlib.util.find_spec("torch")
print("exec_module" in vars(spec.loader))
END
try find_spec 1 env PYTHONPATH= "$PYTHON" asks.py
expect_eq "the loader of a second spec" "$(tail -1 out)" False
cat >retries.py <<'END'
import sys
sys.path.insert(0, "broken")
try:
    import torch
except ValueError:
    sys.path.pop(0)
import prog
END
mkdir -p broken/torch
echo 'raise ValueError("no")' >broken/torch/__init__.py
try "an import that fails at first" 1 "$PYTHON" retries.py

# an import that fails looks as it does without us
cat >fails.py <<'END'
import sys
sys.path.insert(0, "broken")
import torch
END
same_as_bare "$PYTHON" fails.py

# a package that only has the name: one line, and the program goes on; every Python finds the way in
mkdir -p other/torch
echo 'value = 7' >other/torch/__init__.py
for python in "$PYTHON" "${PYTHONS[@]}"; do
	PYTHONPATH=other run_traced "$python" -c 'import torch; print(torch.value)' >out 2>err || fail "$python: $(cat err)"
	expect_eq "output of $python" "$(cat out)" 7
	expect_match "$python" "$(cat err)" '^intercept: .*no operators are recorded;'
done
