#!/bin/bash
# SPDX-License-Identifier: MIT
#
# curl: many requests at once from a local server, and a refused one.
# needs: curl /usr/bin/python3

for i in $(seq 1 20); do seq "$i" 5000 >"f$i"; done
/usr/bin/python3 -m http.server --bind 127.0.0.1 7080 >/dev/null 2>&1 &
server=$!
until (: </dev/tcp/127.0.0.1/7080) 2>/dev/null; do sleep 0.05; done
curl -s --parallel "http://127.0.0.1:7080/f[1-20]" -o "g#1" 2>/dev/null; echo "status $?"
for i in $(seq 1 20); do cmp "f$i" "g$i" || echo "differ $i"; done
curl -s http://127.0.0.1:1/; echo "status $?"
{ kill $server; wait $server; } 2>/dev/null; echo "server $?"
