#!/bin/bash
# A pager for what is longer than the screen, on a terminal only; completion in bash and zsh.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

cp "$ROOT/tests/golden/families.evt" run.evt
cat >on_terminal.py <<'END'
"""usage: on_terminal.py ROWS COMMAND...: runs it on a terminal of so many rows; its output, status and what it is"""
import fcntl, os, pty, struct, subprocess, sys, termios, threading
LAST = b"\4 that is all"  # written behind the output: what a terminal holds when its last user goes may be lost
ours, terminal = pty.openpty()
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", int(sys.argv[1]), 80, 0, 0))
child = subprocess.Popen(sys.argv[2:], stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True)
threading.Thread(target=lambda: (child.wait(), os.write(terminal, LAST))).start()
got = b""
while not got.endswith(LAST):
    got += os.read(ours, 65536)
sys.stdout.buffer.write(got[:-len(LAST)].replace(b"\r\n", b"\n"))
sys.exit(child.wait())
END
on() { # ROWS ARGUMENT...
	local rows=$1
	shift
	TERM=xterm NO_COLOR=1 python3 on_terminal.py "$rows" "$REPORT" "$@"
}
cat >paged <<'END'
#!/bin/sh
echo "paged LESS=$LESS"
cat
END
chmod +x paged
unset COLUMNS LESS PAGER
PAGER='' on 24 alloc --limit 60 >plain || fail "without a pager: status $?"
[ "$(wc -l <plain)" -gt 40 ] || fail "too few lines to test with: $(wc -l <plain)"
PAGER=$PWD/paged on 24 alloc --limit 60 >shown || fail "with a pager: status $?"
expect_eq "the pager's first line" "$(head -n 1 shown)" 'paged LESS=FRX'
sed 1d shown | cmp - plain || fail "the pager does not get what is shown without it"
LESS=S PAGER=$PWD/paged on 24 alloc --limit 60 >shown
expect_eq "the user's LESS" "$(head -n 1 shown)" 'paged LESS=S'
lines=$(wc -l <plain)
PAGER=$PWD/paged on $((lines + 1)) alloc --limit 60 | cmp - plain || fail "a pager for what fits"
PAGER=$PWD/paged on "$lines" alloc --limit 60 | grep -q ^paged || fail "no pager for one line too many (the prompt's)"
for pager in cat '' no-such-pager; do
	PAGER=$pager on 24 alloc --limit 60 | grep -v 'no-such-pager' | cmp - plain || fail "PAGER='$pager'"
done
PAGER=$PWD/paged on 24 help | grep -q ^paged || fail "help has no pager"
PAGER=$PWD/paged on 5 dump | grep -q ^paged && fail "dump is kept in memory"
PAGER=$PWD/paged on 5 alloc --format csv | grep -q ^paged && fail "csv has a pager"
PAGER=$PWD/paged on 5 alloc nosuch.evt >out
expect_eq "status of a file that is not there" $? 1
PAGER=$PWD/paged "$REPORT" alloc --limit 60 | grep -q ^paged && fail "a pager in a pipe"
PAGER='exit 3' on 24 alloc >out || fail "the pager's status is taken for ours"

mkdir bin
ln -s "$REPORT" bin/prof-report
ln -s "$ROOT/scripts/intercept.sh" bin/intercept
PATH=$PWD/bin:$PATH
export O=$BUILD
complete_bash() { # WORD...: what the last is completed to
	bash --norc -c '
		. "$ROOT/scripts/completions/prof-report.bash"
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		function=$(complete -p "$1" | sed "s/.*-F \([^ ]*\).*/\1/")
		before=${COMP_WORDS[COMP_CWORD - 1]}
		"$function" "$1" "${COMP_WORDS[COMP_CWORD]}" "$before"
		printf "%s\n" "${COMPREPLY[@]}"' bash "$@" | sort | tr '\n' ' '
}
expect_eq "all reports" "$(complete_bash prof-report '' | tr ' ' '\n' | grep -vx 'help\|.*/\|run.evt\|' | sort)" \
	"$("$REPORT" --list | awk '{ print $1 }' | sort)"
expect_eq "reports" "$(complete_bash prof-report me)" 'memcpy memory '
expect_eq "files" "$(complete_bash prof-report alloc ru)" 'run.evt '
expect_eq "options" "$(complete_bash prof-report alloc --ra)" '--range --rank --ranks --raw --raw-stacks '
expect_eq "columns" "$(complete_bash prof-report alloc --sort pea)" 'peak_bytes '
expect_eq "a column called name" "$(complete_bash prof-report nvtx --columns na)" 'name '
expect_eq "keys" "$(complete_bash prof-report ops --by '')" 'function line module op python shape stack '
expect_eq "formats" "$(complete_bash prof-report ops --format m)" 'markdown '
expect_match "exports" "$(complete_bash prof-report export c)" 'callgrind chrome csv '
expect_match "intercept" "$(complete_bash intercept run --mo)" '^--modules $'
expect_match "intercept" "$(complete_bash intercept r)" '^run $'
expect_eq "files of the command" "$(complete_bash intercept run -o x cat ru)" 'run.evt '
command -v zsh >/dev/null || skip "no zsh; all else passed"
complete_zsh() { # WORD...
	zsh -f -c '
		compadd() { [[ $1 == -a ]] && print -l -- ${(P)2} }
		_describe() { print -l -- ${${(P)4}%%:*} }
		_files() { print -- files }
		_test() { words=("$@") CURRENT=$# ; '"$(sed 1d "$ROOT/scripts/completions/_prof-report")"'
		}
		_test "$@"' zsh "$@" | sort | tr '\n' ' '
}
expect_match "zsh: reports" "$(complete_zsh prof-report '')" 'alloc api .*threads'
expect_match "zsh: columns" "$(complete_zsh prof-report alloc --sort '')" 'peak_bytes '
expect_eq "zsh: keys" "$(complete_zsh prof-report ops --by '')" 'function line module op python shape stack '
expect_match "zsh: options" "$(complete_zsh prof-report alloc --)" '--range '
expect_eq "zsh: files" "$(complete_zsh prof-report alloc '')" 'files '
exit 0
