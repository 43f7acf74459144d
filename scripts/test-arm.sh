#!/bin/bash
# SPDX-License-Identifier: MIT
#
# usage: test-arm.sh [--build | --left-out | --reasons] [NAME...]
# Builds everything for aarch64 with Debian's cross compiler, and runs what can run under qemu-user: unit tests, fuzz
# targets over their corpora, and the cases that tests/arm.txt names. With names (patterns): only these. With --build:
# builds only. tests/arm.txt also lists what cannot run under the emulator, and why; with --left-out these are tried, and one that
# passes is an error. --reasons prints why cases are not run, and how many, and runs nothing; a case without a reason is an error.
#
# The emulator shows that the code is right for the instruction set and the ABI. It says nothing about speed, and nothing
# about the order in which an Arm processor makes memory visible: tests/memory_order.py checks that.
#
# A program of aarch64 is started by a small script of the same name, which starts the emulator. All are in one folder, which
# is O for tests/run.

cd "$(dirname "$0")/.." || exit 1
listed() { # MARK: the first words of the lines of tests/arm.txt with this mark
	sed -nE "s/^$1 +([a-z_0-9]+).*/\1/p" tests/arm.txt
}
declare -A reason=() # of each case that is not run; of one that is: +
give_reason() { # REASON FILE...
	local why=$1 file
	shift
	for file; do
		file=${file##*/}
		reason[${file%.sh}]=${reason[${file%.sh}]:-$why}
	done
}
find_reasons() {
	local mark pattern why name
	. tests/suites.sh
	for name in $(listed '[+]'); do
		give_reason + "$name.sh"
	done
	while read -r mark pattern why; do
		[[ $pattern != @fetched ]] || pattern="\\b($(suites_helpers 'fetched.*'))\\b"
		case $mark in
		-) give_reason "$why" "$pattern.sh" ;;
		=) mapfile -t files < <(compgen -G "tests/cases/$pattern.sh") ;;&
		'~') mapfile -t files < <(grep -lE "^[^#]*($pattern)" tests/cases/*.sh) ;;&
		!) mapfile -t files < <(grep -LE "^[^#]*($pattern)" tests/cases/*.sh) ;;&
		[=~!]) give_reason "$why" "${files[@]}" ;;
		esac
	done < <(grep -E '^[-=~!] ' tests/arm.txt)
	for name in tests/cases/*.sh; do
		name=${name##*/}
		[[ ${reason[${name%.sh}]:-} ]] || { echo "tests/arm.txt: no reason why '${name%.sh}' is not run: + runs it, - gives one" >&2; return 1; }
	done
}
find_reasons || exit 1
if [[ ${1:-} == --reasons ]]; then
	for file in tests/cases/*.sh; do
		name=${file##*/}
		echo "${reason[${name%.sh}]}"
	done | sed 's/^+$/run/' | sort | uniq -c | sort -rn
	exit
fi
[[ $(uname -sm) == 'Linux x86_64' ]] || { echo "test-arm: this is $(uname -sm): it emulates aarch64 on x86-64 only" >&2; exit 1; }
# Return addresses are signed by the emulator's own function, not by QARMA: that alone takes most of the time of many tests.
export QEMU_CPU=max,pauth-impdef=on
only_build='' left_out=''
[[ ${1:-} == --build ]] && only_build=1 && shift
[[ ${1:-} == --left-out ]] && left_out=1 && shift
root=$(scripts/arm-env.sh) || {
	echo "test-arm: cannot run: the arm64 system is missing, see above" >&2
	exit 1
}
build=$PWD/build/arm run=$PWD/build/arm/run
qemu=$(command -v qemu-aarch64) || { echo "test-arm: qemu-aarch64 not found: scripts/install-deps.sh arm" >&2; exit 1; }

