#!/bin/bash
# views.sql over exported tables has the figures of ranks, steps and nccl, also of a job made from them; all three files are SQL of their engines.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 240
readers=$(fetched readers)
"$readers/bin/python" -c 'import duckdb, sqlglot' 2>/dev/null || skip "no DuckDB, or no sqlglot (scripts/readers-env.sh installs them)"
recordings=$ROOT/tests/truth/recordings

cat >recorded.py <<'END'
import json, subprocess, sys, duckdb
report, recording, tables = sys.argv[1:]

def reported(name):
    done = subprocess.run([report, name, recording, "--format", "json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)

db = duckdb.connect()
db.execute(open(f"{tables}/views.sql").read())

def view(name):
    result = db.sql(f"SELECT * FROM {name}")
    return [dict(zip(result.columns, row)) for row in result.fetchall()]

ranks = {row["rank"]: row for row in reported("ranks")["rows"]}
own = {row["rank"]: row for row in view("own_work")}
slow = {row["rank"]: row for row in view("slowest_ranks")}
assert len(ranks) == 2 and own.keys() == slow.keys() == ranks.keys(), ranks
for rank, row in ranks.items():
    assert slow[rank]["steps"] == own[rank]["steps"] == row["steps"], (rank, slow[rank], row)
    assert slow[rank]["step_p50_ns"] == row["step_p50_ns"] and own[rank]["own_p50_ns"] == row["own_p50_ns"], (rank, own[rank], row)
    for phase in "communication", "data", "forward", "backward", "optimizer":
        assert own[rank][phase + "_p50_ns"] == row[phase + "_ns"], (rank, phase, own[rank], row)
assert view("own_work")[0]["rank"] == max(ranks, key=lambda rank: ranks[rank]["own_p50_ns"])
totals = reported("steps")["totals"]
sums = db.sql("SELECT count(*), sum(duration_ns), max(duration_ns), sum(communication_ns), sum(forward_ns), sum(backward_ns) FROM steps").fetchall()[0]
assert sums == tuple(totals[name] for name in ("steps", "total_ns", "max_ns", "communication_ns", "forward_ns", "backward_ns")), (sums, totals)
for row in reported("nccl")["rows"]:
    of = f"WHERE operation = '{row['op']}'"
    found = db.sql(f"SELECT count(*), sum(duration_ns), count(DISTINCT rank) FROM nth_collectives {of}").fetchall()[0]
    assert found == (row["calls"], row["total_ns"], row["processes"]), (found, row)
    numbers = f"SELECT rank, start_ns, row_number() OVER (PARTITION BY rank ORDER BY start_ns) FROM collectives {of}"
    assert not db.sql(f"({numbers}) EXCEPT (SELECT rank, start_ns, n FROM nth_collectives {of})").fetchall(), of
    spread = db.sql(f"SELECT max(last_ns - first_ns), count(*) FROM collective_arrivals {of}").fetchall()[0]
    assert spread == (row["skew_max_ns"], row["calls"] // 2), (spread, row)
late = {rank: [0, 0] for rank in ranks}
for row in view("last_to_arrive"):
    late[row["rank"]][0] += row["times"]
    late[row["rank"]][1] += row["after_ns"]
assert late == {rank: [row["late_count"], row["late_total_ns"]] for rank, row in ranks.items()}, (late, ranks)
assert view("missing_calls") == [] and view("clock_bounds") == []
END
for name in uneven_ranks gc_ranks; do
	"$REPORT" export parquet "$recordings/$name.evt" -o "$name" 2>err || fail "$name: $(cat err)"
	"$readers/bin/python" recorded.py "$REPORT" "$recordings/$name.evt" "$name" 2>err || fail "$name: $(tail -n 3 err)"
done

# a job of two hosts: rank r does over and over what rank r modulo 2 did between its first and its last step
"$readers/bin/python" "$ROOT/tests/scale_job.py" gc_ranks job 16 200 exact 2>err || fail "scale_job.py: $(tail -n 3 err)"
cat >job.py <<'END'
import duckdb
db = duckdb.connect()
db.execute(open("job/views.sql").read())
original = duckdb.connect()
original.execute(open("gc_ranks/views.sql").read())

def view(name):
    result = db.sql(f"SELECT * FROM {name}")
    return [dict(zip(result.columns, row)) for row in result.fetchall()]

def of_original(rank, query):
    return original.sql(query.replace("$", f"(SELECT * FROM steps, range({TIMES}) AS r(again) WHERE rank = {rank % 2} AND step < {ROUND})")).fetchall()[0]

ROUND = original.sql("SELECT max(step) FROM steps").fetchall()[0][0]
TIMES = -(-200 // ROUND)
own, slow = ({row["rank"]: row for row in view(name)} for name in ("own_work", "slowest_ranks"))
assert sorted(own) == sorted(slow) == list(range(16))
for rank in range(16):
    steps, median, most, working, forward = of_original(rank, "SELECT count(*), median(duration_ns), max(duration_ns), "
        "median(duration_ns - communication_ns), median(forward_ns) FROM $ WHERE step + again > 0")
    assert slow[rank] == {"rank": rank, "host": f"node{rank // 8}", "steps": steps, "step_p50_ns": median, "step_max_ns": most}, (slow[rank], median)
    assert own[rank]["own_p50_ns"] == working and own[rank]["forward_p50_ns"] == forward, own[rank]
tenths = view("own_work_by_tenth")
assert len(tenths) == 160 and {row["tenth"] for row in tenths} == set(range(10))
calls = db.sql("SELECT rank, operation, count(*), max(n) FROM nth_collectives GROUP BY rank, operation").fetchall()
expected = {(rank, operation): TIMES * count for rank in range(2) for operation, count in original.sql(
    "SELECT operation, count(*) FROM collectives JOIN (SELECT min(start_ns) AS first, max(start_ns) AS last FROM steps "
    f"WHERE rank = {rank}) ON start_ns >= first AND start_ns < last WHERE rank = {rank} GROUP BY operation").fetchall()}
assert expected and len(calls) == 8 * len(expected), (calls, expected)
assert all(count == most == expected[rank % 2, operation] for rank, operation, count, most in calls), (calls, expected)
# eight ranks come at one moment: the lowest of them is said
for row in view("collective_arrivals"):
    assert row["last_rank"] < 2 and row["ranks"] in (8, 16), row
assert sum(row["times"] for row in view("last_to_arrive")) == len(view("collective_arrivals"))
missing = {(row["rank"], row["operation"]) for row in view("missing_calls")}
assert missing == {(rank, operation) for rank, operation, count, _ in calls if count < max(c for _, o, c, _ in calls if o == operation)}, missing
# both hosts do the same at the same moment, so the bounds are the same on both sides of 0; nobody leaves before the last has come
bounds, = view("clock_bounds")
assert bounds["host"] == "node1" and bounds["least_add_ns"] == -bounds["most_add_ns"] <= 0, bounds
collections = {row["rank"]: row for row in view("garbage_collections")}
assert collections[15]["collections"] == collections[1]["collections"] > 0 and collections[15]["collections"] % TIMES == 0, collections[15]
END
"$readers/bin/python" job.py 2>err || fail "a job: $(tail -n 3 err)"

# the same text for each engine, read by a parser of its SQL, which takes nothing else
mkdir tables
for family in operators ranges steps collectives gc samples counters kernels losses; do
	mkdir -p "tables/host=a/rank=0/family=$family"
done
"$REPORT" export parquet "$recordings/uneven_ranks.evt" -o tables 2>err || fail "$(cat err)"
"$readers/bin/python" - <<'END' 2>err || fail "SQL: $(tail -n 3 err)"
import sqlglot
from sqlglot import expressions
for name, engine in (("views.sql", "duckdb"), ("views.clickhouse.sql", "clickhouse"), ("views.spark.sql", "spark")):
    text = open("tables/" + name).read()
    assert "left out" not in text, name
    statements = [part for part in sqlglot.parse(text, dialect=engine, error_level=sqlglot.ErrorLevel.RAISE) if part]
    assert len(statements) == text.count(";\n") > 20 and all(type(part) is expressions.Create for part in statements), (name, len(statements))
    views = {part.find(expressions.Table).name: part for part in statements}
    assert "clock_bounds" in views and "steps" in views, (name, views.keys())
    for part in views.values():
        # what a view reads is a view before it, a name of its own WITH, or files
        own = {inner.alias for inner in part.find_all(expressions.CTE)}
        for table in part.find_all(expressions.Table):
            assert not table.name or table.name in views or table.name in own, (name, table)
try:
    sqlglot.parse(text.replace("max(", "max((", 1), dialect="spark", error_level=sqlglot.ErrorLevel.RAISE)
except sqlglot.errors.ParseError:
    pass
else:
    raise AssertionError("the parser takes anything")
END
exit 0
