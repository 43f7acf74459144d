#!/bin/bash
# export parquet: counts and sums in DuckDB, pyarrow and Polars are those of the reports; what is lost, damaged or hostile.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 300
readers=$(fetched readers)
[[ -e $readers/complete ]] || skip "no DuckDB, pyarrow, Polars (scripts/readers-env.sh installs them)"
cat >compare.py <<'END'
import collections, glob, json, os, shutil, subprocess, sys
import duckdb, polars
import pyarrow.parquet as parquet, pyarrow.dataset as dataset
report, path, *wanted = sys.argv[1:]

def table(name, *options):
    done = subprocess.run([report, name, "-f", "json", "--limit", "0", *options, path], capture_output=True, timeout=600)
    return json.loads(done.stdout)

shutil.rmtree("out", ignore_errors=True)
done = subprocess.run([report, "export", "parquet", path, "-o", "out"], capture_output=True, text=True, timeout=600)
threads = table("threads")
assert (done.returncode == 0) == (not threads["faults"]), done
files = glob.glob("out/**/*.parquet", recursive=True)
families = {name.split("family=")[1].split("/")[0] for name in files}
assert len(set(files)) + 3 == sum(len(inner) for _, _, inner in os.walk("out"))  # and the views for three engines

db = duckdb.connect()
def rows(family, query):
    return db.sql(query.replace("$", f"read_parquet('out/*/*/family={family}/*.parquet', hive_partitioning=true)")).fetchall() \
        if family in families else []
def one(family, query):
    found = rows(family, f"SELECT {query} FROM $")
    return (found[0][0] or 0) if found else 0

operators = sum(row["operators"] or 0 for row in threads["rows"])
ranges = sum(row["nvtx_ranges"] or 0 for row in threads["rows"])
dump = subprocess.run([report, "dump", path], capture_output=True, timeout=600).stdout
actions = dump.count(b" action_begin ")
marks = rows("ranges", "SELECT COUNT(*) FROM $ WHERE kind = 'mark'")
marks = marks[0][0] if marks else 0
assert marks == table("nvtx")["totals"]["marks"], path
assert one("operators", "COUNT(*)") + one("ranges", "COUNT(*)") - marks == operators + ranges + actions, path
steps = table("steps")["rows"]
found = sorted(rows("steps", "SELECT step, duration_ns FROM $"))
assert found == sorted((row["step"], row["total_ns"]) for row in steps), (path, found[:3], steps[:2])
times = ["total_ns", "gpu_ns"] + [name + "_ns" for name in (
    "kernel", "memcpy", "memset", "communication", "runtime", "dataloader", "operators", "other",
    "data", "forward", "backward", "optimizer", "evaluation", "other_phase")]
found = rows("steps", "SELECT pid, step, " + ", ".join(times).replace("total_ns", "duration_ns") + " FROM $")
expected = [tuple(row[name] for name in ["pid", "step"] + times) for row in steps]
assert sorted(found, key=str) == sorted(expected, key=str), (path, found[:3], expected[:3])
for row in found:  # the categories are the whole step, and so are the phases with communication
    by_name = dict(zip(times, row[2:]))
    assert sum(by_name[name] or 0 for name in times[2:10]) == by_name["total_ns"], (path, row)
    assert sum(by_name[name] for name in times[10:]) + by_name["communication_ns"] == by_name["total_ns"], (path, row)
api = {row["name"]: (row["calls"], row["total_ns"]) for row in table("api")["rows"]}
got = {name: (calls, total) for name, calls, total in rows(
    "calls", "SELECT name, COUNT(*), SUM(duration_ns) FROM $ GROUP BY name")}
assert got == api, (path, got, api)
modules = sum(row["calls"] for row in table("modules")["rows"])
assert one("modules", "COUNT(*)") == modules
tensors = table("tensors", "--by", "device")["rows"]
freed = rows("tensors", "SELECT SUM(bytes) FROM $ WHERE bytes > 0")
assert (freed[0][0] or 0 if freed else 0) == sum(row["bytes_allocated"] for row in tensors)
kernels = {row["name"]: (row["calls"], row["total_ns"]) for row in table("kernels")["rows"]}
got = {name: (calls, total) for name, calls, total in rows(
    "kernels", "SELECT name, COUNT(*), SUM(duration_ns) FROM $ GROUP BY name")}
assert got == kernels, (path, got, kernels)
copies = table("gpu-copies")["rows"]
assert one("copies", "SUM(bytes)") == sum(row["bytes"] for row in copies)
assert one("copies", "COUNT(*)") == sum(row["calls"] for row in copies)
assert one("processes", "COUNT(*)") == len(table("processes")["rows"])
assert one("threads", "COUNT(*)") == len(threads["rows"])
named = [(row["tid"], row["name"] or None) for row in threads["rows"]]  # null: it has no name
assert sorted(rows("threads", "SELECT tid, name FROM $"), key=str) == sorted(named, key=str), (path, named)
assert one("losses", "SUM(count)") == sum(loss["count"] for loss in threads["losses"])
assert one("losses", "SUM(end_ns - start_ns)") == sum(loss["to_ns"] - loss["from_ns"] for loss in threads["losses"])
assert one("faults", "COUNT(*)") == len(threads["faults"])

# the same rows in all three, and what the metadata says of them
lost = {}
def plain(values):
    return collections.Counter(tuple(sorted((key, value) for key, value in row.items() if value is not None)) for row in values)
