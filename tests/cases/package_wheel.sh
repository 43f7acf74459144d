#!/bin/bash
# make wheel: pip installs it without a network into environments of several Pythons; what it brings records and reads, and goes again.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 600
# suite: test-all, a wheel in several Pythons
grep -q -e -fsanitize "$BUILD/flags" && skip "a build with sanitisers is not for packages"
wheel_make() { # FOLDER: what is built stays as it is
	make -C "$ROOT" -o programs -o "$O/flags" O="$O" DIST="$PWD/$1" wheel >make.out 2>&1 || fail "make wheel: $(tail -n 3 make.out)"
}
wheel_make one
wheel=$(echo one/*.whl)
expect_match "name" "$wheel" '^one/intercept-[0-9.]+-py3-none-manylinux_2_[0-9]+_x86_64\.whl$'
wheel_make two
cmp "$wheel" two/*.whl || fail "two wheels of the same sources differ"

# What the wheel brings is all that its programs load, glibc apart.
check_libraries() { # ENVIRONMENT
	local file
	for file in "$1/bin/prof-report" "$1/libexec/intercept/intercept-collector" "$1/lib/intercept/libintercept.so"; do
		ldd "$file" | sed -n 's/.* => \(.*\) (0x.*/\1/p' | grep -vE '/lib(c|m)\.so\.6$' | while read -r loaded; do
			[[ $(readlink -f "$loaded") == $(readlink -f "$1")/lib/intercept/* ]] || fail "$file loads '$loaded'"
		done || exit 1
	done
}

export XDG_CACHE_HOME=$PWD/cache # the link of `intercept run`: the environment's path has a space
check_python() { # PYTHON
	local there="$PWD/an environment" pip
	rm -rf "$there" ./*.evt
	pip=$("$1" -c 'import ensurepip, glob, os
folders = os.path.join(os.path.dirname(ensurepip.__file__), "_bundled"), getattr(ensurepip, "_WHEEL_PKG_DIR", None) or "/none"
print([file for folder in folders for file in glob.glob("%s/pip-*.whl" % folder)][0])') || fail "$1 brings no pip"
	"$1" -m venv --without-pip "$there" >err 2>&1 || fail "$1 -m venv: $(tail -n 2 err)"
	(cd "$there" && find . ! -type d ! -name '*.pyc' | sort) >before
	rm -rf pip # unpacked it is compiled once, not at each call
	python3 -m zipfile -e "$pip" pip || fail "cannot unpack '$pip'"
	PYTHONPATH=$PWD/pip "$there/bin/python" -m pip --disable-pip-version-check install -q --no-index "$wheel" >err 2>&1 || fail "$1: pip install: $(cat err)"
	check_libraries "$there"
	(
		PATH=$there/bin:$PATH
		intercept run -o of_wheel -- python -c 'print(sum(len(bytes(1000)) for i in range(5000)))' >out 2>err || fail "$1: intercept run: $(cat err)"
		expect_eq "output" "$(cat out)" 5000000
		expect_match "what intercept says" "$(cat err)" 'in of_wheel.evt; next: prof-report of_wheel.evt$'
		prof-report of_wheel.evt >shown || fail "$1: prof-report: status $?"
		expect_match "the summary" "$(cat shown)" '1 process'
		[[ $(head -c 4 "$(command -v prof-report)" | tail -c 3) == ELF ]] || fail "prof-report is not started directly"
	) || exit 1
	expect of_wheel.evt 'alloc.totals.allocations > 1000' 'summary.totals.events_lost == 0'
	PYTHONPATH=$PWD/pip "$there/bin/python" -m pip --disable-pip-version-check uninstall -q -y intercept >err 2>&1 || fail "$1: pip uninstall: $(cat err)"
	(cd "$there" && find . ! -type d ! -name '*.pyc' | sort) >after
	diff before after >err || fail "$1: pip uninstall leaves: $(cat err)"
	expect_eq "folders of ours" "$(find "$there" -name 'intercept*')" ''
}

# The wheel is the same for all: the oldest and the newest pip that a Python brings, and the machine's own.
found=' '
for python in "${PYTHON_OF[3.8]:-}" "${PYTHON_OF[3.13]:-}" /usr/bin/python3 /usr/local/bin/python3; do
	[[ -x $python && $found != *" $python "* ]] || continue
	"$python" -c 'import ensurepip' 2>/dev/null || continue
	found+="$python "
	check_python "$python"
done
[[ $found != ' ' ]] || skip "no Python 3.8 to 3.13 with venv is installed"
exit 0
