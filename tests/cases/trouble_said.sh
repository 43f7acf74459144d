#!/bin/bash
# What keeps us from recording is said in one line, by a program too that closes its standard error at its end.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program confine
need_program processes
mkdir folder
under=()
# said OUTPUT REGEX [COMMAND...]: the command runs as it does bare, and says one line; ls by default, which ends as
# all of coreutils, grep, sed and tar do.
said() {
	local output=$1 wanted=$2
	shift 2
	(($#)) || set -- ls -d /
	"$@" >bare.out 2>bare.err
	local bare=$?
	(cd folder && exec "${under[@]}" env INTERCEPT_OUTPUT="$output" LD_PRELOAD="$LIB" "$@") >out 2>err
	expect_eq "status of $* with $output ($(cat err))" $? "$bare"
	cmp -s out bare.out || fail "output of $* with $output: $(cat out)"
	expect_eq "lines of $* with $output ($(cat err))" "$(wc -l <err)" 1
	expect_match "what $* says with $output" "$(cat err)" "^intercept: $wanted"
	expect_eq "files after $output" "$(find folder -name '*.evt*' -type f)" ''
}

long=$(printf 'x%.0s' {1..300})
# Known before anything is started.
for program in "ls -d /" "perl -e 1" "$PROGRAMS/processes nothing"; do
	[[ -x $(command -v "${program%% *}") ]] || continue
	# shellcheck disable=SC2086
	said /no/such/x.evt "cannot create '/no/such/x\.evt': no such file or directory; .*; nothing is recorded$" $program
done
said "/etc/passwd/x.evt" "cannot create '/etc/passwd/x\.evt': not a directory"
said "$long.evt" "cannot create '.*xx\.evt': file name too long"
mkfifo folder/fifo.evt
said fifo.evt "cannot create '.*/fifo\.evt': it is a terminal, a pipe or a device; name a file; nothing is recorded$"
rm folder/fifo.evt
for output in /dev/null /dev/full /dev/stdout /dev/stderr /dev/tty /dev/fd/1 /dev/new.evt /proc/self/fd/1; do
	said "$output" "cannot create '$output': /dev and /proc are no place for it; name a file; nothing is recorded$"
done
ln -s /dev/null folder/null.evt
said null.evt "cannot create '.*': it is .*(a terminal, a pipe or a device|a link into /dev or /proc); name a file"
rm folder/null.evt

# Known only to the collector.
ln -s loop.evt folder/loop.evt
said loop.evt "cannot create '.*/loop\.evt': (it is a link that leads nowhere|too many levels)"
rm folder/loop.evt
if [[ $(id -u) == 0 ]]; then
	ln -s "$PWD/folder/target.evt" folder/link.evt
	chown -h 12345 folder/link.evt
	said link.evt "cannot create '.*/link\.evt': it is a link that another user may have made; name the file itself; nothing (is|was) recorded$"
	rm folder/link.evt
fi
under=(bash -c 'ulimit -n 4; exec "$@"' -)
said x.evt "cannot create '.*/x\.evt': Too many open files"
under=(bash -c 'ulimit -v 20000; exec "$@"' -)
said x.evt ".*; nothing (is|was) recorded$"

# It never came as far as to make a file.
"$PROGRAMS/confine" eperm umask true || skip "no seccomp here: $("$PROGRAMS/confine" eperm umask true 2>&1)"
for how in "kill pidfd_open" "eperm chdir" "kill umask"; do
	# shellcheck disable=SC2206
	under=("$PROGRAMS/confine" $how)
	for program in "ls -d /" "perl -e 1"; do
		# shellcheck disable=SC2086
		said x.evt "the collector ended before it made '.*/folder/x\.evt'.*; nothing was recorded$" $program
	done
done
# A family of processes says it once, whoever ends first.
said x.evt "the collector ended before it made" "$PROGRAMS/processes" tree 5
said /no/such/x.evt "cannot create" "$PROGRAMS/processes" tree 5

# A collector that is stopped before it has made the file is late, no more: the rings outlive the program.
mkdir late late_files
cp "$LIB" late/
cat >late/intercept-collector <<-END
	#!/bin/sh
	echo \$\$ >"$PWD/late/pid"
	kill -STOP \$\$
	exec "$COLLECTOR" "\$@"
END
chmod +x late/intercept-collector
INTERCEPT_OUTPUT=$PWD/late_files/x.evt LD_PRELOAD=$PWD/late/$(basename "$LIB") "$PROGRAMS/processes" nothing 2>err
expect_eq "status beside a late collector" $? 0
expect_match "what is said of a late collector" "$(cat err)" \
	"^intercept: the collector has not made '.*/late_files/x\.evt' yet: .*[?] the file appears when the collector goes on$"
expect_eq "files of a late collector" "$(find late_files -type f)" ''
kill -CONT "$(<late/pid)"
eventually "the file of a late collector" test -s late_files/x.evt
ended() { # the recording has its end
	"$REPORT" check late_files/x.evt >ended.out 2>&1
}
eventually "a whole file of a late collector" ended
"$REPORT" summary late_files/x.evt --format json >late.json || fail "the summary of a late collector's file"
expect_eq "processes that ended in a late collector's file" \
	"$("$REPORT" dump late_files/x.evt | grep -c ' process_end ')" 1
