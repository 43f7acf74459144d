#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scale_job.py TABLES OUT RANKS STEPS [exact]: the small tables of a job of RANKS ranks, eight a host, of STEPS steps or a little more,
and its views.sql.

TABLES is `export parquet` of a recording of a few ranks. Rank r is what its rank r modulo their number did
between its first and its last step, again and again. Each step's times vary by up to 20 %, differently in each rank; rank 5 is slower by half
from the middle on. With `exact` nothing varies, and no rank is slower: each rank's steps are those of its original, over and over.
Numbers are encoded as in our own tables. Needs DuckDB.
"""
import glob, os, re, sys

import duckdb

FAMILIES = ("steps", "collectives", "gc", "samples")
SLOW_RANK = 5


def write_views(tables, out, families):
    """The views of tables that the job has, and the questions about them."""
    text = open(f"{tables}/views.sql").read()
    others = set(re.findall(r"/family=(\w+)/", text)) - set(families)
    kept = [part for part in text.split(";\n") if not any(f"VIEW {name} AS" in part or re.search(rf"FROM {name}\b", part) for name in others)]
    with open(f"{out}/views.sql", "w") as file:
        file.write(";\n".join(kept).replace(f"'{tables}/", f"'{out}/"))


def main(tables, out, ranks, steps, exact=False):
    db = duckdb.connect()
    db.sql("SET threads = 2")
    bases = sorted({part.split("rank=")[1].split("/")[0] for part in glob.glob(tables + "/*/rank=*/family=steps/*.parquet")})
    families = [family for family in FAMILIES if all(glob.glob(f"{tables}/*/rank={base}/family={family}/*.parquet") for base in bases)]
    for base in bases:
        for family in families:
            files = glob.glob(f"{tables}/*/rank={base}/family={family}/*.parquet")
            db.sql(f"CREATE TABLE {family}_{base} AS FROM read_parquet({files}, hive_partitioning=false)")
    spans = {base: db.sql(f"SELECT min(start_ns), max(start_ns), count(*) - 1 FROM steps_{base}").fetchall()[0] for base in bases}
    # the same of all, so that the ranks' calls stay together
    period = max(last for _, last, _ in spans.values()) - min(first for first, _, _ in spans.values())
    for rank in range(ranks):
        base = bases[rank % len(bases)]
        first, last, count = spans[base]
        times = -(-steps // count)
        for family in families:
            names = [row[0] for row in db.sql(f"DESCRIBE {family}_{base}").fetchall()]
            factor = "1" if exact else f"(0.9 + (hash(again, start_ns, {rank}) % 1000) / 5000.0)" + (f" * (CASE WHEN again >= {times // 2} THEN 1.5 ELSE 1 END)" if rank == SLOW_RANK and family == "steps" else "")
            columns = [f"CAST(start_ns + again * {period} AS BIGINT) AS start_ns" if name == "start_ns"
                       else f"CAST({name} * {factor} AS BIGINT) AS {name}" if name.endswith("_ns")
                       else f"row_number() OVER (PARTITION BY operation ORDER BY start_ns + again * {period}) AS n" if name == "n"
                       else f"CAST(step + again * {count} AS BIGINT) AS step" if name == "step" else f'"{name}"' for name in names]
            folder = f"{out}/host=node{rank // 8}/rank={rank}/family={family}"
            os.makedirs(folder, exist_ok=True)
            db.sql(f"COPY (SELECT {', '.join(columns)} FROM {family}_{base}, range({times}) AS r(again) WHERE start_ns >= {first} AND start_ns < {last} "
                   f"ORDER BY 1) TO '{folder}/part.parquet' (FORMAT parquet, COMPRESSION zstd, PARQUET_VERSION v2)")
    write_views(tables, out, families)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5:] == ["exact"])
