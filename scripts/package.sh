#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: package.sh wheel|deb
# Makes a package of what is built: O (build) and VERSION come from the Makefile, which also links the programs of the
# wheel. The file lies in $DIST ($O/dist); the same sources and SOURCE_DATE_EPOCH (default: the last commit's time) give the
# same bytes. Needs no network.
#
# wheel: the layout of `make install` below the environment's prefix, and beside libintercept.so the shared libraries
# that the programs need and that are no part of glibc. Its tag is the glibc that all of them need.
# deb: the same below /usr; its dependencies are what dpkg-shlibdeps finds.
#
# With a cross compiler (CC="aarch64-linux-gnu-gcc --sysroot=$(scripts/arm-env.sh)") the package is for its architecture:
# libraries come from the sysroot, and what dpkg knows of them from the folder `dpkg` beside it.

die() {
	echo "package: $*" >&2
	exit 1
}

cd "$(dirname "$0")/.." || exit 1
kind=${1:-} version=${VERSION:?is set by make} build=${O:-build}
case $build in
/*) ;;
*) build=$PWD/$build ;;
esac
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null)}
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-315532800}"
umask 022
arch=${ARCH:-$(uname -m)} tools='' sysroot='' dpkg=''
if [ "$arch" != "$(uname -m)" ]; then
	tools=$arch-linux-gnu-
	# shellcheck disable=SC2086 # a command with its options
	sysroot=$(${CC:-cc} -print-sysroot) && sysroot=$(realpath -e "${sysroot:-/none}" 2>/dev/null)
	dpkg=${sysroot%/*}/dpkg
	[ -e "$dpkg/status" ] || die "the programs are for $arch: say CC=\"${tools}gcc --sysroot=\$(scripts/arm-env.sh)\""
fi
case $arch in
x86_64) debian=amd64 ;;
aarch64) debian=arm64 ;;
*) die "no packages for '$arch'; there are some for x86_64 and aarch64" ;;
esac
out=${DIST:-$build/dist}
work=$(mktemp -d "$build/package.XXXXXX") || die "cannot write to '$build'"
trap 'rm -rf "$work"' EXIT
mkdir -p "$out" || die "cannot make '$out'"

stage() { # PREFIX
	make -s --no-print-directory -o programs O="$build" PREFIX="$1" DESTDIR="$work/stage" install >"$work/log" 2>&1 ||
		die "make install failed: $(tail -n 1 "$work/log")"
}

strip_all() { # FOLDER
	find "$1" -type f ! -name '*.md' -perm -u+x | while read -r file; do
		[ "$(head -c 4 "$file" | tail -c 3)" != ELF ] || "${tools}strip" --strip-unneeded -R .comment "$file" || exit 1
	done || die "cannot strip what lies in '$1'"
}

# The copyright files of the Debian packages that files came from: what bundled libraries must bring.
licence_of() { # FILE
	if [ "$sysroot" ]; then
		name=${1##*/}
		package=$(grep -lE "/lib/$arch-linux-gnu/$name\$" "$dpkg"/info/*.list | head -n 1)
		package=${package##*/} package=${package%%:*} package=${package%.list}
		[ -f "$sysroot/usr/share/doc/${package:-none}/copyright" ] || die "the licence of '$1' is not known: remove '$dpkg' and try again"
		echo "$sysroot/usr/share/doc/$package/copyright"
		return
	fi
	package=$(dpkg -S "$(readlink -f "$1")" 2>/dev/null || dpkg -S "/usr$(readlink -f "$1")" 2>/dev/null) ||
		package=$(dpkg -S "$(readlink -f "$1" | sed 's,^/usr,,')" 2>/dev/null)
	package=${package%%:*}
	if [ -z "$package" ] || [ ! -f "/usr/share/doc/$package/copyright" ]; then
		die "the licence of '$1' is not known: build the wheel on Debian or Ubuntu"
	fi
	echo "/usr/share/doc/$package/copyright"
}

# --- wheel ---

