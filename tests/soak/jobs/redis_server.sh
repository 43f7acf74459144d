#!/bin/bash
# SPDX-License-Identifier: MIT
#
# redis: a server, transactions, a snapshot by a fork, a script, an orderly end.
# needs: redis-server redis-cli redis-benchmark
# limit: 90

redis-server --port 0 --unixsocket "$PWD/s" --daemonize no --save '' --dir "$PWD" >log 2>&1 &
server=$!
until redis-cli -s s ping 2>/dev/null | grep -q PONG; do sleep 0.05; done
redis-benchmark -s s -q -n 3000 -c 8 -t set,get,lpush >/dev/null 2>&1; echo "benchmark $?"
redis-cli -s s flushall
seq 1 2000 | sed 's/.*/SET k& v&/' | redis-cli -s s | sort | uniq -c
redis-cli -s s eval 'local n = 0 for i = 1, 2000 do n = n + #redis.call("get", "k" .. i) end return n' 0
redis-cli -s s bgsave
until [[ -s dump.rdb ]]; do sleep 0.05; done
redis-cli -s s dbsize
redis-cli -s s shutdown nosave; wait $server; echo "server $?"
