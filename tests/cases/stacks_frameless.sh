#!/bin/bash
# Without frame pointers, where rbp is a register as any other, stacks are libunwind's; code without .eh_frame cuts them, and says so.
# SPDX-License-Identifier: MIT
. "$ROOT/tests/lib.sh"

need_program libstack_note.so
note=$PROGRAMS/libstack_note.so
frameless=(-O2 -fomit-frame-pointer -fno-optimize-sibling-calls)
untabled=(-fno-asynchronous-unwind-tables -fno-unwind-tables)

# what calls with each of its registers in use; compiled with tables and without them
cat >inner.c <<'END'
#include <alloca.h>
#include <stdlib.h>
int note_here(const char *where);
int inner(int depth, long a, long b, long c, long d, const char *where);
int through(int (*back)(const void *, const void *));
int compare(const void *a, const void *b)
{
	if (!note_here("callback"))
		exit(3);
	return *(const int *)a - *(const int *)b;
}
__attribute__((noinline)) int inner(int depth, long a, long b, long c, long d, const char *where)
{
	volatile char room[72] = { (char)a };
	long e = a * 3 ^ b, f = b * 5 ^ c, g = c * 7 ^ d, h = d * 9 ^ a;
	int below;
	if (depth % 3 == 2) {
		volatile char *more = alloca((size_t)(depth * 48));
		more[0] = room[0];
	}
	below = depth ? inner(depth - 1, e, f, g, h, where) : note_here(where) - 1;
	return below + (int)(e ^ f ^ g ^ h ^ a ^ b ^ c ^ d) % 3 + room[0] % 2;
}
int through(int (*back)(const void *, const void *))
{
	int numbers[] = { 3, 1, 2 };
	qsort(numbers, 3, sizeof(int), back);
	return numbers[0];
}
END
cat >outer.c <<'END'
int inner(int depth, long a, long b, long c, long d, const char *where);
int through(int (*back)(const void *, const void *));
int compare(const void *a, const void *b);
int main(int argc, char **argv)
{
	int total = 0;
	for (int depth = 0; depth < 9; depth++)
		total += inner(depth, argc, (long)argv, depth, 4, "inner");
	return through(compare) + total == 77777 ? 1 : 0;
}
END
cat >thrower.cpp <<'END'
#include <cstdlib>
#include <string>
#include <vector>
#include <algorithm>
extern "C" int note_here(const char *where);
static void note(const char *where) { if (!note_here(where)) exit(3); }
struct guard { std::string name; ~guard() { note("cleanup"); } };
struct shape { virtual long area(long a, long b) = 0; virtual ~shape() {} };
struct box : virtual shape {
	long side = 3;
	long area(long a, long b) override { note("virtual"); return a * b * side; }
};
__attribute__((noinline)) static long deeper(int depth, long a, long b, shape *what)
{
	guard each{std::string(40, 'x')};
	if (!depth) { note("deepest"); throw what->area(a, b); }
	return deeper(depth - 1, a ^ b * 3, b ^ a * 5, what) + (long)each.name.size() + a;
}
int main()
{
	std::vector<int> numbers{5, 3, 4, 1};
	box b;
	std::sort(numbers.begin(), numbers.end(), [](int x, int y) { note("compare"); return x < y; });
	for (int depth = 0; depth < 7; depth += 3)
		try { deeper(depth, depth, 7, &b); } catch (long &) { note("handler"); }
	return 0;
}
END

# no function has set up rbp as its frame, so that a stack by frame pointers would be wrong (alloca needs one: inner.c has it)
without_frames() { # PROGRAM FUNCTION
	local code
	code=$(objdump -d --no-show-raw-insn "$1" | sed -n "/<$2>:/,/^\$/p")
	[ -n "$code" ] || fail "$1 has no $2()"
	! grep -qE 'mov +%rsp,%rbp|lea .*\(%rsp.*\),%rbp' <<<"$code" || fail "$2() of $1 has a frame pointer"
}

traced() { # PROGRAM
	rm -f "$OUTPUT"
	LD_LIBRARY_PATH=$PROGRAMS INTERCEPT_STACKS=native run_traced "./$1" >said.txt 2>err || fail "$1: status $?: $(cat err)"
	[ "$(wc -l <said.txt)" -ge 12 ] || fail "$1 said too little: $(cat said.txt)"
}

