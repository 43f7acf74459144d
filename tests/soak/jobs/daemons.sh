#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Daemons that fork twice, lock files, sessions of their own.
# needs: setsid flock start-stop-daemon

start-stop-daemon --start --background --chdir "$PWD" --make-pidfile --pidfile "$PWD/p" --exec /bin/sh -- -c 'echo up >o; exec sleep 900'; echo "start $?"
until [[ -s o ]]; do sleep 0.05; done
start-stop-daemon --stop --pidfile "$PWD/p" --retry 5 >/dev/null; echo "stop $?"
setsid -w sh -c 'exit 5'; echo "status $?"
for i in $(seq 1 20); do (flock 9; n=$(cat n 2>/dev/null || echo 0); echo $((n + 1)) >n) 9>lock & done; wait; cat n
perl -e 'exit 0 if fork; setpgrp; exit 0 if fork; open F, ">", "d"; print F "daemon\n"; close F'
until [[ -s d ]]; do sleep 0.05; done; cat d
