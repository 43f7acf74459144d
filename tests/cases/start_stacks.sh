#!/bin/bash
# A uvicorn server and a Jupyter kernel with Python stacks, both stacks and +functions: answers and outputs are those without us.
# SPDX-License-Identifier: MIT
# timeout: 480
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_starting
export PYTHONDONTWRITEBYTECODE=1
cat >app.py <<'END'
import asyncio, json, traceback

def work(n):
    return n if n < 2 else work(n - 1) + work(n - 2)

async def count(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield i

async def answer(path):
    if path == "/work":
        return work(10)
    if path == "/async":
        return [i async for i in count(3)]
    if path == "/thread":
        return await asyncio.to_thread(work, 8)
    if path == "/wrong":
        try:
            work("x")
        except TypeError:
            return traceback.format_exc().splitlines()[-2:]
    raise KeyError(path)

async def app(scope, receive, send):
    if scope["type"] != "http":
        while (await receive())["type"] != "lifespan.shutdown":
            await send({"type": "lifespan.startup.complete"})
        await send({"type": "lifespan.shutdown.complete"})
        return
    body = json.dumps(await answer(scope["path"])).encode()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body})
END
cat >ask.py <<'END'
import sys, urllib.error, urllib.request
for path in ["/work", "/async", "/thread", "/wrong", "/absent"] * 3:
    try:
        answer = urllib.request.urlopen("http://127.0.0.1:%s%s" % (sys.argv[1], path), timeout=600)
        print(path, answer.status, answer.read())
    except urllib.error.HTTPError as error:
        print(path, error.code, error.read())
END
serve() { # NAME COMMAND...: what a server answers, its end, and what it logs of it
	local name=$1 server port
	shift
	serve_web "$@" python -m uvicorn --port 0 --no-use-colors app:app
	python ask.py "$port" >"$name.answers" || fail "$name: no answer: $(tail -5 log)"
	# the shell of the server has one child, the server
	kill -INT "$(pgrep -P "$server" || echo "$server")"
	wait "$server"
	echo "status $?" >>"$name.answers"
	# what the server says, without pids, ports and our own lines
	sed -E 's/\[[0-9]+\]/[pid]/; s/127\.0\.0\.1:[0-9]+/here/g; /^intercept: /d; s/0x[0-9a-f]+/address/g' log >>"$name.answers"
}

cat >book.py <<'END'
import nbformat, sys
book = nbformat.v4.new_notebook()
cells = ["import sys, asyncio, threading, traceback\ndef work(n):\n    return n if n < 2 else work(n - 1) + work(n - 2)\nwork(12)",
         "async def later(n):\n    await asyncio.sleep(0)\n    return n * 2\nprint(await asyncio.gather(later(1), later(2)))",
         "def fails(x):\n    return 1 / x\nfails(0)",
         "got = []\nthread = threading.Thread(target=lambda: got.append(work(9)))\nthread.start(); thread.join(); got",
         "print(sys.getprofile(), sys.gettrace() is None, sys._getframe().f_code.co_name)",
         "%prun -q -T calls.txt work(5)",
         "%%writefile it.py\nvalue = 7",
         "import it\n[i for i in range(it.value) if i % 2]", "%xmode", "raise SystemExit"]
book.cells = [nbformat.v4.new_code_cell(source, metadata={"tags": ["raises-exception"]}, id="cell%d" % i) for i, source in enumerate(cells)]
nbformat.write(book, "book.ipynb")
END
cat >outputs.py <<'END'
import nbformat, re, sys
for cell in nbformat.read(sys.argv[1], 4).cells:
    text = "".join(str(o.get("text") or o.get("data") or o.get("traceback") or o) for o in cell.outputs)
    print(cell.execution_count, re.sub(r"0x[0-9a-f]+|in [0-9.]+ seconds|ipykernel_[0-9]+/[0-9]+|[0-9.]+ *seconds", "*", text))
END
python book.py || fail "no notebook"
export JUPYTER_DATA_DIR=$PWD/data JUPYTER_RUNTIME_DIR=$PWD/runtime JUPYTER_CONFIG_DIR=$PWD/config IPYTHONDIR=$PWD/ipython
kernel() { # NAME SETTING: a kernel of its own, which alone is traced
	local name=$1
	shift
	rm -rf data it.py calls.txt
	python -m ipykernel install --user --name mine "$@" >out 2>&1 || fail "$name: the kernel: $(tail -5 out)"
	cp book.ipynb "$name.ipynb"
	timeout 600 jupyter execute --inplace --allow-errors --kernel_name=mine "$name.ipynb" >out 2>&1 || fail "$name: jupyter: $(tail -5 out)"
	python outputs.py "$name.ipynb" >"$name.outputs" || fail "$name: no outputs"
	grep -oE '^ *[0-9/]+ .*work' calls.txt | sed -E 's/ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ / /' >>"$name.outputs"
}

serve bare env
kernel bare
grep -q '^/wrong 200 ' bare.answers || fail "the server does not answer: $(cat bare.answers)"
grep -qE '^ *15.1 .*work' bare.outputs || fail "no calls of work(): $(cat bare.outputs)"
grep -q 'ZeroDivisionError' bare.outputs || fail "the kernel does not run: $(cat bare.outputs)"
for setting in INTERCEPT_STACKS=python INTERCEPT_STACKS=both INTERCEPT_TRACE=+functions; do
	rm -f ./*.evt
	serve traced run_traced env "$setting"
	cmp -s bare.answers traced.answers || fail "uvicorn, $setting: $(diff bare.answers traced.answers)"
	"$REPORT" check "$OUTPUT" >check.out || fail "uvicorn, $setting: $(cat check.out)"
	[[ $setting != *functions ]] || expect "$OUTPUT" 'sum(r["ncalls"] for r in functions.rows if r["function"] == "answer") >= 15' \
		'sum(r["ncalls"] for r in functions.rows if r["function"] == "work") == 3 * (177 + 67 + 1)'
	rm -f ./*.evt
	kernel traced --env LD_PRELOAD "$LIB" --env INTERCEPT_OUTPUT "$OUTPUT" --env "${setting%%=*}" "${setting#*=}"
	cmp -s bare.outputs traced.outputs || fail "Jupyter, $setting: $(diff bare.outputs traced.outputs)"
	"$REPORT" check "$OUTPUT" >check.out || fail "Jupyter, $setting: $(cat check.out)"
done
