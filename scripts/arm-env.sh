#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Prints the folder of a Debian arm64 system: ${XDG_CACHE_HOME:-~/.cache}/intercept/arm/root, with the libraries that the
# programs and their tests need and a Python. It is filled if it does not exist (40 MB are downloaded, 300 MB unpacked). The
# packages of this machine do not change, except that Debian's cross compiler and qemu-user are installed
# (install-deps.sh arm). apt works with lists and a state of its own, so the machine's apt learns of no other architecture.
# Beside it, in arm/dpkg, is what dpkg would know of these packages: scripts/package.sh finds dependencies and licences by it.
# Messages go to stderr.

die() {
	echo "arm-env: $*" >&2
	exit 1
}

cd "$(dirname "$0")/.." || exit 1
folder=${XDG_CACHE_HOME:-$HOME/.cache}/intercept/arm
packages="libc6-dev libgcc-12-dev libstdc++-12-dev libzstd-dev zlib1g-dev libsqlite3-dev libjson-c-dev libxxhash-dev
	libiberty-dev libdw-dev libcmocka-dev libunwind-dev libjemalloc-dev python3-minimal libpython3.11 libpython3.11-stdlib"

scripts/install-deps.sh arm >&2 || die "no cross compiler or no qemu-user: see above"
mkdir -p "$folder" || die "cannot make '$folder'"
exec 9>"$folder.lock" || die "cannot write '$folder.lock'"
flock 9
root=$folder/root

own_apt() {
	apt-get -q -o "Dir::State=$folder/apt/state" -o "Dir::State::status=$folder/apt/status" -o "Dir::Cache=$folder/apt/cache" \
		-o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o APT::Sandbox::User="$(id -un)" "$@" >&2 9>&-
}

# /lib is a link, as on a Debian system: packages have files in both.
unpack() {
	mkdir -p "$root/usr/lib" "$root/usr/bin" && ln -s usr/lib "$root/lib" && ln -s usr/bin "$root/bin" || return
	for package in "$folder"/apt/cache/archives/*.deb; do
		dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink -C "$root" || return
	done
}

# Links to files of the arm64 system lead into it, and not into this machine's: the linker finds libz.so.
links_stay_inside() {
	find "$root" -type l -lname '/*' | while read -r link; do
		ln -srfn "$root$(readlink "$link")" "$link" || exit
	done
}

# What dpkg would have noted, in its form.
note_packages() {
	info=$folder/dpkg/info
	rm -rf "$folder/dpkg" && mkdir -p "$info" "$folder/dpkg/updates" && echo 1 >"$info/format" &&
		printf 'amd64\narm64\n' >"$folder/dpkg/arch" && : >"$folder/dpkg/status.part" || return
	for package in "$folder"/apt/cache/archives/*.deb; do
		name=$(dpkg-deb -f "$package" Package) || return
		of=$name
		[ "$(dpkg-deb -f "$package" Multi-Arch)" != same ] || of=$name:arm64
		rm -rf "$folder/dpkg/control" && dpkg-deb -e "$package" "$folder/dpkg/control" || return
		sed '/^Package:/a Status: install ok installed' "$folder/dpkg/control/control" >>"$folder/dpkg/status.part" &&
			echo >>"$folder/dpkg/status.part" || return
		for part in symbols shlibs; do
			[ ! -e "$folder/dpkg/control/$part" ] || cp "$folder/dpkg/control/$part" "$info/$of.$part" || return
		done
		dpkg-deb --fsys-tarfile "$package" | tar -t | sed 's,^\./,/,; s,/$,,; s,^$,/.,' >"$info/$of.list" || return
	done
	rm -rf "$folder/dpkg/control" && mv "$folder/dpkg/status.part" "$folder/dpkg/status"
}

if [ ! -e "$folder/complete" ] || [ ! -e "$folder/dpkg/status" ]; then
	rm -rf "$folder/apt"
	mkdir -p "$folder/apt/state/lists/partial" "$folder/apt/cache/archives/partial" || die "cannot write '$folder'"
	: >"$folder/apt/status" || die "cannot write '$folder'"
	own_apt update || die "cannot read the lists of arm64 packages: see above (is there a network?)"
	# shellcheck disable=SC2086 # a list of words
	own_apt -y --no-install-recommends --download-only install $packages ||
		die "cannot download arm64 packages: see above (is there a network?)"
	[ -e "$folder/complete" ] || { rm -rf "$root" && unpack; } || die "cannot unpack the packages into '$root'"
	note_packages || die "cannot note the packages in '$folder/dpkg'"
	rm -rf "$folder/apt"
	touch "$folder/complete" || die "cannot write '$folder'"
fi
links_stay_inside || die "cannot set the links in '$root'"
echo "$root"
