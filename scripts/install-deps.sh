#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: install-deps.sh [bench|soak|browser|firefox|arm]
# Installs the Debian or Ubuntu packages that are missing: what building, testing, lint and the demo need,
# or with `bench` the tools that `make bench` compares with, or with `soak` the programs that `make soak` runs
# (about 2 GB), or with `browser` or `firefox` what opens pages in tests, or with `arm` what builds and runs for aarch64. Does nothing when all are there. Where there is a Python with PyTorch, `bench` puts Scalene (PyPI)
# into a directory of its own: it would bring other versions.

packages="gcc g++ make libc6-dev libzstd-dev zlib1g-dev libsqlite3-dev libjson-c-dev libjemalloc-dev libunwind-dev
	libxxhash-dev libiberty-dev libdw-dev libcmocka-dev zstd binutils python3 python3-venv
	clang clang-format clang-tidy lld mold ccache cppcheck gfortran heaptrack shellcheck universal-ctags musl-tools valgrind zsh
	python3-wheel dpkg-dev lintian libgoogle-perftools-dev libmimalloc-dev strace"
command -v rustc >/dev/null || packages="$packages rustc" # rustup's will do
[ "$1" = browser ] && packages=chromium
[ "$1" = firefox ] && packages=firefox-esr
[ "$1" = arm ] && packages="gcc-aarch64-linux-gnu g++-aarch64-linux-gnu qemu-user"
[ "$1" = bench ] && packages="heaptrack lttng-tools liblttng-ust-dev babeltrace2 uftrace"
[ "$1" = soak ] && packages="bc busybox-static bzip2 cron curl dash default-jdk-headless emacs-nox ffmpeg file gdb git
	gnupg golang-go imagemagick iproute2 jq lsof lua5.4 make nginx-light nodejs openssh-client
	openssl perl php-cli postgresql postgresql-contrib procps psmisc r-base-core redis-server rsync ruby rustc socat
	sqlite3 strace stress-ng tcl tmux unzip valgrind vim-tiny wget xz-utils zip zsh zstd
	$(/usr/bin/python3 -c 'import sys; print("libpython%d.%d-testsuite" % sys.version_info[:2])')"

install_scalene() {
	cache=${XDG_CACHE_HOME:-$HOME/.cache}/intercept/scalene
	[ -d "$cache/scalene" ] || ! python=$(scripts/find-python.sh) ||
		"$python" -m pip install --disable-pip-version-check -q --target "$cache" scalene ||
		echo "install-deps: Scalene is not installed: see above" >&2
}
cd "$(dirname "$0")/.." || exit 1
[ "$1" = bench ] && install_scalene

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
	echo "install-deps: no apt-get here: install the counterparts of:" >&2
	echo "$packages" >&2
	exit 1
fi

missing=
for package in $packages; do
	dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed ||
		missing="$missing $package"
done
[ -n "$missing" ] || exit 0

root=
if [ "$(id -u)" != 0 ]; then
	command -v sudo >/dev/null || {
		echo "install-deps: become root or install sudo; missing:$missing" >&2
		exit 1
	}
	root=sudo
fi

echo "installing:$missing"
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
# With a terminal on stdin sudo may ask for the password; apt itself must not ask anything.
try() {
	$root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120 "$@" >"$log" 2>&1
}
install() {
	# shellcheck disable=SC2086 # a list of words
	try install -y --no-install-recommends $missing
}
# Lists that are there may be good enough, or too old: then they are fetched and it is tried again.
install || { try update && install; } || {
	tail -n 5 "$log" >&2
	echo "install-deps: cannot install$missing: see above (is there a network?)" >&2
	exit 1
}
