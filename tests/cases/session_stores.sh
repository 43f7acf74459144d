#!/bin/bash
# Ranks of PyTorch that were started one by one are one job by what init_process_group() was given: env://, tcp://, file://.
# SPDX-License-Identifier: MIT
# timeout: 400
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_torch eager
export INTERCEPT_TRACE=-alloc # the millions of allocations of an import would cost more than all that is tested here
cat >rank.py <<'END'
import os, sys
import torch
import torch.distributed as dist
if not (dist.is_available() and dist.is_gloo_available()):
    sys.exit(77)
method, rank = sys.argv[1], int(sys.argv[2])
if method == "env://":
    dist.init_process_group("gloo", init_method=method)
else:
    dist.init_process_group("gloo", init_method=method, rank=rank, world_size=2)
x = torch.full((5,), float(dist.get_rank()))
dist.all_reduce(x)
assert x.tolist() == [1.0] * 5, x
dist.barrier()
os._exit(0)  # gloo now and then aborts in its own teardown, without intercept too
END
for method in file tcp env; do
	port=$(free_port)
	case $method in
	file) method=file://$PWD/store ;;
	tcp) method=tcp://127.0.0.1:$port ;;
	env) method=env:// ;;
	esac
	rm -f ./*.evt* err.*
	name=${method%%:*}
	for rank in 0 1; do
		variables=()
		[[ $name != env ]] || variables=(RANK="$rank" WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT="$port")
		env "${variables[@]}" OMP_NUM_THREADS=1 GLOO_SOCKET_IFNAME=lo INTERCEPT_OUTPUT="$PWD/$name$rank.evt" LD_PRELOAD="$LIB" \
			"$PYTHON" rank.py "$method" $rank >out.$rank 2>err.$rank &
		pids[rank]=$!
	done
	for rank in 0 1; do
		wait "${pids[rank]}"
		status=$?
		((status != 77)) || skip "this torch has no gloo"
		((status == 0)) || fail "$name: rank $rank: status $status: $(tail -3 err.$rank)"
		expect_silence err.$rank "$name"
	done
	written
	expect_eq "$name: ranks of one job" "$("$REPORT" processes --format csv --columns rank "$name"0.evt "$name"1.evt 2>err | tail -n +2 | tr -d '\r' | sort | tr '\n' ' ')" '0 1 '
	expect_eq "$name: what is said" "$(cat err)" ''
	expect_eq "$name: reductions of both" "$("$REPORT" ops --format json --limit 0 "$name"0.evt "$name"1.evt |
		python3 -S -c 'import json, sys; print([r["calls"] for r in json.load(sys.stdin)["rows"] if r["name"] == "gloo:all_reduce"])')" '[2]'
done
