# SPDX-License-Identifier: MIT
"""Objects of Python, some of which are kept; no imports, which would make many more. record.sh records this."""
KEPT = []


def keep(count):
    KEPT.extend(b"%d kept" % i for i in range(count))
    for i in range(count):
        b"%d dropped" % i


keep(300)
