#!/bin/bash
# make install: a program is recorded and read from where it was put, documents and man pages are there; uninstall takes all away.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program empty
there=$PWD/there
install_make() { # TARGET: what is built stays as it is
	make -C "$ROOT" -o programs O="$O" PREFIX=/opt/intercept DESTDIR="$there" "$1" >make.out 2>&1 ||
		fail "make $1: $(cat make.out)"
}
install_make install
prefix=$there/opt/intercept
LD_PRELOAD=$prefix/lib/intercept/libintercept.so "$PROGRAMS/empty" || fail "status $?"
"$prefix/bin/prof-report" >out || fail "prof-report: status $?"
expect_match "the summary" "$(cat out)" '1 process'
PATH=$prefix/bin:$PATH intercept run -o by_intercept "$PROGRAMS/empty" 2>err || fail "intercept run: $(cat err)"
expect_match "what intercept says" "$(cat err)" "in by_intercept.evt; next: prof-report by_intercept.evt$"

for page in man1/prof-report.1 man1/intercept.1 man7/intercept.7; do
	cmp "$prefix/share/man/$page" "$ROOT/docs/${page#*/}" || fail "$page"
	if command -v man >/dev/null; then
		name=${page##*/}
		man -l "$prefix/share/man/$page" </dev/null >shown.txt 2>err || fail "man $page: $(cat err)"
		grep -q "^NAME" shown.txt || fail "man $page shows: $(head -5 shown.txt)"
		expect_match "first line of $page" "$(head -1 shown.txt)" "^[A-Z-]*\(${name##*.}\)"
	fi
done
while read -r name; do # every link of the README leads to a document
	[[ -e $prefix/share/doc/intercept/$name ]] || fail "README.md links to $name, which is not installed"
done < <(grep -oE '\]\(docs/[A-Za-z-]+(\.md)?\)' "$ROOT/README.md" | tr -d '()]')

# every setting has its place in the page
while read -r name; do
	grep -q "^\.BR $name " "$prefix/share/man/man7/intercept.7" || fail "intercept.7 has no $name"
done < <(sed -n 's/^SETTING([a-z]*, \([A-Z_]*\),.*/INTERCEPT_\1/p' "$ROOT"/preload/*/settings.def)

install_make uninstall
expect_eq "files after uninstall" "$(find "$there" ! -type d)" ''
expect_eq "folders of ours after uninstall" "$(find "$there" -mindepth 3 -name 'intercept*')" ''
