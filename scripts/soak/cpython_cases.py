# SPDX-License-Identifier: MIT
"""usage: cpython_cases.py FILE: prints each test of a JUnit file with its result."""
import sys
import xml.etree.ElementTree as tree

lines = []
for case in tree.parse(sys.argv[1]).iter("testcase"):
    kinds = sorted(child.tag for child in case if child.tag in ("failure", "error", "skipped"))
    lines.append("%s %s" % (case.get("name"), ",".join(kinds) or case.get("result", "ok")))
print("\n".join(sorted(lines)))
