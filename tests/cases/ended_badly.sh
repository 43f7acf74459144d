#!/bin/bash
# The summary says which signal ended a program, and those of its children that crashed.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# The child is a zombie until file `go` is there: after that nobody can know how it ended.
cat >ends.c <<'END'
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int mine = atoi(argv[1]), childs = atoi(argv[2]);
	pid_t child = childs ? fork() : -1;

	if (!child)
		raise(childs);
	while (child > 0 && access("go", F_OK))
		usleep(10000);
	if (child > 0)
		waitpid(child, NULL, 0);
	if (mine)
		raise(mine);
	return argc == 3 ? 0 : 1;
}
END
gcc -O1 ends.c -o ends || fail "cannot build ends.c"
ulimit -c 0

child_has_ended() {
	"$REPORT" dump --live "$OUTPUT" 2>/dev/null | grep -q 'process_end process=2 exit_status=1[0-9][0-9]'
}

said() { # SIGNAL SIGNAL_OF_CHILD
	rm -f "$OUTPUT"* go
	run_traced ./ends "$1" "$2" 2>/dev/null &
	(($2 == 0)) || eventually "the end of the child" child_has_ended
	touch go
	wait $! 2>/dev/null
	eventually "the recording" test -s "$OUTPUT" # the collector may come to that after a crash
	"$REPORT" summary --wait 60 "$OUTPUT" | tr '\n' ' '
}

expect_match "a crash" "$(said 11 0)" 'It was killed by SIGSEGV\.'
expect_match "kill -9" "$(said 9 0)" 'It was killed by SIGKILL\.'
expect_match "a child's crash" "$(said 0 6)" 'Process [0-9]+ was killed by SIGABRT\.'
said 0 15 >out
! grep -q 'was killed' out || fail "a child that was asked to end is no crash: $(cat out)"
said 0 0 >out
! grep -q 'was killed' out || fail "a program that ended by itself was killed, it says: $(cat out)"
