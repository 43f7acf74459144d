#!/bin/bash
# uvicorn with workers and with reload, and gunicorn, as docs/STARTING.md starts them: workers are recorded.
# SPDX-License-Identifier: MIT
# timeout: 300
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_starting
cat >app.py <<'END'
import torch

async def app(scope, receive, send):
    if scope["type"] != "http":
        while (await receive())["type"] != "lifespan.shutdown":
            await send({"type": "lifespan.startup.complete"})
        await send({"type": "lifespan.shutdown.complete"})
        return
    torch.ones(4).erf()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"done"})
END
cat >wsgi.py <<'END'
import torch

def app(environ, start_response):
    torch.ones(4).erf()
    start_response("200 OK", [("Content-Length", "4")])
    return [b"done"]
END
cat >ask.py <<'END'
import sys, time, urllib.request

def ask(tries):
    while True:
        try:
            return urllib.request.urlopen("http://127.0.0.1:%s/" % sys.argv[1], timeout=600).read()
        except OSError as error:  # bound, but no worker listens yet, or the one that did is replaced
            tries -= 1
            if tries < 0:
                sys.exit("after all tries: %s" % error)
            time.sleep(0.2)

for _ in range(7):
    answer = ask(int(sys.argv[2]))
    assert answer == b"done", answer
END
# A port that is free; the log names it.
export UVICORN_PORT=0 GUNICORN_CMD_ARGS="--bind 127.0.0.1:0"
look() { # PID: what it and its children do, for the log of a failure
	local pid
	for pid in "$1" $(pgrep -P "$1"); do
		echo "process $pid: $(tr '\0' ' ' <"/proc/$pid/cmdline"), $(grep State "/proc/$pid/status"), $(cat "/proc/$pid/wchan")"
	done
}
serves() { # COMMAND PROCESSES TRIES: seven requests, then the end
	local server port line
	line=$(documented "$1")
	serve_web eval "exec env $line"
	if ! python ask.py "$port" "$3" 2>ask.log; then
		echo "$line: no answer: $(tail -5 log; tail -3 ask.log; look "$server")" >&2
		kill -TERM "$server"
		wait "$server"
		"$REPORT" processes --columns pid,command,exit_status "$OUTPUT" >&2
		rm -f ./*.evt
		return 1
	fi
	kill -TERM "$server"
	wait "$server"
	expect "$OUTPUT" 'ops.row(name="aten::erf").calls == 7' "len(processes.rows) >= $2"
	rm ./*.evt
}
serves "LD_PRELOAD=\$LIB uvicorn --workers" 3 600 || fail "no answer"
serves "LD_PRELOAD=\$LIB uvicorn --reload" 2 600 || fail "no answer"
serves "LD_PRELOAD=\$LIB gunicorn --workers" 3 600 || fail "no answer"
