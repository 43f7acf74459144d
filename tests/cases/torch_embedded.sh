#!/bin/bash
# A program with an interpreter in it, none of CPython's main functions: its operators are seen.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_torch eager
without_heap
need_program embeds_python
library=$("$PYTHON" -c 'import os, sysconfig
name = sysconfig.get_config_var("INSTSONAME") or ""
folder = [sysconfig.get_config_var("LIBDIR") or "", os.path.join(sysconfig.get_config_var("LIBDIR") or "", sysconfig.get_config_var("MULTIARCH") or "")]
print(next((os.path.join(f, name) for f in folder if ".so" in name and os.path.exists(os.path.join(f, name))), ""))')
[[ -n $library ]] || skip "no shared libpython for '$PYTHON'"
site=$("$PYTHON" -c 'import importlib.util as u, os; print(os.path.dirname(os.path.dirname(u.find_spec("torch").origin)))')
PYTHONPATH=$site INTERCEPT_CHILDREN=all INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD="$LIB $library" \
	"$PROGRAMS/embeds_python" 'import torch; torch.ones(3).erfinv(); print("done")' >out 2>err || fail "$(cat err)"
expect_eq "its output" "$(cat out)" "done"
expect_silence err
expect_eq "operators" "$("$REPORT" dump "$OUTPUT" | grep -c 'torch_begin.* name="aten::erfinv"')" 1
