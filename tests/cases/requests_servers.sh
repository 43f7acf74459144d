#!/bin/bash
# Requests of uvicorn, gunicorn, hypercorn, waitress, Flask, Django, aiohttp and FastAPI are those that their clients sent, with the routes that the frameworks know; answers are as bare.
# SPDX-License-Identifier: MIT
# timeout: 600
# shellcheck disable=SC2034 # plan and routes are of serving.sh
. "$ROOT/tests/lib.sh"
need_servers
. "$ROOT/tests/requests/serving.sh"

plan="GET:/a GET:/items/17 GET:/items/x GET:/items/18 HEAD:/a POST:/echo:70000 GET:/stream GET:/missing GET:/error split:/c GET:/slow GET:/none new GET:/boom new GET:/a"
kept="pipe:5:/b $plan"
own=$ROOT/tests/requests/framework_app.py
plan=$kept compare uvicorn_h11 "$PYTHON" -m uvicorn --http h11 --loop asyncio --port {} asgi_app:app
plan=$kept compare uvicorn_httptools "$PYTHON" -m uvicorn --http httptools --loop uvloop --port {} asgi_app:app
own_paths="/echo=/echo /stream=/stream /error=/error /none=/none /slow=/slow /boom=/boom /items/x=/items/{key}"
routes="/items/17=/items/{key} /items/18=/items/{key} $own_paths *=/{name}"
compare fastapi "$PYTHON" -m uvicorn --port {} framework_app:fastapi_app
routes=''
plan=$kept compare hypercorn "$PYTHON" -m hypercorn -b 127.0.0.1:{} asgi_app:app
compare gunicorn_sync "$PYTHON" -m gunicorn -w 1 -b 127.0.0.1:{} wsgi_app:app
plan=$kept compare gunicorn_threads "$PYTHON" -m gunicorn -w 1 --threads 2 -b 127.0.0.1:{} wsgi_app:app
compare waitress "$PYTHON" -m waitress --port={} wsgi_app:app
routes="/items/17=/items/<int:key> /items/18=/items/<int:key> *=/<path:path>"
compare flask "$PYTHON" "$own" flask {}
routes="/items/17=/items/<int:key> /items/18=/items/<int:key>" # a pattern that fits everything is no name
compare django "$PYTHON" "$own" django {}
routes="/items/17=/items/{key} /items/18=/items/{key} /boom=/boom *=/{path}" # its answer to an exception does not ask for keep_alive
plan=$kept compare aiohttp "$PYTHON" "$own" aiohttp {}
