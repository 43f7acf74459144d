#!/bin/bash
# Programs and libraries of every linker are one module each, where ld.so has put them, and their functions have names.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program loaded_objects
need_tool cc
cat >plugin.c <<'END'
#include <stdlib.h>
void *volatile kept;
__attribute__((noinline)) int pad(int x) { return x * 3; }
__attribute__((noinline)) void *NAME(void) { void *p = malloc(100000); kept = p; return p; }
void *run(void) { void *p = NAME(); pad(1); return p; }
END
cat >main.c <<'END'
#include <stdlib.h>
#include <unistd.h>
void *volatile kept;
__attribute__((noinline)) void of_the_program(void) { kept = malloc(200000); }
int main(void) { char c; of_the_program(); write(1, "there\n", 6); while (read(0, &c, 1) > 0); return 0; }
END

# PROGRAM...: its standard output is in `out`, and its modules are read while it runs
traced() {
	rm -f hold run.evt
	mkfifo hold
	run_traced "$@" <hold >out 2>err &
	local subject=$!
	exec 3>hold
	eventually "modules of $1 ($(cat err))" modules_are_read "$(basename "$1")"
	exec 3>&-
	wait "$subject" || fail "$1: $(cat err)"
}
modules_are_read() {
	[[ -s out ]] && "$REPORT" dump --live run.evt 2>/dev/null | grep -qE " module process=1 .*/$1\""
}

linkers=(bfd)
for linker in gold lld mold; do
	! command -v "ld.$linker" >/dev/null || linkers+=("$linker")
done
ways=('' '-Wl,-z,separate-code' '-Wl,-z,noseparate-code' '-Wl,-z,max-page-size=0x200000' '-O2 -flto -ffat-lto-objects' '-Wl,-z,relro,-z,now')
plugins=()
for linker in "${linkers[@]}"; do
	for i in "${!ways[@]}"; do
		name=plugin_${linker}_$i
		compiler=cc # gcc's own plugin of link time optimisation is no plugin for lld
		[[ ${ways[i]} != *lto* || $linker != lld ]] || compiler=clang
		[[ $compiler != clang ]] || command -v clang >/dev/null || continue
		flags=${ways[i]}
		[[ $compiler != clang ]] || flags='-O2 -flto'
		# shellcheck disable=SC2086 # a list of flags; what a linker does not know it does not link
		$compiler -O1 -fPIC -shared -DNAME="in_$name" plugin.c -fuse-ld="$linker" $flags -o "$name.so" 2>>flags.log &&
			plugins+=("$PWD/$name.so")
	done
done
((${#plugins[@]} >= ${#linkers[@]} * 3)) || fail "only ${#plugins[@]} plugins were linked: $(tail -n 5 flags.log)"
traced "$PROGRAMS/loaded_objects" "${plugins[@]}"
"$REPORT" dump run.evt >recorded.txt
python3 -S "$ROOT/tests/objects.py" recorded.txt out $((${#plugins[@]} + 3)) || fail "of plugins by ${linkers[*]}: see above"
wanted=$(for plugin in "${plugins[@]}"; do echo "in_$(basename "$plugin" .so)"; done | sort)
got=$(json alloc run.evt '"\n".join(sorted(row["function"] or row["caller"] for row in rows if row["bytes_allocated"] == 100000))')
expect_eq "functions of the plugins" "$got" "$wanted"

# programs: at any address, at a fixed one, at one of their own choice; their bias is not always where they begin
for linker in "${linkers[@]}"; do
	for flags in '-pie -fPIE' '-no-pie' '-no-pie -Wl,--image-base=0x500000' '-no-pie -Wl,-Ttext-segment=0x600000'; do
		# shellcheck disable=SC2086
		cc -O1 main.c -fuse-ld="$linker" $flags -o "program_$linker" 2>>flags.log || continue
		traced "./program_$linker"
		expect_eq "function of a program by $linker $flags" \
			"$(json alloc run.evt '[row["function"] for row in rows if row["bytes_allocated"] == 200000]')" '["of_the_program"]'
		"$REPORT" dump run.evt | grep -c " module .*/program_$linker\"" >count
		expect_eq "modules of a program by $linker $flags" "$(cat count)" 1
	done
done