# each recorded stack is the first frames of libunwind's, and its last one says that nobody knows who called
expect_cut() { # PROGRAM FRAMES: so many known frames inside of each cut
	local size where stack ours
	"$REPORT" dump "$OUTPUT" | sed -n 's/.* malloc ptr=[^ ]* size=\(70000[0-9]*\) .*stack=\([^ ]*\).*/\1 \2/p' >recorded.txt
	while read -r size where stack; do
		ours=$(sed -n "s/^$size [^,]*,//p" recorded.txt)
		expect_match "$1, stack of '$where' ($size), which is cut" "$ours" "^(0x[0-9a-f]+,){$2}0x[0-9a-f]+/4\$"
		expect_eq "$1, known part of '$where' ($size)" "${ours%/4}" "$(cut -d, -f "1-$(($2 + 1))" <<<"$stack")"
	done <said.txt
	(($(json alloc "$OUTPUT" 'totals["cut_stacks"]' --by stack) >= $(wc -l <said.txt))) || fail "$1: not all cut stacks are counted"
}

for compiler in gcc clang; do
	command -v $compiler >/dev/null || continue
	$compiler "${frameless[@]}" inner.c outer.c "$note" -o c_$compiler 2>err || fail "$compiler: $(cat err)"
	$compiler "${frameless[@]}" -x c++ thrower.cpp -x none "$note" -lstdc++ -o cpp_$compiler 2>err || fail "$compiler: $(cat err)"
	without_frames c_$compiler compare
	traced c_$compiler
	expect_stacks said.txt
	traced cpp_$compiler
	expect_stacks said.txt

	# no tables at all; those of a debugger only, which are not mapped; those that are mapped, and nobody says where
	$compiler "${frameless[@]}" "${untabled[@]}" -c inner.c -o inner_without.o || fail "$compiler -c"
	$compiler "${frameless[@]}" "${untabled[@]}" -g -c inner.c -o inner_debug.o || fail "$compiler -g -c"
	$compiler "${frameless[@]}" -c inner.c -o inner_unfound.o || fail "$compiler -c"
	for form in without debug unfound; do
		index=()
		[ $form != unfound ] || index=(-Xlinker --no-eh-frame-hdr)
		$compiler "${frameless[@]}" outer.c inner_$form.o "${index[@]}" "$note" -o ${form}_$compiler 2>err || fail "$compiler: $(cat err)"
		traced ${form}_$compiler
		expect_cut ${form}_$compiler 1
	done
done

# sums, too, are heaptrack's: by stack with tables, by innermost function without, where it knows no more than that either
command -v heaptrack >/dev/null || skip "no heaptrack (scripts/install-deps.sh installs it); all before it passed"
for form in with without; do
	tables=()
	[ $form = with ] || tables=("${untabled[@]}")
	gcc "${frameless[@]}" -fno-builtin "${tables[@]}" "$ROOT/tests/programs/stack_shares.c" -o shares_$form || fail "gcc: stack_shares, $form tables"
	rm -f "$OUTPUT" judge.*
	heaptrack -o judge "./shares_$form" >heaptrack.txt 2>&1 || fail "heaptrack: $(tail -n 3 heaptrack.txt)"
	INTERCEPT_STACKS=native run_traced "./shares_$form" || fail "shares_$form: status $?"
	for pair in calls:allocations live:leaked peak:peak; do
		heaptrack_print -f judge.* -F folded --flamegraph-cost-type "${pair#*:}" >/dev/null 2>&1 || fail "heaptrack_print: status $?"
		# what the C library's start has is its own
		sed -E 's/ \([^;]*\);/;/g; s/; ([0-9]+)$/ \1/' folded | grep -E '^(main;)?(large|small|kept|none) [1-9]' | sort >theirs.txt
		"$REPORT" flame --value "${pair%:*}" --format folded "$OUTPUT" >folded.txt
		sed 's/^(more callers, not recorded);//' folded.txt | grep -E '^(main;)?(large|small|kept|none) ' | sort >ours.txt
		[ -s theirs.txt ] || fail "heaptrack has no stack of shares_$form: $(cat folded)"
		diff theirs.txt ours.txt >diff.txt || fail "shares_$form, $pair, heaptrack's and ours: $(cat diff.txt)"
		cut=0
		[ $form = with ] || cut=$(wc -l <ours.txt)
		expect_eq "shares_$form, $pair: stacks that are cut" "$(grep -c '^(more callers' folded.txt)" "$cut"
	done
	"$REPORT" alloc --by stack "$OUTPUT" >alloc.txt
	! grep -q 'record with' alloc.txt || fail "shares_$form: says that it was not recorded so: $(cat alloc.txt)"
done
expect_match "what is said of stacks that are cut" "$(tr '\n' ' ' <alloc.txt)" '100.0 % of these are cut \(no unwind information'
