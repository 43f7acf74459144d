#!/bin/bash
# Lightning's two empty methods record actions and look as they did; a package that is like Lightning's is enough.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 180
need_tool python3

# As Lightning 1.5 to 2.6 have it: a package and, somewhere below, the home of the class.
make_package() { # HOME
	local path=${1//.//} folder
	rm -rf pl
	mkdir -p "pl/${path%/*}"
	for folder in "${path%%/*}" "${path%/*/*}" "${path%/*}"; do
		touch "pl/$folder/__init__.py"
	done
	cat >"pl/$path.py" <<'END'
from abc import ABC, abstractmethod
from contextlib import contextmanager


def override(method):
    method.__override__ = True
    return method


class Profiler(ABC):
    @abstractmethod
    def start(self, action_name: str) -> None:
        """Starts."""

    @abstractmethod
    def stop(self, action_name: str) -> None:
        """Stops."""

    @contextmanager
    def profile(self, action_name: str):
        try:
            self.start(action_name)
            yield action_name
        finally:
            self.stop(action_name)


class PassThroughProfiler(Profiler):
    @override
    def start(self, action_name: str) -> None:
        pass

    @override
    def stop(self, action_name: str) -> None:
        pass


class SimpleProfiler(Profiler):
    def start(self, action_name: str) -> None:
        print("start", action_name)

    def stop(self, action_name: str) -> None:
        print("stop", action_name)
END
	cat >pl/work.py <<END
import $1 as base
import html.entities
P = base.PassThroughProfiler
END
	cat >>pl/work.py <<'END'
class Mine(P):
    def start(self, action_name):
        super().start(action_name + "!")

def everything():
    profiler = P()
    with profiler.profile("outer"):
        with profiler.profile("inner"):
            pass
    profiler.start(action_name="by keyword")
    profiler.stop(action_name="by keyword")
    P.start(profiler, "by class")
    P.stop(profiler, "by class")
    Mine().start("mine")
    for strange in None, 7, "\udcff", b"bytes", []:
        profiler.start(strange)
        profiler.stop(strange)
    profiler.start("")
    profiler.start("tab\t\u20ac")
    profiler.start("long " * 1000)
    for name, arguments in ("start", ()), ("start", (1, 2)), ("stop", ()):
        try:
            getattr(profiler, name)(*arguments)
        except TypeError as error:
            print(error)
    base.SimpleProfiler().start("simple")
    base.SimpleProfiler().stop("simple")

if __name__ == "__main__":
    everything()
END
}

begins() {
	"$REPORT" dump "$OUTPUT" | sed -n 's/.* action_begin name=\(.*\)/\1/p'
}

try() { # COMMAND...
	rm -f ./*.evt
	same_as_bare "$@"
	[[ $status == 0 ]] || fail "$*: status $status: $(cat traced.err)"
}

for home in lightning.pytorch.profilers.base pytorch_lightning.profilers.base pytorch_lightning.profiler.base; do
	make_package $home
	try python3 -W error pl/work.py
	begins | cut -c 1-40 >actions
	cat >wanted <<'END'
"outer"
"inner"
"by keyword"
"by class"
"mine!"
""
"tab\t\u20ac"
"long long long long long long long long
END
	sed 's/ *$//' actions | cmp wanted - || fail "actions of $home: $(diff wanted actions)"
	expect_eq "ends" "$("$REPORT" dump "$OUTPUT" | grep -c ' action_end ')" 4
done

# whatever the program looks at is the same; under the interpreters that there are
make_package lightning.pytorch.profilers.base
cat >pl/looks.py <<'END'
import copy, inspect, os, pickle, pydoc, sys, threading
from work import P, Mine, base
print(sorted(vars(base)))
print(sorted(n for n in sys.modules if "lightning" in n or "ntercept" in n), vars(base.__spec__.loader))
for f in P.start, P.stop, P().start:
    print(inspect.signature(f), f.__name__, f.__qualname__, f.__module__, f.__doc__, f.__annotations__, f.__dict__)
    print(inspect.getsource(f), inspect.getsourcelines(f), inspect.getdoc(f), hasattr(f, "__wrapped__"))
    code = f.__code__
    print(code.co_filename, code.co_firstlineno, code.co_name, code.co_varnames, code.co_argcount)
print(P.start.__defaults__, P.start.__kwdefaults__, inspect.isfunction(P.start), repr(P.start)[:35])
print(pickle.loads(pickle.dumps(P.start)) is P.start, pickle.loads(pickle.dumps(P())).__class__ is P)
print(copy.deepcopy(P.start) is P.start, copy.deepcopy(P()).start("copy"), P.__abstractmethods__)
print(isinstance(P(), base.Profiler), issubclass(Mine, P), sorted(vars(P)), P.start.__globals__ is vars(base))
print(pydoc.render_doc(P, renderer=pydoc.plaintext))
threads = [threading.Thread(target=lambda: [P().start("thread") for _ in range(1000)]) for _ in range(4)]
[t.start() for t in threads], [t.join() for t in threads]
if not os.fork():
    P().start("child")
    os._exit(0)
os.wait()
sys.modules.pop(base.__name__)
exec("import %s as again" % base.__name__)
import xml.sax.handler
again.PassThroughProfiler().start("again")
END
for python in python3 "${PYTHONS[@]}"; do
	PYTHONDONTWRITEBYTECODE=1 try "$python" -W error pl/looks.py
	begins | sort | uniq -c | sed 's/^ *//' >actions
	printf '%s\n' '1 "again"' '1 "child"' '1 "copy"' '4000 "thread"' | cmp - actions || fail "$python: $(cat actions)"
done

# not wanted: as without us
INTERCEPT_TRACE=-torch try python3 pl/work.py
expect_eq "actions without the family" "$(begins | wc -l)" 0

# a class that is not the one we know: as without us, and a line of ours
for body in 'print("start")' 'return 7' 'self.x = 1' 'pass; pass' 'None'; do
	make_package lightning.pytorch.profilers.base
	sed -i "0,/^        pass/s//        $body/" pl/lightning/pytorch/profilers/base.py
	ALLOWED_LINES=1 try python3 pl/work.py
	[[ $body == 'pass; pass' || $body == None ]] && continue # does nothing, too
	expect_match "$body" "$(grep '^intercept: ' traced.err)" 'this version of Lightning is not supported'
	expect_eq "actions of another class" "$(begins | wc -l)" 0
done

# a module that fails or has no such class, events of somebody's own
make_package lightning.pytorch.profilers.base
cat >pl/odd.py <<'END'
import sys
sys.audit("import")
sys.audit("import", 7, None)
sys.audit("import", "lightning.pytorch.profilers.base")
import html.parser
try:
    import lightning.pytorch.profilers.base
except ZeroDivisionError as error:
    print(error)
import xml.dom
END
echo '1 / 0' >pl/lightning/pytorch/profilers/base.py
try python3 -W error pl/odd.py
echo 'class Profiler: pass' >pl/lightning/pytorch/profilers/base.py
try python3 -W error pl/odd.py
echo 'PassThroughProfiler = None' >pl/lightning/pytorch/profilers/base.py
ALLOWED_LINES=1 try python3 -W error pl/odd.py
