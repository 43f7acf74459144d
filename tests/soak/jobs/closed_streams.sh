#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Programs with closed standard streams, a broken pipe, a full device.
# needs: perl

sh -c 'exec >&-; echo a' 2>/dev/null; echo "status $?"
perl -e 'print "x" x 100 for 1..100' </dev/null 2>&- | wc -c
perl -e 'exit 3' <&- >&- 2>&-; echo "status $?"
(set +e; trap '' PIPE; yes 2>/dev/null | head -n 1); echo "${PIPESTATUS[0]}"
yes | head -n 1; echo "${PIPESTATUS[0]}"
echo a >/dev/full; echo "status $?"
