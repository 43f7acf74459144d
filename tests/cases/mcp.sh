#!/bin/bash
# prof-report mcp: each tool over real recordings; bounded answers; nothing outside of its folder is read or written; hostile lines.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

golden=$ROOT/tests/golden
mkdir -p work/deep secret
cp "$golden/families.evt" work/run.evt
cp "$golden/families3.evt" work/deep/after.evt
cp "$golden/counts.evt" secret/outside.evt
ln -s ../secret/outside.evt work/link.evt
ln -s ../secret work/folder
ln -s run.evt work/inside.evt
mkfifo work/pipe.evt
printf 'x' >work/broken.evt
cd work || exit 1
export HOME=$PWD/home # nothing may be written there
mkdir home && chmod 500 home
find . | sort >../before

python3 -S - "$REPORT" <<'END' || fail "prof-report mcp"
import json, subprocess, sys

class Server:
    def __init__(self):
        self.process = subprocess.Popen([sys.argv[1], "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0
        hello = self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})
        assert hello["protocolVersion"] == "2025-06-18" and "tools" in hello["capabilities"], hello
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def raw(self, line):
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def send(self, message):
        self.raw(json.dumps(message).encode())

    def answer(self):
        return json.loads(self.process.stdout.readline())

    def ask(self, method, params=None):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params or {}})
        answer = self.answer()
        assert answer["id"] == self.number, answer
        return answer["result"]

    def call(self, name, **arguments):
        result = self.ask("tools/call", {"name": name, "arguments": arguments})
        return result["content"][0]["text"], result["isError"]

    def good(self, name, **arguments):
        text, wrong = self.call(name, **arguments)
        assert not wrong, (name, arguments, text)
        return text

    def bad(self, part, name, **arguments):
        text, wrong = self.call(name, **arguments)
        assert wrong and part in text, (name, arguments, text)

def own(*words):
    return subprocess.run([sys.argv[1], *words], capture_output=True, text=True).stdout

server = Server()
tools = {tool["name"]: tool for tool in server.ask("tools/list")["tools"]}
assert set(tools) == {"list_recordings", "list_reports", "first_screen", "report", "compare", "explain_column"}, set(tools)
assert all(tool["inputSchema"]["type"] == "object" and tool["description"] for tool in tools.values())

listed = json.loads(server.good("list_recordings"))
paths = {row["path"]: row for row in listed["recordings"]}
assert set(paths) == {"run.evt", "deep/after.evt", "inside.evt", "broken.evt"}, paths
assert paths["broken.evt"]["unreadable"] and "unreadable" not in paths["run.evt"]
assert listed["left_out"] == {"recordings": 0, "links_out_of_the_folder": 1}, listed["left_out"]

reports = json.loads(server.good("list_reports"))["reports"]
assert {"ops", "steps", "alloc", "summary"} <= {one["name"] for one in reports} and not {"dump", "export", "page", "diff"} & {one["name"] for one in reports}
assert "function" in next(one for one in reports if one["name"] == "alloc")["by"]

assert "ran 6.82 s" in server.good("first_screen", recording="run.evt")

# rows are those of prof-report, in its order; what is left out is said
whole = [{name: value for name, value in row.items() if value is not None} for row in json.loads(own("ops", "--format", "json", "run.evt"))["rows"]]
for limit in (1, 3, 500):
    doc = json.loads(server.good("report", recording="run.evt", report="ops", limit=limit, max_bytes=1000000))
    assert doc["rows"] == whole[:limit] and doc["left_out"]["rows"] == max(0, len(whole) - limit) and doc["left_out"]["of"] == len(whole)
small = server.good("report", recording="run.evt", report="ops", limit=0, max_bytes=5000)
doc = json.loads(small)
assert 4000 < len(small) < 5000 and doc["totals"] and 0 < len(doc["rows"]) < len(whole) and doc["rows"] == whole[:len(doc["rows"])] and doc["left_out"]["rows"] == len(whole) - len(doc["rows"])
# the default answer of each report is one, and short: an assistant pays for each word
for name in (one["name"] for one in reports if one["name"] not in ("summary", "bottleneck")):
    text = server.good("report", recording="run.evt", report=name)
    assert len(text) <= 12000 and json.loads(text)["report"], (name, len(text))
