# SPDX-License-Identifier: MIT
# usage: compare.py CLIENT.json REQUESTS.json [PATH=ROUTE...]: the requests of `prof-report requests --by request --format json` are those of
# client.py, in their order (one client): method, status, bytes; none took longer than the client saw, but for
# the time until the server's thread reads the clock. Endpoints are the paths, unless a path has a route (`*`: all others).
import json
import sys

asked = json.load(open(sys.argv[1]))
rows = sorted(json.load(open(sys.argv[2]))["rows"], key=lambda row: row["request"])
routes = dict(word.split("=") for word in sys.argv[3:])
faults = []
LATE_NS = 10**9  # the client may have the answer before the server's thread, which waits for a CPU, reads the clock
if len(rows) != len(asked):
    faults.append("%d requests were sent, %d recorded" % (len(asked), len(rows)))
for (method, path, status, sent, got, ns), row in zip(asked, rows):
    wanted = {"method": method, "status": status or None, "bytes_in": sent, "bytes_out": got}
    if not status:  # it left before the answer, or the server closed the connection
        del wanted["bytes_out"]
    if path in routes or "*" in routes:
        wanted["endpoint"] = routes.get(path) or routes["*"]
    elif path.startswith("/") and "?" not in path and not any(c.isdigit() for c in path):
        wanted["endpoint"] = path
    seen = {name: row[name] for name in wanted}
    if seen != wanted:
        faults.append("%s %s: recorded %s, wanted %s" % (method, path, seen, wanted))
    if ns and row["total_ns"] > ns + LATE_NS:
        faults.append("%s %s took %d ns, its client saw %d" % (method, path, row["total_ns"], ns))
print("\n".join(faults))
sys.exit(bool(faults))
