#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""views.py VIEWS.SQL [NAME...]: how long DuckDB takes for each question of a views.sql, or those named, on two cores. To be started where
the tables were exported from.

Prints the time by the clock, the CPU time of all threads, which a busy machine changes less, and the number of rows.
"""
import re
import sys
import time

import duckdb


def main(path, *names):
    text = open(path).read()
    db = duckdb.connect()
    db.sql("SET threads = 2")
    db.execute(text)
    views = re.findall(r"^CREATE OR REPLACE VIEW (\w+) AS$", text, re.M)
    for name in names or views:
        cpu_s, wall_s = time.process_time(), time.monotonic()
        rows = db.sql(f"SELECT count(*), bit_xor(hash(one)) FROM (SELECT * FROM {name}) AS one").fetchall()[0][0]
        print(f"{name:22} {time.monotonic() - wall_s:6.2f} s  {time.process_time() - cpu_s:6.2f} s of CPU  {rows:8} rows", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
