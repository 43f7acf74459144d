#!/bin/bash
# prof-report mcp and the Model Context Protocol's own SDK: its client starts the server, lists tools, checks their schemas, calls each.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# suite: test-all, the SDK is a download
# timeout: 300
PYTHON=$(torch_python) || skip "no Python with torch, whose pip installs the SDK"
sdk=$(fetched mcp)
[[ -d $sdk ]] || skip "no SDK of the Model Context Protocol: scripts/pip-folder.sh mcp installs it"
cp "$ROOT/tests/golden/families.evt" "$ROOT/tests/golden/families3.evt" .
PYTHONPATH=$sdk timeout 600 "$PYTHON" "$ROOT/tests/mcp_client.py" "$REPORT" 2>err || fail "the SDK's client: $(tail -n 5 err)"
exit 0
