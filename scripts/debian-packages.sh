#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: debian-packages.sh FOLDER SUITE ARCHITECTURE PACKAGE...
# Unpacks packages of a Debian suite into a folder that exists: nothing of the machine changes. apt works with lists and a state of its
# own, which are checked against the keys of this machine. Messages go to stderr.

die() {
	echo "debian-packages: $*" >&2
	exit 1
}

[ $# -ge 4 ] || die "usage: debian-packages.sh FOLDER SUITE ARCHITECTURE PACKAGE..."
folder=$1 suite=$2 architecture=$3
shift 3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
{ mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/packages" && : >"$work/status"; } || die "cannot write '$work'"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $suite main" >"$work/sources"
cat >"$work/config" <<END
Dir::Etc::SourceList "$work/sources";
Dir::Etc::SourceParts "/nonexistent";
Dir::State::Lists "$work/lists";
Dir::State::Status "$work/status";
Dir::Cache "$work/cache";
APT::Sandbox::User "";
APT::Architecture "$architecture";
APT::Architectures { "$architecture"; };
Acquire::Languages "none";
END
APT_CONFIG=$work/config apt-get -q update >&2 || die "cannot read the lists of Debian $suite: see above (is there a network?)"
(cd "$work/packages" && APT_CONFIG=$work/config apt-get -q download "$@" >&2) ||
	die "cannot download packages of Debian $suite: see above (is there a network?)"
for package in "$work"/packages/*.deb; do
	dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink -C "$folder" || die "cannot unpack '$package' into '$folder'"
done
