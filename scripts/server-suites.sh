#!/bin/bash
# SPDX-License-Identifier: MIT
#
# usage: server-suites.sh [starlette|uvicorn|aiohttp]...     all of them without a name; 10 to 40 minutes on two cores
# Runs the servers' own tests, from their sdists on PyPI, bare and with the library preloaded into all of their processes, and compares the
# outcomes test by test (docs/RELIABILITY.md). Environments and sdists are in ${XDG_CACHE_HOME:-~/.cache}/intercept/suites (200 MB). The
# outcomes stay beside them. $PYTHON, else python3, runs them; $BUILD is the build folder. Exit status 1 when something differs.

set -u
cd "$(dirname "$0")/.." || exit 1
build=$(realpath "${BUILD:-build}")
cache=${XDG_CACHE_HOME:-$HOME/.cache}/intercept/suites
unset LD_PRELOAD PYTHONPATH

die() {
	echo "server-suites: $*" >&2
	exit 1
}

[[ -e $build/libintercept.so ]] || die "no '$build/libintercept.so': run make first, or set BUILD"

# What a suite needs beside the package, and which of its tests are run.
describe() { # SUITE
	case $1 in
	starlette) version=1.10.0 needs="anyio httpx httpx2 itsdangerous jinja2 opentelemetry-sdk python-multipart pyyaml trio typing-extensions" tests=tests ;;
	uvicorn) version=0.54.0 needs="httptools uvloop websockets wsproto watchfiles python-dotenv httpx a2wsgi trustme cryptography typing-extensions pytest-mock pytest-codspeed httpx2 h2 zttp pyyaml" tests="-o addopts= tests" ;;
	aiohttp) version=3.14.5 needs="coverage pytest-aiohttp pytest-mock pytest-xdist re-assert freezegun trustme proxy.py blockbuster isal zlib_ng python-on-whales backports.zstd"
		tests="-o addopts= -o filterwarnings= -p no:cacheprovider tests/test_web_*.py" ;;
	*) die "no suite '$1': starlette, uvicorn or aiohttp" ;;
	esac
}

prepare() { # SUITE
	local folder=$cache/$1-$version
	[[ ! -e $folder/made ]] || return 0
	rm -rf "$folder"
	mkdir -p "$folder"
	"${PYTHON:-python3}" -m venv "$folder/venv" || return
	# shellcheck disable=SC2086 # words
	"$folder/venv/bin/pip" install -q --disable-pip-version-check "$1==$version" pytest pytest-timeout $needs || return
	"$folder/venv/bin/pip" download -q --disable-pip-version-check --no-deps --no-binary :all: -d "$folder" "$1==$version" || return
	tar -xzf "$folder/$1-$version.tar.gz" -C "$folder" || return
	touch "$folder/made"
}

run() { # SUITE WHICH COMMAND...
	local folder=$cache/$1-$version which=$2
	shift 2
	rm -f "$folder/$which.xml"
	# pytest writes the outcomes last. After tests that failed, a thread of theirs may keep it from ending: bare, too.
	# shellcheck disable=SC2086 # a pattern of the suite's own files
	(cd "$folder"/*-"$version" && timeout -k 10 1800 "$@" "$folder/venv/bin/python" -m pytest -q --timeout 120 --junitxml "$folder/$which.xml" $tests >"$folder/$which.log" 2>&1)
	[[ -s $folder/$which.xml ]] || die "the tests of '$folder' did not run: $(tail -5 "$folder/$which.log")"
}

compare() { # BARE.xml PRELOADED.xml
	python3 - "$@" <<-'END'
		import collections, sys, xml.etree.ElementTree as tree

		def outcomes(path):
		    cases = tree.parse(path).getroot().iter("testcase")
		    return {(case.get("classname"), case.get("name")): next((child.tag for child in case if child.tag in ("failure", "error", "skipped")), "passed") for case in cases}

		bare, preloaded = map(outcomes, sys.argv[1:])
		differ = sorted(key for key in bare.keys() | preloaded.keys() if bare.get(key) != preloaded.get(key))
		print("  bare:", ", ".join("%d %s" % (count, what) for what, count in sorted(collections.Counter(bare.values()).items())))
		for key in differ:
		    print("  differs: %s::%s: bare %s, preloaded %s" % (*key, bare.get(key, "not run"), preloaded.get(key, "not run")))
		print("  %d of %d differ" % (len(differ), len(bare)))
		sys.exit(bool(differ))
	END
}

status=0
for suite in "${@:-starlette uvicorn aiohttp}"; do
	for name in $suite; do
		describe "$name"
		prepare "$name" >&2 || die "cannot prepare $name $version: see above (is there a network?)"
		echo "$name $version"
		run "$name" bare env
		run "$name" preloaded env LD_PRELOAD="$build/libintercept.so" INTERCEPT_CHILDREN=all INTERCEPT_OUTPUT="$cache/$name-%p.evt" INTERCEPT_KEEP=0
		rm -f "$cache/$name"-*.evt*
		compare "$cache/$name-$version/bare.xml" "$cache/$name-$version/preloaded.xml" || status=1
	done
done
exit $status
