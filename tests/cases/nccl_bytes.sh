#!/bin/bash
# Collectives of gloo between two ranks: bytes are those of the tensors, exactly, and bandwidths follow from them.
# SPDX-License-Identifier: MIT
# timeout: 400
# suite: test-all, eight ranks of PyTorch
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_torch eager
cat >train.py <<'END'
import os, sys
import torch
import torch.distributed as dist

if not (dist.is_available() and dist.is_gloo_available()):
    sys.exit(77)
rank, n = int(os.environ["RANK"]), 2


def run(work):
    dist.init_process_group("gloo", init_method="file://" + os.path.abspath(work + ".store"), rank=rank, world_size=n)
    if work == "calls":
        for dtype in torch.float32, torch.float64, torch.int32, torch.bfloat16, torch.uint8, torch.half:
            dist.all_reduce(torch.ones(1000, dtype=dtype))
        dist.all_reduce(torch.ones(7, 5, 3))
        dist.all_reduce_coalesced([torch.ones(10), torch.ones(2, 10)])
        own, parts, whole = torch.ones(1000), [torch.zeros(1000) for _ in range(n)], torch.zeros(1000 * n)
        dist.all_gather(parts, own)
        dist.all_gather_into_tensor(whole, own)
        dist.broadcast(torch.ones(11, dtype=torch.int64), 0)
        dist.reduce(torch.ones(12), 0)
        dist.all_to_all_single(torch.zeros(100 * n), torch.ones(100 * n))
        dist.gather(own, parts if rank == 0 else None)
        dist.scatter(own, parts if rank == 0 else None)
        (dist.send if rank == 0 else dist.recv)(torch.ones(13), 1 - rank)
    elif work == "subgroup":  # a group of one rank: 8 bytes that do not go over any bus
        groups = [dist.new_group([0]), dist.new_group([1])]
        dist.all_reduce(torch.ones(3))
        dist.all_reduce(torch.ones(2), group=groups[rank])
    elif work == "lists":  # gloo makes several all_reduces of it: whose bytes they are is not known
        dist.reduce_scatter(torch.ones(1000), [torch.zeros(1000) for _ in range(n)])
    else:
        if work == "ddp":
            model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 8))
        else:
            from torch.distributed.device_mesh import init_device_mesh
            try:
                from torch.distributed.fsdp import fully_shard
            except ImportError:
                os._exit(77)
            model = fully_shard(torch.nn.Linear(8, 8), mesh=init_device_mesh("cpu", (n,)))
        for _ in range(7):
            model(torch.randn(4, 8)).sum().backward()
    dist.barrier()


*others, last = sys.argv[1].split(",")
for work in others:  # each in a process of its own
    child = os.fork()
    if not child:
        run(work)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        sys.exit("%s failed" % work)
    print(work, child, flush=True)
run(last)
print(last, os.getpid(), flush=True)
os._exit(0)
END
export OMP_NUM_THREADS=1

ranks() { # WORKS [TRACE]: two of them, recorded in WORKS.0.evt and WORKS.1.evt; 77 where this torch lacks what it takes
	local status
	rm -f ./*.store
	INTERCEPT_TRACE=${2:-torch,shapes} INTERCEPT_OUTPUT=$PWD/$1.%r.evt LD_PRELOAD=$LIB python3 - "$PYTHON" train.py "$1" 2>"$1.err" <<-'END'
		import os, subprocess, sys  # what torchrun does, without a torch of its own
		ranks = [subprocess.Popen(sys.argv[1:], env={**os.environ, "RANK": str(rank), "WORLD_SIZE": "2"},
		                          stdout=open("%s.%d.out" % (sys.argv[-1], rank), "w")) for rank in range(2)]
		sys.exit(max(abs(rank.wait()) for rank in ranks))
	END
	status=$?
	[[ $status == 77 ]] || expect_eq "$1 ($(tail -n 5 "$1.err")): status" $status 0
	return $status
}
bytes() { # FILE... [-p PID]: operation, calls and bytes, a line each
	"$REPORT" nccl --format json --limit 0 --wait 60 "$@" >nccl.json || fail "nccl $*"
	python3 -S -c 'import json, sys
for row in sorted(json.load(open("nccl.json"))["rows"], key=lambda row: row["op"]):
    print(row["op"], row["calls"], row.get("bytes"))'
}
bytes_of() { # WORK RANK: what one rank did in it
	bytes "$works.$2.evt" -p "$(sed -n "s/^$1 //p" "$works.$2.out")"
}

ranks calls || skip "this torch has no gloo"
expect_eq "bytes of each operation" "$(bytes calls.[01].evt)" "all_gather 4 32000
all_reduce 16 $((2 * (1000 * (4 + 8 + 4 + 2 + 1 + 2) + 7 * 5 * 3 * 4 + 30 * 4)))
all_to_all 2 1600
barrier 2 0
broadcast 2 176
gather 2 16000
recv 1 52
reduce 2 96
scatter 2 16000
send 1 52"
# nccl-tests' definitions, with two ranks
python3 -S - <<'END' || fail "bandwidths"
import json
factors = {"all_reduce": 1, "all_gather": 0.5, "all_to_all": 0.5, "gather": 0.5, "scatter": 0.5}
for row in json.load(open("nccl.json"))["rows"]:
    if row["op"] == "barrier":
        assert row["alg_rate"] is None and row["bus_rate"] is None
        continue
    rate = row["bytes"] * 1e9 / row["total_ns"]
    assert abs(row["alg_rate"] - rate) <= 1, row
    assert abs(row["bus_rate"] - rate * factors.get(row["op"], 1)) <= 1, row
END
works=subgroup,lists,ddp
ranks $works
for rank in 0 1; do
	expect_eq "bytes of groups" "$(bytes_of subgroup $rank | grep all_reduce)" "all_reduce 2 20"
	python3 -S - <<'END' || fail "the bus bandwidth of a group of one rank"
import json
(row,) = [row for row in json.load(open("nccl.json"))["rows"] if row["op"] == "all_reduce"]
assert abs(row["bus_rate"] - 12e9 / row["total_ns"]) <= 1 and abs(row["alg_rate"] - 20e9 / row["total_ns"]) <= 1, row
END
	expect_match "what is not known" "$(bytes_of lists $rank | grep all_reduce)" '^all_reduce [0-9]+ None$'
	expect_eq "bytes of DistributedDataParallel's gradients" "$(bytes_of ddp $rank | grep all_reduce)" "all_reduce 7 $((7 * 4 * (8 * 8 + 8)))"
done
rm -f subgroup*
ranks subgroup torch # without shapes: no bytes, and the times as ever
expect_eq "bytes without shapes" "$(bytes subgroup.[01].evt | grep all_reduce)" "all_reduce 4 None"
unset PYTHONPATH # it asks much of what is compiled
# FSDP gathers the parameters; gloo scatters the gradients by all_reduce
if ranks fsdp; then
	expect_eq "bytes of FSDP" "$(bytes fsdp.[01].evt | grep all_)" "all_gather 14 $((14 * 4 * (8 * 8 + 8)))
all_reduce 14 $((14 * 4 * (8 * 8 + 8)))"
fi
