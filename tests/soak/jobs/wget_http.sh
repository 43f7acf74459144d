#!/bin/bash
# SPDX-License-Identifier: MIT
#
# wget: a tree from a local server.
# needs: wget /usr/bin/python3

mkdir t; for i in $(seq 1 10); do seq "$i" 500 >"t/f$i"; done
/usr/bin/python3 -m http.server --bind 127.0.0.1 --directory t 7081 >/dev/null 2>&1 &
server=$!
until (: </dev/tcp/127.0.0.1/7081) 2>/dev/null; do sleep 0.05; done
wget -q -r -np -nH -P u http://127.0.0.1:7081/; echo "status $?"
rm -f u/index.html; diff -r t u && echo same
{ kill $server; wait $server; } 2>/dev/null; echo "server $?"