# Lines of a name and a file: the libraries that programs load, and those load. Programs of another architecture cannot say it.
libraries_of() { # FILE...
	if [ -z "$sysroot" ]; then
		ldd "$@" | sed -n 's/^\t\(lib[^ ]*\) => \(\/[^ ]*\) .*/\1 \2/p'
		return
	fi
	readelf -d "$@" | sed -n 's/.*(NEEDED).*\[\(lib.*\)\]$/\1/p' | sort -u >"$work/needed"
	found=0
	while [ "$found" != "$(wc -l <"$work/needed")" ]; do
		found=$(wc -l <"$work/needed")
		while read -r name; do
			file=$sysroot/usr/lib/$arch-linux-gnu/$name
			[ -e "$file" ] || die "'$name' is not in '$sysroot'"
			echo "$name"
			readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(lib.*\)\]$/\1/p'
		done <"$work/needed" | sort -u >"$work/needed.more" || exit 1
		mv "$work/needed.more" "$work/needed"
	done
	sed "s,.*,& $sysroot/usr/lib/$arch-linux-gnu/&," "$work/needed"
}

# What programs load that is no part of glibc, and how the wheel's programs find it again.
bundle() { # ROOT LICENCES PROGRAM...
	root=$1 licences=$2
	shift 2
	mkdir -p "$licences"
	libraries_of "$@" | sort -u |
		grep -vE '^lib(c|m|dl|rt|pthread|resolv|util)\.so' >"$work/libraries"
	while read -r name file; do
		install -m 644 "$file" "$root/lib/intercept/$name" || exit 1
		licence=$(licence_of "$file") || exit 1
		install -m 644 "$licence" "$licences/${name%%.so*}.txt" || exit 1
	done <"$work/libraries" || exit 1
}

