#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Run by scripts/test-arm.sh, which sets O and ARM_ROOT: the wheel and the Debian package for aarch64, made by the cross compiler. What
# they hold is of that architecture, is all that its programs load, and runs from where it was put.
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

qemu() {
	qemu-aarch64 -L "$ARM_ROOT" "$@"
}
package() { # KIND
	make -C "$ROOT" -o programs O=build/arm CC="$ARM_CC" DIST="$PWD" "$1" >make.out 2>&1 ||
		fail "make $1: $(tail -n 3 make.out)"
}
elf_files() { # FOLDER
	find "$1" -type f | while read -r file; do
		[[ $(head -c 4 "$file" | tail -c 3 | tr -d '\0') == ELF ]] && echo "$file"
	done
}
all_are_of_aarch64() { # FOLDER COUNT
	local file count=0
	while read -r file; do
		count=$((count + 1))
		expect_match "$file" "$(readelf -h "$file" | sed -n 's/ *Machine: *//p')" '^AArch64$'
		# kernels with pages of 64 KiB map it only then
		expect_eq "alignment of $file" "$(readelf -lW "$file" | awk '$1 == "LOAD" { print $NF }' | sort -u)" 0x10000
	done < <(elf_files "$1")
	((count >= $2)) || fail "$1 has $count programs and libraries"
}

package wheel
wheel=$(echo ./*.whl)
expect_match "name of the wheel" "$wheel" '^\./intercept-[0-9.]+-py3-none-manylinux_2_[0-9]+_aarch64\.whl$'
/usr/bin/python3 -m zipfile -e "$wheel" wheel || fail "the wheel is no archive"
info=$(echo wheel/*.dist-info)
expect_match "tag" "$(cat "$info/WHEEL")" "Tag: $(basename "$wheel" .whl | cut -d- -f3-)$"
# as pip puts it
mkdir there
cp -r wheel/*.data/data/. there/
cp -r wheel/*.data/scripts there/bin
chmod +x there/bin/* there/libexec/intercept/*
all_are_of_aarch64 there 8
loaded=$(for file in $(elf_files there); do readelf -d "$file"; done | sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p' | sort -u)
for name in $loaded; do
	[[ $name =~ ^(lib(c|m)\.so\.6|ld-linux-aarch64\.so\.1)$ || -e there/lib/intercept/$name ]] || fail "the wheel lacks $name"
	[[ $name == lib[cm].so.6 || $name == ld-linux* || -s $info/licenses/${name%%.so*}.txt ]] || fail "the wheel lacks the licence of $name"
done
for name in libz libiberty; do # the second has no shared library: it is linked into the program
	[[ -s $info/licenses/$name.txt ]] || fail "the wheel lacks the licence of $name"
done
expect_match "prof-report of the wheel" "$(qemu there/bin/prof-report --version)" "^prof-report [0-9.]+"
qemu -E LD_TRACE_LOADED_OBJECTS=1 there/bin/prof-report >maps || fail "status $?"
expect_match "what it loads" "$(cat maps)" "libdw\.so\.1 => .*/there/bin/\.\./lib/intercept/libdw\.so\.1"
grep ' => ' maps | grep -vE '^\s*lib(c|m)\.so\.6 |/there/' && fail "libraries from elsewhere"
rm -f "$OUTPUT"
qemu -E "INTERCEPT_OUTPUT=$OUTPUT" -E "LD_PRELOAD=$PWD/there/lib/intercept/libintercept.so" "$ARM_ROOT/usr/bin/python3.11" -S -c 'print(1)' \
	>out 2>err || true # the emulator cannot start the collector: libemulated.so does in the other tests
expect_eq "the program's output under the library of the wheel" "$(cat out)" 1

package deb
deb=$(echo ./*.deb)
expect_match "name of the package" "$deb" '^\./intercept_[0-9.]+-1_arm64\.deb$'
expect_eq "architecture" "$(dpkg-deb -f "$deb" Architecture)" arm64
depends=$(dpkg-deb -f "$deb" Depends)
expect_match "dependencies" "$depends" 'libc6 \(>= 2\.[0-9]+\).*libdw1.*libsqlite3-0.*libzstd1'
{ dpkg-deb -x "$deb" root && dpkg-deb -e "$deb" control; } || fail "dpkg-deb: status $?"
(cd root && md5sum --quiet -c ../control/md5sums) || fail "sums are wrong"
all_are_of_aarch64 root 3
for name in $(for file in $(elf_files root); do readelf -d "$file"; done | sed -n 's/.*(NEEDED).*\[\(lib.*\)\]$/\1/p' | sort -u); do
	of=$(grep -lE "/lib/aarch64-linux-gnu/$name\$" "${ARM_ROOT%/*}"/dpkg/info/*.list | head -n 1)
	of=${of##*/} of=${of%.list} of=${of%%:*}
	[[ ", $depends" == *", $of"[\ ,]* || ", $depends" == *", $of" ]] || fail "no dependency on $of, which has $name"
done
expect_match "prof-report of the package" "$(qemu root/usr/bin/prof-report --version)" "^prof-report [0-9.]+"
echo "wheel and Debian package for aarch64: ${wheel#./}, ${deb#./}; $depends"
