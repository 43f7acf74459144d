#!/bin/bash
# docs/SCALE.md: its queries over 64 ranks on 8 hosts find what is planted there; few descriptors and little memory do.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 240
readers=$(fetched readers)
[[ -e $readers/complete ]] || skip "no DuckDB, pyarrow, Polars (scripts/readers-env.sh installs them)"
need_program scale_files
"$PROGRAMS/scale_files" 64 "$PWD/run" 50 20 || fail "scale_files failed"
(ulimit -n 64 && "$REPORT" export parquet run.evt -o tables 2>err) || fail "$(cat err)"
expect_match "losses" "$(cat err)" "LOST 40 events"
cat >ask.py <<'END'
import re, sys
import duckdb, polars, pyarrow.dataset, glob
db = duckdb.connect()
text = open(sys.argv[1]).read()
blocks = ["\n".join(line[4:] for line in block.splitlines()) for block in re.findall(r"(?m)(?:^    .*\n)+", text)]
queries = {}
for block in blocks:
    if block.startswith("CREATE VIEW"):
        db.sql(block)
    elif block.startswith("-- "):
        queries[block.splitlines()[0][3:]] = db.sql(block).fetchall()
STEPS = 50
slowest = queries.pop("slowest ranks")
assert slowest[0] == (5, "node0", STEPS - 2, 20.0, 20.0) and slowest[1][3] == 10.0 and len(slowest) == 10, slowest
stragglers = queries.pop("straggler steps")
assert len(stragglers) == 20 and all(row[1:] == (5, 20.0, 10.0) for row in stragglers), stragglers
# a step takes 10 ms, of rank 5 twice that, and 1 ms more before its kernel
skew = queries.pop("skew of collectives")
assert skew[0] == ("ncclDevKernel_AllReduce", STEPS, (STEPS - 1) * 10.0 + 1, 5, 64), skew[0]
assert [row[1] for row in skew] == list(range(STEPS, STEPS - 20, -1)), skew
peaks = queries.pop("memory peaks")
assert peaks[0][:3] == (63, "node7", 1024 + 63 + STEPS - 1) and [row[0] for row in peaks] == list(range(63, 53, -1)), peaks
kernels = queries.pop("top kernels")
assert kernels == [("matmul", 64 * STEPS, 64 * STEPS * 0.003, 3000.0, 0.75),
                   ("ncclDevKernel_AllReduce", 64 * STEPS, 64 * STEPS * 0.001, 1000.0, 0.25)], kernels
own = queries.pop("own work of ranks")
assert own[0][0] == 5 and own[0][1] > own[1][1] + 9 and len(own) == 10, own
last = queries.pop("last to arrive")
assert last == [(5, "all_reduce", STEPS - 1, sum(range(STEPS)) * .01)] or (
    last[0][:3] == (5, "all_reduce", STEPS - 1) and abs(last[0][3] - sum(range(STEPS)) * .01) < 1e-9), last
collections = queries.pop("garbage collection")
assert collections == [(7, STEPS, STEPS, STEPS * .5)], collections
waits = queries.pop("lines that wait")
assert [row[2:] for row in waits] == [(64, 65 * .05)] and "fetch" in waits[0][0] and "train.py:12" in waits[0][0], waits
lost = queries.pop("lost data")
assert len(lost) == 1 and lost[0][:2] == (3, "node0") and lost[0][3] == 40, lost
assert not queries, "a query without a test: " + str(list(queries))
views = duckdb.connect()
views.execute(open("tables/views.sql").read())
def view(name, columns="*"):
    return views.sql(f"SELECT {columns} FROM {name}").fetchall()
assert view("slowest_ranks", "rank, host, steps, step_p50_ns, step_max_ns")[0] == (5, "node0", STEPS - 2, 20e6, 20e6)
assert view("own_work", "rank")[0] == (5,)
assert view("straggler_steps", "slowest, slowest_ns, median_ns")[0] == (5, 20e6, 10e6) and len(view("straggler_steps")) == STEPS - 2
assert len(view("own_work_by_tenth")) == 64 * 10
assert view("last_to_arrive", "rank, operation, times")[0] == (5, "all_reduce", STEPS - 1)
assert view("missing_calls") == []
assert view("clock_bounds", "host, calls") == [(f"node{host}", STEPS) for host in range(1, 8)]
assert view("garbage_collections", "rank, collections, full_ones") == [(7, STEPS, STEPS)]
assert [row[0] for row in view("lines_that_wait", "ranks")] == [64]
assert view("memory_peaks", "rank")[0] == (63,)
assert view("top_kernels", "name, calls") == [("matmul", 64 * STEPS), ("ncclDevKernel_AllReduce", 64 * STEPS)]
assert view("lost_data", "rank, lost") == [(3, 40)]
for engine in "views.sql", "views.clickhouse.sql", "views.spark.sql":
    text = open("tables/" + engine).read()
    assert text.count(" VIEW ") == text.count(";\n") and "own_work" in text and "left out" not in text, engine
