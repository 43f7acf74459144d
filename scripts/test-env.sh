#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: test-env.sh [all]
# Installs what the tests of `make test` would otherwise be skipped for: Debian packages and PyTorch (5.6 GB, once). With `all`
# also what those of `make test-all` need: browsers, PyTorch Lightning, what programs are started by (pytest, ...), readers of
# exports, one more Python. Downloads lie below ${XDG_CACHE_HOME:-~/.cache}/intercept. What cannot be installed costs one line;
# its tests are skipped, with the reason. Takes a second when all is there.

cd "$(dirname "$0")/.." || exit 1
missing() { # WHAT, WHOSE TESTS
	echo "test-env: no $1: $2 are skipped" >&2
}

scripts/install-deps.sh || echo "test-env: some packages are missing: what needs them is skipped" >&2
torch=yes
scripts/find-python.sh >/dev/null || scripts/python-env.sh >/dev/null || { torch=''; missing PyTorch "its tests"; }
[ "$1" = all ] || exit 0

scripts/install-deps.sh browser || missing Chromium "tests of pages"
scripts/install-deps.sh firefox || missing Firefox "the tests of pages in it"
if [ "$torch" ]; then
	scripts/pip-folder.sh lightning >/dev/null || missing "PyTorch Lightning" "its tests"
	scripts/pip-folder.sh viewers >/dev/null || missing "HolisticTraceAnalysis, torch-tb-profiler" "tests of exports with them"
	scripts/pip-folder.sh memray >/dev/null || missing memray "tests that compare with it"
	scripts/pip-folder.sh guests >/dev/null || missing "gevent, Cython, numba, viztracer" "tests of programs with them"
	scripts/pip-folder.sh eventlet >/dev/null || missing eventlet "tests of tasks in it"
	scripts/pip-folder.sh mcp >/dev/null || missing "the SDK of the Model Context Protocol" "tests with it"
	scripts/pip-folder.sh coverage >/dev/null || missing "coverage, pytest-cov" "tests of programs with them"
	scripts/pip-folder.sh servers >/dev/null || missing "uvicorn, gunicorn, Django and so on" "tests of requests"
	scripts/pip-folder.sh grpc >/dev/null || missing grpcio "tests of requests of gRPC"
	scripts/pip-folder.sh foreign >/dev/null || missing "packages with known faults" "first screens of programs with them"
	scripts/pip-folder.sh hubs >/dev/null || missing "transformers, torchvision" "tests of modules of their models"
	scripts/starting-env.sh >/dev/null || missing "pytest, uvicorn and so on" "tests of starting"
fi
scripts/readers-env.sh >/dev/null || missing "DuckDB, pyarrow, Polars, Perfetto's schema, sqlglot" "tests of exports with them"
scripts/debian-readers.sh >/dev/null || missing "pprof, flamegraph.pl" "tests of stacks in them"
newer=$(scripts/newer-python-env.sh) || missing "CPython 3.14" "tests with it"
for python in "${HOME:-/}"/.pyenv/versions/3.*/bin/python3 "${XDG_CACHE_HOME:-${HOME:-/}/.cache}"/intercept/pythons/3.*t/bin/python3 $newer; do
	"$python" -c 'import sys; sys.exit(not (3, 8) <= sys.version_info[:2] <= (3, 14))' 2>/dev/null || continue
	scripts/greenlet-env.sh "$python" >/dev/null || missing "greenlet for $python" "its tests"
done
scripts/cupti-headers.sh >/dev/null || missing "headers of CUPTI" "tests of its layouts"
scripts/nvml-headers.sh >/dev/null || missing "headers of NVML" "the test of its declarations"
exit 0
