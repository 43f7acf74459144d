#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Installs what tests would otherwise be skipped for: Debian packages, PyTorch (5.6 GB, once), PyTorch Lightning, and
# what programs are started by (pytest, ...), all below ${XDG_CACHE_HOME:-~/.cache}/intercept. What cannot be had costs one line; its tests are
# skipped, with the reason. Takes a second when all is there.

cd "$(dirname "$0")/.." || exit 1
scripts/install-deps.sh || echo "test-env: some packages are missing: what needs them is skipped" >&2
scripts/install-deps.sh browser || echo "test-env: no Chromium: tests of pages are skipped" >&2
scripts/install-deps.sh firefox || echo "test-env: no Firefox: the test of pages in it is skipped" >&2
if ! scripts/find-python.sh >/dev/null && ! scripts/python-env.sh >/dev/null; then
	echo "test-env: no PyTorch: its tests are skipped" >&2
else
	scripts/pip-folder.sh lightning >/dev/null || echo "test-env: no PyTorch Lightning: its tests are skipped" >&2
	scripts/pip-folder.sh viewers >/dev/null || echo "test-env: no HolisticTraceAnalysis, torch-tb-profiler: tests of exports with them are skipped" >&2
	scripts/pip-folder.sh memray >/dev/null || echo "test-env: no memray: tests that compare with it are skipped" >&2
	scripts/pip-folder.sh guests >/dev/null || echo "test-env: no gevent, Cython, numba, viztracer: the test of programs with them is skipped" >&2
	scripts/pip-folder.sh eventlet >/dev/null || echo "test-env: no eventlet: the test of tasks in it is skipped" >&2
	scripts/pip-folder.sh coverage >/dev/null || echo "test-env: no coverage, pytest-cov: the test of programs with them is skipped" >&2
	scripts/pip-folder.sh foreign >/dev/null || echo "test-env: no packages with known faults: the test of first screens of programs with them is skipped" >&2
	scripts/starting-env.sh >/dev/null || echo "test-env: no pytest, uvicorn and so on: tests of starting are skipped" >&2
fi
scripts/readers-env.sh >/dev/null || echo "test-env: no DuckDB, pyarrow, Polars, Perfetto's schema: tests of exports with them are skipped" >&2
scripts/debian-readers.sh >/dev/null || echo "test-env: no pprof, flamegraph.pl: the test of stacks in them is skipped" >&2
newer=$(scripts/newer-python-env.sh) || echo "test-env: no CPython 3.14: it is not among the interpreters that tests try" >&2
for python in "${HOME:-/}"/.pyenv/versions/3.*/bin/python3 $newer; do
	"$python" -c 'import sys; sys.exit(not (3, 8) <= sys.version_info[:2] <= (3, 14))' 2>/dev/null || continue
	scripts/greenlet-env.sh "$python" >/dev/null || echo "test-env: no greenlet for $python: its tests are skipped" >&2
done
scripts/cupti-headers.sh >/dev/null || echo "test-env: no headers of CUPTI: the test of its layouts is skipped" >&2
exit 0
