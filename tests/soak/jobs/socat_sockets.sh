#!/bin/bash
# SPDX-License-Identifier: MIT
#
# socat: a server that forks, over a socket in the file system and over TCP.
# needs: socat

socat UNIX-LISTEN:s,fork EXEC:'tr a-z A-Z' &
first=$!
socat TCP-LISTEN:7090,bind=127.0.0.1,fork,reuseaddr UNIX-CONNECT:s &
second=$!
until [[ -S s ]] && (: </dev/tcp/127.0.0.1/7090) 2>/dev/null; do sleep 0.05; done
for i in $(seq 1 20); do echo "text $i" | socat -t 5 - TCP:127.0.0.1:7090; done | sha256sum
kill $second $first; wait $first $second 2>/dev/null; echo "ended $?"
