#!/bin/bash
# An interpreter that dies while it is sampled, in any way and at any moment, and threads that end while they are read: no crash, no hang, all counted.
# SPDX-License-Identifier: MIT
# timeout: 400
# suite: test-all, every Python, dying 16 times in each way
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"
ulimit -c 0
export INTERCEPT_SAMPLE=1000 PYTHONDONTWRITEBYTECODE=1

cat >dying.py <<'END'
import collections, ctypes, os, random, signal, sys, threading, time
ROUNDS = int(os.environ.get("ROUNDS", sys.argv[1]))
def down(n):
    return n and down(n - 1)
def work():
    while True:
        down(random.randrange(300))
def wait():
    end = time.perf_counter() + random.random() * 0.02
    while time.perf_counter() < end:
        down(random.randrange(100))
def killed():
    os.kill(os.getpid(), signal.SIGKILL)
def crashes():
    ctypes.string_at(8)
def aborts():
    os.abort()
def leaves():
    os._exit(7)
def ends():  # threads run on while the interpreter comes to its end; 3.10 crashes there by itself
    os._exit(8) if sys.version_info[:2] == (3, 10) else sys.exit(8)
def becomes():
    os.execv("/bin/sh", ["sh", "-c", "exit 9"])
def from_thread(die):
    thread = threading.Thread(target=lambda: (wait(), die()))
    thread.start()
    thread.join()
def child(die, in_thread):
    for _ in range(3):
        threading.Thread(target=work, daemon=True).start()
    if in_thread and die is not ends:
        from_thread(die)
    wait()
    die()
statuses = collections.Counter()
for i in range(ROUNDS):
    for die in killed, crashes, aborts, leaves, ends, becomes:
        random.seed(i)
        pid = os.fork()
        if not pid:
            child(die, i % 2)
        statuses[die.__name__, os.waitpid(pid, 0)[1]] += 1
    pid = os.fork()  # by somebody else
    if not pid:
        child(time.sleep, 0)
    wait()
    os.kill(pid, signal.SIGKILL)
    statuses["other", os.waitpid(pid, 0)[1]] += 1
end = time.process_time() + 0.1
while time.process_time() < end:
    down(10)
print(sorted((*death, number / ROUNDS) for death, number in statuses.items()))
END
sampled() { # PYTHON SCRIPT...: its output is that without us, and who samples comes to its own end
	local wanted
	wanted=$(ROUNDS=2 "$@" 2>bare.err) || fail "$* without us ended with $?: $(tail -n 3 bare.err)"
	rm -f ./*.evt*
	expect_eq "output of $*" "$(run_traced timeout 300 "$@" 2>err)" "$wanted"
	"$REPORT" check --wait 60 "$OUTPUT" >check.txt || fail "$*: check: $(cat check.txt)"
	expect "$OUTPUT" 'summary.totals.events_lost == 0' 'lines.totals.samples > 0' \
		'processes.sum("samples_torn") == lines.totals.samples_torn' 'processes.sum("samples_dropped") == 0' \
		'lines.totals.samples_torn < lines.totals.samples'
	expect_eq "$*: torn as check counts" "$(grep -oE '[0-9]+ samples? torn' check.txt | sed 's/sample /samples /' | grep . || echo 0 samples torn)" \
		"$(json lines "$OUTPUT" 'totals["samples_torn"]') samples torn"
}
((${#PYTHONS[@]})) || skip "no Python 3.8 to 3.14 is installed"
rounds=$((${#PYTHONS[@]} < 16 ? 16 / ${#PYTHONS[@]} : 1)) # of each kind of death

for python in "${PYTHONS[@]}"; do
	sampled "$python" -W ignore dying.py "$rounds"
	# of one that ends before the collector has met it the status is not known, nor of what it became
	# one that is killed at once may have done nothing yet
	expect "$OUTPUT" "6 * $rounds < len(processes.rows) <= 7 * $rounds + 1" \
		'not {row.exit_status for row in processes.rows} - {None, 0, 7, 8, 134, 137, 139}' \
		"all(len(processes.select(exit_status=status)) <= $rounds * (2 if status == 137 else 1) for status in (7, 8, 134, 137, 139))" \
		'len(lines("--by", "process").rows) > 1' # of which children are, too: how many lives long enough to be looked at hangs on the machine
done

cat >ending.py <<'END'
import random, sys, threading, time
THREADS, AT_ONCE = int(sys.argv[1]), 8
done = []
def down(n, leave):
    if n:
        return down(n - 1, leave)
    sum(range(2000))
    if leave:
        sys.exit()  # ends the thread, from where it is
def short(i):
    down(i * 7 % 200, i % 2)
def run(first):
    for i in range(first, THREADS, AT_ONCE):
        thread = threading.Thread(target=short, args=(i,))
        thread.start()
        thread.join()
        done.append(i)
runners = [threading.Thread(target=run, args=(first,)) for first in range(AT_ONCE)]
for runner in runners:
    runner.start()
for runner in runners:
    runner.join()
end = time.process_time() + 0.3  # so long that somebody looks, however busy the machine
while time.process_time() < end:
    down(10, False)
print(len(done), threading.active_count())
END
threads=$((${#PYTHONS[@]} < 4 ? 800 : 3200 / ${#PYTHONS[@]} / 8 * 8))
for python in "${PYTHONS[@]}"; do
	sampled "$python" ending.py "$threads"
	expect "$OUTPUT" "processes.rows[0].threads >= $threads + 9" \
		'lines.totals.samples_partial * 10 <= lines.totals.samples' # of a list of threads that changed while it was read
done
