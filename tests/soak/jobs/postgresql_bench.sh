#!/bin/bash
# SPDX-License-Identifier: MIT
#
# postgresql: initdb, a server, pgbench with four clients, a dump, an orderly end.
# needs: /usr/lib/postgresql/*/bin/initdb
# limit: 150

bin=$(printf '%s\n' /usr/lib/postgresql/*/bin | tail -n 1)
PATH=$bin:$PATH
initdb -D d -A trust -U u --no-sync >/dev/null; echo "initdb $?"
pg_ctl -D d -w -l log -o "-c listen_addresses='' -k $PWD" start >/dev/null; echo "start $?"
export PGHOST=$PWD PGUSER=u PGDATABASE=postgres
pgbench -q -i -s 1 2>/dev/null; echo "init $?"
pgbench -n -c 4 -j 2 -t 100 2>/dev/null | grep 'number of transactions actually'
psql -Atc 'select count(*) from pgbench_history; select sum(abalance) = (select sum(bbalance) from pgbench_branches) from pgbench_accounts;
set max_parallel_workers_per_gather = 2; set min_parallel_table_scan_size = 0; set parallel_setup_cost = 0; select count(*), sum(aid) from pgbench_accounts'
pg_dump -t pgbench_branches --schema-only | grep -c 'CREATE TABLE'
createdb other && dropdb other; echo "createdb $?"
pg_ctl -D d -w -m fast stop >/dev/null; echo "stop $?"
