#!/bin/bash
# Requests of uvicorn, gunicorn, hypercorn, waitress, Flask, Django, aiohttp and FastAPI are those that their clients sent, with the routes that the frameworks know; answers are as bare.
# SPDX-License-Identifier: MIT
# timeout: 600
. "$ROOT/tests/lib.sh"
need_servers
export PYTHONPATH=$PYTHONPATH:$ROOT/tests/requests PYTHONDONTWRITEBYTECODE=1
server='' routes=''
trap '[[ ! $server ]] || kill -9 $server 2>/dev/null' EXIT

listens() { # PORT
	(exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# Starts the server, asks for all of the plan, and ends it; the answers are in $1.json.
serve() { # NAME PLAN COMMAND...; {} is the port
	local name=$1 plan=$2 port
	shift 2
	port=$(free_port)
	"${@//\{\}/$port}" >"$name.log" 2>&1 &
	server=$!
	eventually "$name listens" listens "$port"
	# shellcheck disable=SC2086 # words
	python3 "$ROOT/tests/requests/client.py" "$port" $plan >"$name.json" || fail "$name: the client failed: $(cat "$name.log")"
	kill -TERM "$server"
	wait "$server"
	echo "status $?" >"$name.status"
	server=''
}

answers() { # NAME: without times
	python3 -I -S -c 'import json, sys; [print(*row[:5]) for row in json.load(open(sys.argv[1]))]' "$1.json"
	cat "$1.status"
}

compare() { # NAME PLAN COMMAND...; $routes: of the framework
	local name=$1
	rm -f "$OUTPUT"
	serve "$name-bare" "${@:2}"
	serve "$name" "$2" env LD_PRELOAD="$LIB" INTERCEPT_OUTPUT="$OUTPUT" "${@:3}"
	cmp <(answers "$name-bare") <(answers "$name") || fail "$name: answers differ: $(diff <(answers "$name-bare") <(answers "$name"))"
	written "$OUTPUT"
	"$REPORT" requests --limit 0 --by request --format json "$OUTPUT" >requests.json || fail "$name: prof-report: status $?"
	# shellcheck disable=SC2086 # words without blanks
	python3 "$ROOT/tests/requests/compare.py" "$name.json" requests.json $routes || fail "$name: requests differ from the client's"
}

plan="GET:/a GET:/items/17 GET:/items/x GET:/items/18 HEAD:/a POST:/echo:70000 GET:/stream GET:/missing GET:/error split:/c GET:/slow GET:/none new GET:/boom new GET:/a"
kept="pipe:5:/b $plan"
own=$ROOT/tests/requests/framework_app.py
compare uvicorn_h11 "$kept" "$PYTHON" -m uvicorn --http h11 --loop asyncio --port {} asgi_app:app
compare uvicorn_httptools "$kept" "$PYTHON" -m uvicorn --http httptools --loop uvloop --port {} asgi_app:app
own_paths="/echo=/echo /stream=/stream /error=/error /none=/none /slow=/slow /boom=/boom /items/x=/items/{key}"
routes="/items/17=/items/{key} /items/18=/items/{key} $own_paths *=/{name}"
compare fastapi "$plan" "$PYTHON" -m uvicorn --port {} framework_app:fastapi_app
routes=''
compare hypercorn "$kept" "$PYTHON" -m hypercorn -b 127.0.0.1:{} asgi_app:app
compare gunicorn_sync "$plan" "$PYTHON" -m gunicorn -w 1 -b 127.0.0.1:{} wsgi_app:app
compare gunicorn_threads "$kept" "$PYTHON" -m gunicorn -w 1 --threads 2 -b 127.0.0.1:{} wsgi_app:app
compare waitress "$plan" "$PYTHON" -m waitress --port={} wsgi_app:app
routes="/items/17=/items/<int:key> /items/18=/items/<int:key> *=/<path:path>"
compare flask "$plan" "$PYTHON" "$own" flask {}
routes="/items/17=/items/<int:key> /items/18=/items/<int:key>" # a pattern that fits everything is no name
compare django "$plan" "$PYTHON" "$own" django {}
routes="/items/17=/items/{key} /items/18=/items/{key} /boom=/boom *=/{path}" # its answer to an exception does not ask for keep_alive
compare aiohttp "$kept" "$PYTHON" "$own" aiohttp {}