for name in files:
    one_file = parquet.ParquetFile(name)
    mine = one_file.read()
    mine.validate(full=True)
    a, b = plain(mine.to_pylist()), plain(polars.read_parquet(name, hive_partitioning=False).to_dicts())
    c = db.sql(f"SELECT * FROM read_parquet('{name}', hive_partitioning=false)")
    c = plain(dict(zip(c.columns, row)) for row in c.fetchall())
    assert a == b == c, name
    assert {mine.num_rows} == {one_file.metadata.num_rows}
    notes = one_file.metadata.metadata
    lost[os.path.dirname(os.path.dirname(name))] = int(notes[b"intercept.lost"]), int(notes[b"intercept.faults"])
    for group in range(one_file.metadata.num_row_groups):
        for at in range(one_file.metadata.num_columns):
            chunk = one_file.metadata.row_group(group).column(at)
            values = [value for value in one_file.read_row_group(group, columns=[chunk.path_in_schema]).column(0).to_pylist()
                      if value is not None]
            assert chunk.statistics.null_count == chunk.num_values - len(values)
            assert chunk.statistics.has_min_max or not values or max(map(len, map(str, values))) > 60
            if chunk.statistics.has_min_max:
                assert chunk.statistics.min == min(values) and chunk.statistics.max == max(values), (name, chunk)
assert sum(count for count, _ in lost.values()) == sum(loss["count"] for loss in threads["losses"])
assert sum(count for _, count in lost.values()) == len(threads["faults"])
for what in wanted:
    if what.startswith("groups="):
        most = max(parquet.ParquetFile(name).metadata.num_row_groups for name in files)
        assert most >= int(what[7:]), most
    else:
        assert what in families, (what, families)
print(path, len(files), "files,", sum(parquet.ParquetFile(name).metadata.num_rows for name in files), "rows")
END
some=$ROOT/tests/truth/recordings/collate.evt
damaged_copies "$some"

need_program cuda_gpu
run_traced "$PROGRAMS/cuda_gpu" work 2>gpu.err || fail "cuda_gpu: $(cat gpu.err)"

# the state of GPUs: a row a sample, whose throttled time is the report's
need_program device_file
mkdir slow
"$PROGRAMS/device_file" "$PWD/slow/two" || fail "device_file"
rm slow/two.evt
{
	printf '%s\n' "$ROOT"/tests/golden/*.evt "$ROOT"/tests/truth/recordings/{good_ranks,good_labels,good_workers}.evt
	printf '%s\n' {cut,bad}.evt$'\tfaults' "$OUTPUT"$'\tkernels\tcopies\tcalls' "$(echo slow/two.host.*.evt)"$'\tgpu_states\tsteps'
} | "$readers/bin/python" "$ROOT/tests/each.py" compare.py "$REPORT" >log 2>err || fail "what was exported is not what the reports have: $(tail -n 9 err)"
"$readers/bin/python" - <<'END' || fail "the state of the GPU is not what NVML told"
import duckdb
rows = duckdb.sql("SELECT duration_ns, uuid, is_mig, sm_mhz, memory_mhz, power_mw, temperature_c, is_throttled, held_down_by "
                  "FROM read_parquet('out/*/*/family=gpu_states/*.parquet') ORDER BY start_ns + duration_ns").fetchall()
uuid = "GPU-b1b1b1b1-0000-0000-0000-000000000000"
assert rows == [(10**9 if at > 1 else 0, uuid, 0, 1980, None, 512000, 61, 0, "") if at < 6 else
                (10**9, uuid, 0, 1215, None, 700000, 84, 1, "power limit") for at in range(1, 11)], rows
END

# hostile names stay data: of the program, its thread and a host
cat >hostile.c <<'END'
#include <sys/prctl.h>
int main(void)
{
	return prctl(PR_SET_NAME, "'; DROP\n\xff\x1b[1m") || !__builtin_malloc(10);
}
END
gcc -w -o $'bad\xff=<\xc3\xa9"' hostile.c || fail "no compiler"
rm -f run.evt*
run_traced $'./bad\xff=<\xc3\xa9"' || fail "status $?"
rm -rf out
"$REPORT" export parquet "$OUTPUT" -o out 2>err || fail "$(cat err)"
"$readers/bin/python" - <<'END' || fail "a name is not what it was"
import duckdb
def all_of(family):
    return f"read_parquet('out/*/*/family={family}/*.parquet', hive_partitioning=true)"
assert duckdb.sql(f"SELECT name FROM {all_of('threads')}").fetchall() == [("'; DROP\n\ufffd\x1b[1m",)]
assert duckdb.sql(f"SELECT command FROM {all_of('processes')}").fetchall() == [('./bad\ufffd=<\u00e9"',)]
END

# what is refused: an export that is there, a file instead of a folder, a full disk, no folder
cp "$some" own.evt
refuses 1 '^prof-report: ' export parquet "$OUTPUT" -o out
expect_match "an export that is there" "$(cat err)" "'out/host=.*/rank=.*' is there already, of an export before; remove it"
refuses 2 '^prof-report: ' export parquet own.evt
refuses 1 '^prof-report: ' export parquet own.evt -o own.evt
refuses 2 '^prof-report: ' export parquet own.evt -o nowhere/folder
cmp own.evt "$some" || fail "the recording was written over"
exit 0