clocks = duckdb.sql("SELECT host, rank, basis, uncertainty_ns FROM read_parquet('tables/*/*/family=clock_offsets/*.parquet', hive_partitioning=true)").fetchall() \
    if glob.glob("tables/*/*/family=clock_offsets") else None
# the ranks of node0 are not in step, so its calls are of several groups, and nothing is known of clocks
assert clocks is None or sorted(set(row[2] for row in clocks)) == ["real-time clock", "reference"] and len(clocks) == 64, clocks
steps = polars.scan_parquet("tables/*/*/family=steps/*.parquet", hive_partitioning=True).group_by("rank").agg(
    polars.col("duration_ns").median()).sort("rank").collect()
assert steps["duration_ns"].to_list() == [20e6 if rank == 5 else 10e6 for rank in range(64)], steps
files = glob.glob("tables/*/*/family=steps/*.parquet")
assert pyarrow.dataset.dataset(files, partitioning="hive").count_rows(filter=pyarrow.dataset.field("rank") == 5) == STEPS - 1
END
"$readers/bin/python" ask.py "$ROOT/docs/SCALE.md" 2>err || fail "$(tail -n 3 err)"

# node by node, into one folder, is the same: with all files there, and with those of a node only
for ((from = 0; from < 48; from += 8)); do
	"$REPORT" export parquet --rank $from..$((from + 7)) run.evt -o apart 2>err || fail "ranks from $from: $(cat err)"
done
mkdir node6 node7
mv run.node6.* node6
mv run.node7.* node7
for node in node6 node7; do
	"$REPORT" export parquet $node/*.evt -o apart 2>err || fail "$node: $(cat err)"
done
sed 's|tables/|apart/|' "$ROOT/docs/SCALE.md" >apart.md
"$readers/bin/python" ask.py apart.md 2>err || fail "$(tail -n 3 err)"
# clocks of hosts are compared only where all files are read together
diff <(cd tables && find . -type f ! -path '*family=clock_offsets*' | sort) <(cd apart && find . -type f ! -path '*family=clock_offsets*' | sort) || fail "other files"
"$REPORT" export parquet run.evt -o apart 2>err && fail "a rank was written twice"
expect_match "a rank that is there" "$(cat err)" "'apart/host=node0/rank=0' is there already"

# several row groups, of many names: what is read is what was written
mkdir alone
"$PROGRAMS/scale_files" 1 "$PWD/alone/run" 100 3000 || fail "scale_files failed"
"$REPORT" export parquet alone/run.evt -o large 2>err || fail "$(cat err)"
"$readers/bin/python" - <<'END' || fail "a large table"
import glob
import duckdb, polars, pyarrow.parquet as parquet
name, = glob.glob("large/*/*/family=operators/part.parquet")
file = parquet.ParquetFile(name)
groups = [file.metadata.row_group(at).num_rows for at in range(file.metadata.num_row_groups)]
assert groups == [1 << 17, 1 << 17, 300000 - (2 << 17)], groups
table = file.read(columns=["start_ns", "name"]).to_pydict()
# step s calls operators (i + s) % 100, 1,002 ns apart
assert len(table["name"]) == 300000
for at in list(range(0, 300000, 37)) + [(1 << 17) - 1, 1 << 17, 299999]:
    step, i = divmod(at, 3000)
    assert table["name"][at] == f"aten::operator_{(i + step) % 100}", at
    assert table["start_ns"][at] - 1700000000000000000 == 10 + step * 10000000 + 1002 * i + 2, at
for count in duckdb.sql(f"SELECT COUNT(*) FROM '{name}' GROUP BY name").fetchall():
    assert count == (3000,)
assert polars.read_parquet(name)["duration_ns"].sum() == 300000 * 1000
END
exit 0
