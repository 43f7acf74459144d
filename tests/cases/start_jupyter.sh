#!/bin/bash
# Jupyter as docs/STARTING.md starts it: a kernel of its own, and everything below jupyter.
# SPDX-License-Identifier: MIT
# timeout: 300
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_starting
python - <<'END' || fail "no notebook"
import nbformat
book = nbformat.v4.new_notebook()
book.cells = [
    nbformat.v4.new_code_cell("import torch"),
    nbformat.v4.new_code_cell("for _ in range(7):\n    torch.ones(4).erf()"),
]
nbformat.write(book, "train.ipynb")
END
# where --user installs and kernels are looked for
export JUPYTER_DATA_DIR=$PWD/data JUPYTER_RUNTIME_DIR=$PWD/runtime JUPYTER_CONFIG_DIR=$PWD/config IPYTHONDIR=$PWD/ipython
eval "$(documented "python -m ipykernel install --user --name intercept")" >out 2>&1 || fail "the kernel: $(tail -5 out)"
[[ -e data/kernels/intercept/kernel.json ]] || fail "the kernel is not installed: $(cat out)"
eval "$(documented "jupyter execute --kernel_name=intercept")" >out 2>&1 || fail "jupyter: $(tail -5 out)"
expect "$OUTPUT" 'ops.row(name="aten::erf").calls == 7' 'len(processes.rows) == 1'
rm ./*.evt
eval "$(documented "LD_PRELOAD=\$LIB jupyter execute")" >out 2>&1 || fail "jupyter: $(tail -5 out)"
expect "$OUTPUT" 'ops.row(name="aten::erf").calls == 7' 'len(processes.rows) >= 2'
