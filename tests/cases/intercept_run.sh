#!/bin/bash
# intercept run: settings from options, status, input and signals as without it, and why a program will not be recorded.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program empty
need_program exits
unset INTERCEPT_OUTPUT
export O=$BUILD
intercept=$ROOT/scripts/intercept.sh
run_it() { # STATUS ARGUMENT...: out, err
	local wanted=$1 status
	shift
	"$intercept" "$@" >out 2>err
	status=$?
	expect_eq "status of intercept $* ($(cat err))" $status "$wanted"
}
says() { # REGEX
	expect_match "what intercept says" "$(cat err)" "$1"
}

# The file, and a next command that works.
run_it 0 run -- "$PROGRAMS/empty"
says "^intercept: .* in run.evt; next: .*prof-report run.evt$"
expect_eq "lines on stderr" "$(wc -l <err)" 1
next=$(sed 's/.*next: //' err)
sh -c "$next" >summary || fail "the next command: status $?"
expect_match "the summary" "$(cat summary)" '1 process'
run_it 0 run -o "it's mine" --keep 0 "$PROGRAMS/empty"
[ -s "it's mine.evt" ] || fail "-o names another file: $(ls)"
next=$(sed 's/.*next: //' err)
sh -c "$next" >summary || fail "the next command with a quote in the name: $next"

# Settings are those of the variables.
show() { # ARGUMENT...: the variables that a program sees
	"$intercept" run "$@" -- sh -c 'env | grep ^INTERCEPT_ | grep -v ^INTERCEPT_SESSION= | sort' 2>/dev/null | tr '\n' ' '
}
expect_eq "families" "$(show --modules --io)" 'INTERCEPT_TRACE=+modules,+io '
expect_eq "a list" "$(show --trace alloc,nvtx --shapes)" 'INTERCEPT_TRACE=alloc,nvtx,+shapes '
expect_eq "added to the user's" "$(INTERCEPT_TRACE=alloc show --io)" 'INTERCEPT_TRACE=alloc,+io '
expect_eq "settings" "$(show --stacks both --max-file=10M --stacks-depth 32)" \
	'INTERCEPT_MAX_FILE=10M INTERCEPT_STACKS=both INTERCEPT_STACKS_DEPTH=32 '
expect_eq "functions" "$(show --functions --functions='my.*')" 'INTERCEPT_FUNCTIONS=my.* INTERCEPT_TRACE=+functions '
expect_eq "steps" "$(show --steps 10..19 -o x)" 'INTERCEPT_OUTPUT=x.evt INTERCEPT_SCHEDULE=skip_first=10,active=10,repeat=1 '
"$intercept" help >help.txt || fail "help: status $?"
for setting in $(sed -n 's/^SETTING([a-z]*, \([A-Z_]*\),.*/\1/p' "$ROOT"/preload/*/settings.def | grep -vx 'HELP\|OUTPUT' | tr A-Z_ a-z-); do
	grep -q -- "--$setting\( \|\$\)" help.txt || fail "help has no --$setting"
done

# The program is as without it: status, arguments, input, environment, signals.
run_it 7 run sh -c 'exit 7'
run_it 0 run -- printf '%s|' 'a b' '' '*' --keep -o
expect_eq "arguments" "$(cat out)" 'a b||*|--keep|-o|'
expect_eq "input" "$(echo from here | "$intercept" run cat 2>/dev/null)" 'from here'
# shellcheck disable=SC2016 # the program expands it
expect_eq "another preload stays" "$(LD_PRELOAD=/no/such.so "$intercept" run sh -c 'echo $LD_PRELOAD' 2>/dev/null)" "$(realpath "$LIB"):/no/such.so"
run_it 143 run sh -c 'kill -TERM $$'
mkfifo ready
"$intercept" run -o term -- sh -c 'trap "exit 5" TERM; echo >ready; while :; do sleep 0.05; done' 2>err &
read -r _ <ready
kill -TERM $!
wait $!
expect_eq "status after a SIGTERM to intercept" $? 5
"$intercept" run -o int -- sh -c 'trap "exit 6" INT; kill -INT $$; exit 1' 2>err
expect_eq "status of a program that handles SIGINT" $? 6

# Why not.
run_it 0 run -o none --children none sh -c :
printf 'int main(void) { return 3; }\n' >small.c
if gcc -static -o static small.c 2>/dev/null; then
	run_it 3 run -o a ./static
	says "static' is a static program: .* will not be recorded"
	says 'intercept: there is no recording; '
	cp static sticky
	chmod u+s sticky
	run_it 3 run -o a ./sticky
	says "sticky' is setuid or setgid"
	printf '#!%s\n' "$PWD/static" >script
	chmod +x script
	run_it 3 run -o a ./script
	says "static' is a static program"
	printf '\263' | dd of=static bs=1 seek=18 conv=notrunc 2>/dev/null # e_machine of another
	"$intercept" run -o a ./static 2>err
	says "static' is of another architecture"
fi
if command -v musl-gcc >/dev/null && musl-gcc -o musl small.c 2>/dev/null; then
	"$intercept" run -o a ./musl 2>err
	says "musl' uses musl"
fi
if ! ldconfig -p 2>/dev/null | grep -q libcuda.so.1; then
	run_it 0 run -o a --gpu "$PROGRAMS/empty"
	says 'no NVIDIA driver'
fi
run_it 0 run -o nowhere/a "$PROGRAMS/empty"
says "the folder 'nowhere' of the output"
head -c 70 "$PROGRAMS/empty" >broken
chmod +x broken
timeout 600 "$intercept" run -o a ./broken >/dev/null 2>&1
[ $? != 124 ] || fail "a program that is cut hangs intercept"

# LD_PRELOAD cannot name a path with a space: a link in the cache stands for it.
mkdir 'a place'
ln "$LIB" 'a place/' 2>/dev/null || cp "$LIB" 'a place/'
cp "$COLLECTOR" "$ROOT/scripts/intercept.sh" 'a place/'
XDG_CACHE_HOME=$PWD/cache 'a place/intercept.sh' run -o spaced "$PROGRAMS/empty" 2>err
expect_eq "status by a path with a space" $? 0
says 'in spaced.*\.evt; next'
expect_eq "the link" "$(readlink cache/intercept/library/*/libintercept.so)" "$PWD/a place/libintercept.so"
XDG_CACHE_HOME="$PWD/a place" 'a place/intercept.sh' run -o spaced true 2>err && fail "a link with a space was taken"
says "LD_PRELOAD cannot name '.*/a place/libintercept.so': install intercept where no space or colon is in the path"

# Wrong words: one line, status 2.
for wrong in '' 'start' 'run' 'run --' 'run --nosuch x true' 'run --nosuch' 'run -z true' 'run --steps x true' 'run --steps 9..3 true' 'run -o' 'run -o folder/ true'; do
	# shellcheck disable=SC2086 # words
	run_it 2 $wrong
	expect_eq "lines of intercept $wrong" "$(grep -c '^intercept: ' err)" 1
done
run_it 127 run no-such-program
exit 0
