# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# What cases share that ask a server (need_servers) and compare what was recorded with what its client saw.

export PYTHONPATH=$PYTHONPATH:$ROOT/tests/requests PYTHONDONTWRITEBYTECODE=1
server=''
trap '[[ ! $server ]] || kill -9 $server 2>/dev/null' EXIT

listens() { # PORT
	(exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# Starts the server, asks it by `client NAME PORT`, which the case may define anew, and ends it; what was answered is in NAME.json, its
# end in NAME.status.
serve() { # NAME COMMAND...; {} is the port
	local name=$1 port
	shift
	port=$(free_port)
	"${@//\{\}/$port}" >"$name.log" 2>&1 &
	server=$!
	eventually "$name listens" listens "$port"
	client "$name" "$port" || fail "$name: the client failed: $(cat "$name.log")"
	kill -TERM "$server"
	wait "$server"
	echo "status $?" >"$name.status"
	server=''
}

client() { # NAME PORT
	# shellcheck disable=SC2086,SC2154 # words, of the case
	python3 "$ROOT/tests/requests/client.py" "$2" $plan >"$1.json"
}

# Serves under intercept; the rows are in requests.json.
recorded() { # NAME COMMAND...
	rm -f "$OUTPUT"
	serve "$1" env LD_PRELOAD="$LIB" INTERCEPT_OUTPUT="$OUTPUT" "${@:2}"
	written "$OUTPUT"
	"$REPORT" requests --limit 0 --by request --format json "$OUTPUT" >requests.json || fail "$1: prof-report: status $?"
}

answers() { # NAME: without times
	python3 -I -S -c 'import json, sys; [print(*row[:5]) for row in json.load(open(sys.argv[1]))]' "$1.json"
	cat "$1.status"
}

# What is answered to $plan is the same without us, and what is recorded is that, with the routes in $routes (tests/requests/compare.py).
compare() { # NAME COMMAND...
	serve "$1-bare" "${@:2}"
	recorded "$@"
	cmp <(answers "$1-bare") <(answers "$1") || fail "$1: answers differ: $(diff <(answers "$1-bare") <(answers "$1"))"
	# shellcheck disable=SC2086 # words without blanks
	python3 "$ROOT/tests/requests/compare.py" "$1.json" requests.json ${routes:-} || fail "$1: requests differ from the client's"
}