exists() { # NAME
	compgen -G "tests/unit/*/*/$1.c" >/dev/null || [[ -e tests/fuzz/$1.c || -e tests/cases/$1.sh ]]
}
matches() { # NAME PATTERN...
	local name=$1 pattern
	shift
	(($# == 0)) && return
	for pattern; do
		# shellcheck disable=SC2053 # patterns
		[[ $name == $pattern || $name == test_$pattern || $name == fuzz_$pattern ]] && return
	done
	return 1
}

for name in $(listed '[-+]'); do
	exists "$name" || { echo "test-arm: tests/arm.txt has '$name', and there is no such test" >&2; exit 1; }
done
# Return addresses are signed (PAC), as Debian 13 builds programs, and the emulator does sign. Those of its Debian 12 are not.
export ARM_CC="aarch64-linux-gnu-gcc --sysroot=$root -mbranch-protection=standard"
make_arm() { # GOAL...
	make -j"$(nproc)" O=build/arm CC="$ARM_CC" CXX="${ARM_CC/gcc/g++}" "$@"
}

names=() goals=(programs build/arm/programs/libemulated.so build/arm/programs/libemulated_maps.so)
for file in tests/unit/*/*/test_*.c tests/fuzz/fuzz_*.c; do
	name=$(basename "$file" .c)
	matches "$name" "$@" || continue
	if listed - | grep -qx "$name"; then
		[[ $left_out ]] && make_arm "build/arm/unit/$name" >"$build.out" 2>&1 && names+=("$name")
		[[ $left_out ]] || echo "left out: $(grep -E "^- +$name( |$)" tests/arm.txt | sed 's/^- *//')"
		continue
	fi
	[[ $left_out ]] && continue
	names+=("$name")
	for program in $(grep -ohE 'programs/[a-z_]+(\.so)?' "$file"); do
		goals+=("build/arm/$program")
	done
	case $name in
	test_*) goals+=("build/arm/unit/$name") ;;
	*) goals+=("build/arm/fuzz/replay_${name#fuzz_}") ;;
	esac
done
while read -r name programs; do
	[[ ! $left_out ]] || continue
	matches "$name" "$@" || continue
	names+=("$name")
	for program in $programs; do
		goals+=("build/arm/programs/$program")
	done
done < <(sed -nE 's/^\+ +//p' tests/arm.txt)
scripts=() here=() # what these need on x86-64, to compare with
for file in tests/arm/*.sh; do
	[[ ! $left_out ]] || continue
	matches "$(basename "$file" .sh)" "$@" || continue
	scripts+=("$file")
	here+=(programs)
	for program in $(sed -n 's/^# programs: //p' "$file"); do
		goals+=("build/arm/programs/$program")
		here+=("build/programs/$program")
	done
done
((${#names[@]} + ${#scripts[@]})) || [[ $left_out ]] || { echo "test-arm: no test has such a name" >&2; exit 1; }

make_arm "${goals[@]}" || exit 1
((${#here[@]})) && { make -j"$(nproc)" "${here[@]}" || exit 1; }
[[ $only_build ]] && exit 0

# The library is for the program and not for the emulator and the shell, which are of x86-64: they get an empty one in its place.
# Behind the real one goes what starts the collector as the emulator can.
wrap() { # FILE NAME [PRELOAD]
	local preload="\${preload:+-E \"LD_PRELOAD=$run/arm/libintercept.so:$build/programs/libemulated.so\"}"
	[[ ! ${3:-} ]] || preload="-E \"LD_PRELOAD=$3\""
	mkdir -p "$(dirname "$run/$2")"
	cat >"$run/$2" <<-END
		#!/bin/sh
		preload=\$LD_PRELOAD
		unset LD_PRELOAD
		exec "$qemu" -L "$root" -0 "$run/$2" $preload "$1" "\$@"
	END
	chmod +x "$run/$2"
}
rm -rf "$run"
mkdir -p "$run/arm" "$run/programs"
cc -shared -x c /dev/null -o "$run/libintercept.so" || exit 1
cp "$build/libintercept.so" "$run/arm/" || exit 1 # it looks for the collector beside itself
wrap "$build/intercept-collector" arm/intercept-collector "$build/programs/libemulated_maps.so"
for file in "$build"/unit/* "$build"/fuzz/replay_* "$build"/programs/* "$build"/prof-report "$build"/intercept-collector; do
	[[ -f $file && -x $file && $file != *.so && $file != *.d ]] && wrap "$file" "${file#"$build/"}"
done
for file in "$build"/programs/*.so; do
	[[ -e $file ]] && ln -s "$file" "$run/programs/${file##*/}"
done
failed=0
if [[ $left_out ]]; then
	for name in "${names[@]}"; do
		O=$run tests/run "$name" >"$build.out" 2>&1 || continue
		echo "test-arm: $name passes under the emulator: tests/arm.txt need not leave it out"
		failed=1
	done
	exit $failed
fi
if ((${#names[@]})); then
	O=$run tests/run "${names[@]}" || failed=1
fi
# What only exists here: programs of the arm64 system.
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
for file in "${scripts[@]}"; do
	mkdir "$folder/${file##*/}" || exit 1
	(cd "$folder/${file##*/}" && ROOT=$OLDPWD O=$run ARM_ROOT=$root bash "$OLDPWD/$file") || failed=1
done
exit $failed
