#!/bin/bash
# make deb: the package is what lintian wants, its sums are right, and what it holds records and reads where it was put.
# SPDX-License-Identifier: MIT
# suite: test-all, a Debian package, read by lintian and installed
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program empty
need_tool dpkg-shlibdeps
grep -q -e -fsanitize "$BUILD/flags" && skip "a build with sanitisers is not for packages"
deb_make() { # FOLDER: what is built stays as it is
	make -C "$ROOT" -o programs -o "$O/flags" O="$O" DIST="$PWD/$1" deb >make.out 2>&1 || fail "make deb: $(tail -n 3 make.out)"
}
deb_make one
deb=$(echo one/*.deb)
deb_make two
cmp "$deb" two/*.deb || fail "two packages of the same sources differ"

expect_match "dependencies" "$(dpkg-deb -f "$deb" Depends)" 'libc6 \(>= 2\.[0-9]+\).*libdw1.*libsqlite3-0.*libzstd1'
expect_match "version" "$(dpkg-deb -f "$deb" Version)" '^[0-9]+\.[0-9]+\.[0-9]+-1$'
{ dpkg-deb -x "$deb" "a root" && dpkg-deb -e "$deb" control; } || fail "dpkg-deb: status $?"
(cd "a root" && md5sum --quiet -c ../control/md5sums) || fail "sums are wrong"
expect_eq "files without a sum" "$(cd "a root" && find usr -type f | wc -l)" "$(wc -l <control/md5sums)"
expect_eq "files that not all can read" "$(find "a root" ! -type l ! -perm -444)" ''
expect_eq "owners" "$(dpkg-deb -c "$deb" | awk '{ print $2 }' | sort -u)" root/root

# LD_PRELOAD cannot name a path with a space: a link stands for it
PATH=$PWD/a\ root/usr/bin:$PATH
export XDG_CACHE_HOME="$PWD/a cache"
intercept run -o none "$PROGRAMS/empty" 2>err && fail "a link with a space was taken"
expect_match "no place for a link" "$(cat err)" "LD_PRELOAD cannot name '.*/a root/usr/lib/intercept/libintercept.so': install intercept where"
XDG_CACHE_HOME=/dev/null intercept run -o none "$PROGRAMS/empty" 2>err && fail "a link below /dev/null was made"
expect_match "no link" "$(tail -n 1 err)" "cannot make the link '/dev/null/.*': set XDG_CACHE_HOME|stands for a path with a space"
export XDG_CACHE_HOME=$PWD/cache
intercept run -o of_deb "$PROGRAMS/empty" 2>err || fail "intercept run: $(cat err)"
expect_match "what intercept says" "$(cat err)" 'in of_deb.evt; next: prof-report of_deb.evt$'
expect_eq "the link leads to" "$(readlink cache/intercept/library/*/libintercept.so)" "$PWD/a root/usr/lib/intercept/libintercept.so"
prof-report of_deb.evt >out || fail "prof-report: status $?"
expect_match "the summary" "$(cat out)" '1 process'
for page in man1/prof-report.1 man1/intercept.1 man7/intercept.7; do
	gzip -dc "a root/usr/share/man/$page.gz" | cmp - "$ROOT/docs/${page#*/}" || fail "$page"
done

# No bug of Debian's asks for this package: of all that lintian calls an error or a warning it may say that.
need_tool lintian
lintian --allow-root --suppress-tags initial-upload-closes-no-bugs --fail-on error,warning "$deb" >out 2>&1 || fail "lintian: $(cat out)"
exit 0
