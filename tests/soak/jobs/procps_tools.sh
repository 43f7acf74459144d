#!/bin/bash
# SPDX-License-Identifier: MIT
#
# ps, top, pgrep, pkill, free, vmstat and pmap see the program's own processes.
# needs: ps top pgrep free vmstat pmap w

sleep 977 & sleeper=$!
ps -o comm= -p $sleeper
pgrep -x -f 'sleep 977' | grep -cx "$sleeper"
top -b -n 1 -p $sleeper | tail -n 1 | awk '{ print $NF }'
free | awk 'NR == 2 { print ($2 > 0) }'
vmstat 1 1 | wc -l
pmap $sleeper | head -n 1 | cut -d: -f2
w -h >/dev/null; uptime >/dev/null; echo "status $?"
pkill -x -f 'sleep 977'; wait $sleeper 2>/dev/null; echo "ended $?"