# The same for libraries that are linked into a program, as the linker's map says; those of gcc and glibc may be linked into anything.
licences_inside() { # LICENCES MAP...
	licences=$1
	shift
	[ -e "$1" ] || die "the linker's map '$1' is missing: remove '$build/wheel' and try again"
	sed -n 's,^\(/[^(]*\.a\)(.*,\1,p' "$@" | sort -u | grep -vE '/lib(gcc|gcc_eh|c_nonshared)\.a$' >"$work/inside"
	while read -r file; do
		name=${file##*/}
		licence=$(licence_of "$file") || exit 1
		install -m 644 "$licence" "$licences/${name%.a}.txt" || exit 1
	done <"$work/inside" || exit 1
}

glibc_of() { # FILE...: the newest version that one of them needs
	"${tools}objdump" -T "$@" | grep -o '(GLIBC_[0-9.]*)' | tr -d '()' | sed 's/GLIBC_//' | sort -uV | tail -n 1
}

metadata() {
	cat <<-END
		Metadata-Version: 2.1
		Name: intercept
		Version: $version
		Summary: A profiler for PyTorch and CUDA that is loaded with LD_PRELOAD
		Author: the intercept contributors
		License: MIT
		License-File: LICENSE
		Keywords: profiler,pytorch,cuda,memory,LD_PRELOAD
		Classifier: Environment :: Console
		Classifier: Intended Audience :: Developers
		Classifier: License :: OSI Approved :: MIT License
		Classifier: Operating System :: POSIX :: Linux
		Classifier: Programming Language :: C
		Classifier: Topic :: Software Development :: Debuggers
		Requires-Python: >=3.8
		Description-Content-Type: text/markdown; charset=UTF-8

	END
	cat README.md
}

make_wheel() {
	tree=$work/wheel/intercept-$version.data info=$work/wheel/intercept-$version.dist-info
	stage /prefix
	mkdir -p "$tree" "$info/licenses"
	mv "$work/stage/prefix" "$tree/data"
	mv "$tree/data/bin" "$tree/scripts"
	install -m 755 "$build/wheel/prof-report" "$tree/scripts/"
	install -m 755 "$build/wheel/intercept-collector" "$tree/data/libexec/intercept/"
	(bundle "$tree/data" "$info/licenses" "$tree/scripts/prof-report" "$tree/data/libexec/intercept/intercept-collector") || exit 1
	(licences_inside "$info/licenses" "$build"/wheel/*.map) || exit 1
	strip_all "$tree"
	install -m 644 docs/LICENSE "$info/LICENSE"
	metadata >"$info/METADATA"
	glibc=$(glibc_of "$tree/scripts/prof-report" "$tree/data/libexec/intercept/"* "$tree"/data/lib/intercept/*)
	tag=py3-none-manylinux_$(echo "$glibc" | tr . _)_$arch
	printf 'Wheel-Version: 1.0\nGenerator: intercept (%s)\nRoot-Is-Purelib: false\nTag: %s\n' "$version" "$tag" >"$info/WHEEL"
	/usr/bin/python3 -m wheel pack --dest-dir "$out" "$work/wheel" >"$work/log" 2>&1 ||
		die "cannot pack the wheel: $(tail -n 1 "$work/log"); make deps installs python3-wheel"
	echo "$out/intercept-$version-$tag.whl"
}

# --- Debian package ---

control() { # KIBIBYTES DEPENDS
	cat <<-END
		Package: intercept
		Version: $version-1
		Architecture: $debian
		Maintainer: the intercept contributors <intercept@users.noreply.invalid>
		Installed-Size: $1
		Depends: $2
		Recommends: python3
		Section: devel
		Priority: optional
		Description: profiler for PyTorch and CUDA that is loaded with LD_PRELOAD
		 intercept records what a program does without a change to it: allocations,
		 tensors, operators, CUDA calls, kernels, I/O and steps, with stacks of C and
		 Python. A collector process writes the recording, which survives a crash or
		 a kill of the program.
		 .
		 prof-report shows where time and memory went: tables, a page for a browser,
		 and exports for other viewers.
	END
}

copyright() {
	cat <<-END
		Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
		Upstream-Name: intercept

		Files: *
		Copyright: $(sed -n 's/^Copyright (c) //p' docs/LICENSE)
		License: Expat
	END
	sed -n '/^Permission/,$s/^/ /p' docs/LICENSE | sed 's/^ $/ ./'
}

changelog() {
	cat <<-END
		intercept ($version-1) unstable; urgency=medium

		  * Version $version.

		 -- the intercept contributors <intercept@users.noreply.invalid>  $(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")
	END
}

depends() { # FILE...
	mkdir -p "$work/debian" && : >"$work/debian/control" || exit 1
	set -- -O "$@"
	if [ "$sysroot" ]; then # dpkg looks for the files where they are; /lib is a link
		cp -r "$dpkg" "$work/dpkg" && sed -i "s,^/lib/,/usr/lib/,; s,^/,$sysroot/," "$work"/dpkg/info/*.list || exit 1
		set -- "--admindir=$work/dpkg" "-l$sysroot/usr/lib/$arch-linux-gnu" "$@"
		export DEB_HOST_ARCH="$debian"
	fi
	(cd "$work" && dpkg-shlibdeps "$@" 2>"$work/log") | sed -n 's/^shlibs:Depends=//p'
}

make_deb() {
	command -v dpkg-shlibdeps >/dev/null || die "there is no dpkg-shlibdeps: install dpkg-dev"
	root=$work/stage
	stage /usr
	strip_all "$root"
	chmod 644 "$root/usr/lib/intercept/libintercept.so"
	find "$root/usr/share/man" -type f -exec gzip -9n {} +
	mv "$root/usr/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions"
	doc=$root/usr/share/doc/intercept
	copyright >"$doc/copyright"
	ln -sf ../copyright "$doc/docs/LICENSE"
	changelog | gzip -9n >"$doc/changelog.Debian.gz"
	needed=$(depends "$root/usr/bin/prof-report" "$root/usr/libexec/intercept/intercept-collector" "$root/usr/lib/intercept/libintercept.so")
	[ -n "$needed" ] || die "dpkg-shlibdeps found nothing: $(tail -n 1 "$work/log")"
	mkdir "$root/DEBIAN"
	(cd "$root" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
	control "$(du -sk --apparent-size --exclude=DEBIAN "$root" | cut -f 1)" "$needed" >"$root/DEBIAN/control"
	file=$out/intercept_$version-1_$debian.deb
	dpkg-deb --root-owner-group -Zxz --build "$root" "$file" >"$work/log" 2>&1 || die "dpkg-deb failed: $(tail -n 1 "$work/log")"
	echo "$file"
}

case $kind in
wheel) make_wheel ;;
deb) make_deb ;;
*) die "unknown kind of package '$kind'; name wheel or deb" ;;
esac
