#!/bin/bash
# Greenlets switch Python's stack: functions that stand still meanwhile have none of that time. Sub-interpreters are said to be missing.
# SPDX-License-Identifier: MIT
# timeout: 300
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

export INTERCEPT_TRACE=+functions,-alloc
cat >greenlets.py <<'END'
import greenlet, threading
main = greenlet.getcurrent()
def idle():
    while True:
        main.switch()
def busy():
    for _ in range(50):
        sum(range(100000))
        main.switch()
def deep(n):
    return deep(n - 1) if n else other.switch()
def echo():
    while True:
        main.switch()
a, b, other = greenlet.greenlet(idle), greenlet.greenlet(busy), greenlet.greenlet(echo)
for _ in range(50):
    b.switch()
    a.switch()
for _ in range(10):
    deep(500)
END
cat >interpreters.py <<'END'
try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters
def call(): pass
call()
interpreters.destroy(interpreters.create())
interpreters.destroy(interpreters.create())
END
tried=0
for version in "${!PYTHON_OF[@]}"; do
	python=${PYTHON_OF[$version]}
	folder=$(greenlet_of "$python")
	# free-threaded builds do not distinguish stacks
	if [[ $version != *t ]] && PYTHONPATH=$folder "$python" -c 'import greenlet' 2>/dev/null; then
		tried=$((tried + 1))
		rm -f ./*.evt*
		PYTHONPATH=$folder run_traced "$python" greenlets.py || fail "$python: greenlets.py ended with $?"
		expect "$OUTPUT" 'functions.totals.out_of_order == 0' \
			'4 * functions.row(function="idle").tottime_ns < functions.row(function="busy").cumtime_ns' \
			'functions.row(function="idle").cumtime_ns < functions.row(function="busy").cumtime_ns' \
			'functions.row(function="deep").ncalls == 5010' \
			'functions.sum("tottime_ns") <= summary.totals.wall_ns'
	fi
	[[ $version != 3.8 ]] || continue
	"$python" -c 'try:
    import _xxsubinterpreters
except ImportError:
    import _interpreters' 2>/dev/null || continue
	rm -f ./*.evt*
	run_traced "$python" interpreters.py || fail "$python: interpreters.py ended with $?"
	expect_match "what is said under $python" "$("$REPORT" functions "$OUTPUT" | tr '\n' ' ')" 'made 2 sub-interpreters'
done
# Libraries over greenlets: each function has its calls, and no time of what ran while it waited.
cat >green.py <<'END'
import sys
if sys.argv[1] == "gevent":
    import gevent.monkey
    gevent.monkey.patch_all()
    import gevent
    import time
    sleep = time.sleep
    def run(*calls):
        gevent.joinall([gevent.spawn(*call) for call in calls])
else:
    import eventlet
    sleep = eventlet.sleep
    def run(*calls):
        pool = eventlet.GreenPool()
        for call in calls:
            pool.spawn(*call)
        pool.waitall()
def rest(n):
    return rest(n - 1) if n else sleep(0.001)
def idle(turns):
    for i in range(turns):
        rest(i % 7)
def busy(turns):
    for _ in range(turns):
        count()
        sleep(0)
def count():
    sum(range(100000))
run((idle, 40), (busy, 60), (idle, 30), (busy, 50))
END
missing=()
if python=$(torch_python); then
	PYTHONPATH=$(fetched guests):$(fetched eventlet)
	export PYTHONPATH
	for library in gevent eventlet; do
		"$python" -W ignore -c "import $library" 2>/dev/null || {
			missing+=("$library")
			continue
		}
		rm -f ./*.evt*
		run_traced "$python" -W ignore green.py $library || fail "$library: status $?"
		expect "$OUTPUT" 'functions.totals.out_of_order == 0' \
			'functions.row(function="busy").ncalls == 2' 'functions.row(function="idle").ncalls == 2' \
			'functions.row(function="count").ncalls == 110' 'functions.row(function="rest").ncalls == 270' \
			'functions.row(function="count").cumtime_ns < functions.row(function="busy").cumtime_ns' \
			'functions.row(function="busy").cumtime_ns + functions.row(function="idle").cumtime_ns <= summary.totals.wall_ns' \
			'functions.sum("tottime_ns") <= summary.totals.wall_ns'
	done
fi
((tried > 0)) || skip "no Python with greenlet (scripts/greenlet-env.sh installs it)"
((${#missing[@]} == 0)) || skip "the rest did; not installed (scripts/test-env.sh): ${missing[*]}"
