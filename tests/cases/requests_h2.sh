#!/bin/bash
# Requests of HTTP/2 are those that the client sent, each stream one: many at once, bodies, resets, by hypercorn in the clear and by TLS.
# SPDX-License-Identifier: MIT
# timeout: 300
. "$ROOT/tests/lib.sh"
need_servers
. "$ROOT/tests/requests/serving.sh"

client() { # NAME PORT
	"$PYTHON" "$ROOT/tests/requests/h2_client.py" "$2" "$plan" 20 >"$1.json"
}

compare() { # NAME COMMAND...
	local name=$1
	recorded "$@"
	expect_eq "end of $name" "$(cat "$name.status")" "status 0"
	python3 -I -S - "$name.json" requests.json <<'E' || fail "$name: requests differ from the client's: $(cat "$name.json")"
import json, sys, collections
asked = {(method, path, status): (count, longest) for method, path, status, count, longest in json.load(open(sys.argv[1]))}
seen = collections.defaultdict(list)
for row in json.load(open(sys.argv[2]))["rows"]:
    seen[row["method"], row["path"], row["status"] or 0].append(row)
faults = ["%s: %d asked, %d recorded" % (key, asked.get(key, (0,))[0], len(seen.get(key, ()))) for key in asked.keys() | seen.keys()
          if asked.get(key, (0,))[0] != len(seen.get(key, ()))]
for key, rows in seen.items():
    faults += ["%s took longer than its client saw: %d" % (key, row["total_ns"]) for row in rows if row["total_ns"] > asked[key][1] + 10**9]
    faults += ["%s: %s" % (key, row["ending"]) for row in rows if row["ending"] != ("answered" if key[2] else "client left")]
    if key[0] == "POST":
        faults += ["%s: %d bytes in, %d out" % (key, row["bytes_in"], row["bytes_out"]) for row in rows if row["bytes_in"] < 30000 or row["bytes_out"] < 30000]
print("\n".join(faults))
sys.exit(bool(faults))
E
}

plan=GET:/a,GET:/items/x,HEAD:/a,POST:/echo:30000,GET:/stream,GET:/missing,GET:/error,GET:/slow,GET:/none,reset:/slow
compare h2c "$PYTHON" -m hypercorn -b 127.0.0.1:{} asgi_app:app
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost 2>openssl.log || fail "openssl: $(cat openssl.log)"
export TLS=1
compare h2_tls "$PYTHON" -m hypercorn --keyfile key.pem --certfile cert.pem -b 127.0.0.1:{} asgi_app:app