doc = json.loads(server.good("report", recording="run.evt", report="alloc", by="function", sort="live_bytes", filter=["allocations>10"], columns=["function", "allocations"]))
assert doc["rows"] and all(row["allocations"] > 10 and set(row) == {"function", "allocations"} for row in doc["rows"])
doc = json.loads(server.good("report", recording="inside.evt", report="steps", step="15"))
assert len(doc["rows"]) == 1
doc = json.loads(server.good("report", recording="run.evt", report="flame", of="alloc", value="calls", limit=1))
assert doc["totals"]["value"] == "calls"
doc = json.loads(server.good("compare", after="deep/after.evt", before=["run.evt"], report="steps"))
assert doc["report"] == "diff" and any(row["metric"] == "p50_ns" for row in doc["rows"])
doc = json.loads(server.good("explain_column", report="ops", column="self_cpu_ns"))
assert doc["columns"][0]["unit"] == "ns" and "without the operators" in doc["columns"][0]["meaning"]
assert len(json.loads(server.good("explain_column", report="ops"))["columns"]) > 10
# of what was not recorded the answer says so
doc = json.loads(server.good("report", recording="run.evt", report="lines"))
assert doc["rows"] == [] and doc["why_empty"] == " ".join(own("lines", "run.evt").split("\n")).strip() != "", doc
assert "no row meets" in json.loads(server.good("report", recording="run.evt", report="ops", filter="name=nothing"))["why_empty"]
assert "why_empty" not in json.loads(small)

for path in ("../secret/outside.evt", "/etc/passwd", "deep/../../secret/outside.evt", ".."):
    server.bad("only paths below", "first_screen", recording=path)
server.bad("leads out of the folder", "first_screen", recording="link.evt")
server.bad("leads out of the folder", "report", recording="folder/outside.evt", report="ops")
server.bad("leads out of the folder", "compare", after="run.evt", before="link.evt")
server.bad("it is no file", "first_screen", recording="pipe.evt")
server.bad("it is no file", "first_screen", recording="deep")
server.bad("No such file", "first_screen", recording="gone.evt")
server.bad("broken.evt", "report", recording="broken.evt", report="ops")
server.bad("no argument 'output'", "report", recording="run.evt", report="ops", output="x")
server.bad("makes a table", "report", recording="run.evt", report="export")
server.bad("takes no --of", "report", recording="run.evt", report="ops", of="alloc")
server.bad("explain_column names", "report", recording="run.evt", report="ops", sort="duration")
server.bad("no column", "explain_column", report="ops", column="nothing")
server.bad("--output=stolen", "report", recording="run.evt", report="ops", by="--output=stolen")

# hostile lines: an answer each, and the server goes on
for line, code in ((b"{", -32700), (b"[" * 100000, -32700), (b'{"a":' * 5000, -32700), (b"\xff\xfe", -32700), (b"\x00", -32700), (b"[]", -32600),
                   (b"x" * (1 << 20), -32700), (b" " * (1 << 20) + b"{}", -32600), (b'"' + b"y" * (5 << 20) + b'"', -32600),
                   (b'{"jsonrpc":"2.0","id":1,"method":"' + b"m" * 900000 + b'"}', -32601)):
    server.raw(line)
    answer = server.answer()
    assert answer["error"]["code"] == code, (line[:40], str(answer)[:300])
server.raw(b"\n\r\n")
assert server.ask("ping") == {}

# a last line without its end is a message, too
server.process.stdin.write(b'{"jsonrpc":"2.0","id":"last","method":"ping"}')
server.process.stdin.close()
assert server.answer() == {"jsonrpc": "2.0", "id": "last", "result": {}}
assert server.process.wait(60) == 0
END
find . | sort >../after
cmp ../before ../after || fail "files were made: $(diff ../before ../after)"

# a session's other file that is a link out of the folder is not merged
"$REPORT" alloc --format json run.evt >../open.json 2>/dev/null
cd .. && mkdir session && cp "$golden/families.evt" session/a.evt && cd session || exit 1
PROF_REPORT_BELOW=$PWD "$REPORT" steps a.evt >/dev/null 2>&1 || fail "a file below the folder is refused"
PROF_REPORT_BELOW=$PWD/elsewhere "$REPORT" steps a.evt >out 2>err
expect_eq "status outside of the folder" $? 1
expect_match "what is said" "$(cat err)" "a.evt' cannot be read: Permission denied"
refuses 2 "mcp takes no files" mcp a.evt
exit 0
