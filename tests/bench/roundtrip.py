# SPDX-License-Identifier: MIT
"""usage: roundtrip.py ROUNDS
JSON and pickle round trips of a nested document: many small heap blocks, the way Python makes them."""
import json
import pickle
import sys
import time

DOCUMENT = {"rows": [{"id": i, "name": "row %d" % i, "values": [i / 3, i * 7, None, True],
                      "tags": {"a%d" % (i % 13): "b%d" % i}} for i in range(2000)]}


def main():
    wall, cpu = time.perf_counter_ns(), time.process_time_ns()
    for _ in range(int(sys.argv[1])):
        text = json.dumps(DOCUMENT)
        if json.loads(text) != pickle.loads(pickle.dumps(DOCUMENT)):
            sys.exit("the document came back changed")
    print("result", json.dumps({"wall_ns": time.perf_counter_ns() - wall,
                                "cpu_ns": time.process_time_ns() - cpu}))


main()
