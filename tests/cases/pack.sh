#!/bin/bash
# prof-report pack: what is in the .zip reads as it did outside; --redact leaves no secret in a byte of pack, page and export; refusals.
# SPDX-License-Identifier: MIT
# timeout: 300
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_tool zstd
host=$(uname -n)
python=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))')
mkdir -p user-hidden2/inner made
cat >user-hidden2/main.py <<'END2'
import os, subprocess, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "inner"))
import part
part.work(20)
if len(sys.argv) == 2:
    subprocess.check_call([sys.executable, *sys.argv, "--more"])
END2
cat >user-hidden2/inner/part.py <<'END2'
kept = []
def work(count):
    for i in range(count):
        kept.append(bytearray(100000))
        sum(range(100000))
END2
mkdir first
OUTPUT=$PWD/first/run.evt
INTERCEPT_CHILDREN=all INTERCEPT_STACKS=python run_traced "$python" "$PWD/user-hidden2/main.py" --api-key=hidden1 || fail "status $?"
expect_eq "recordings" "$(find first -type f | wc -l)" 2

# All that python3's zipfile can say of it, and the files as `symbolize` writes them.
"$REPORT" pack first/run.evt >out 2>err || fail "status $? ($(cat err))"
expect_match "what is said" "$(cat out)" '^first/run.zip: 2 recordings, page.html, [0-9.]+ [KM]iB$'
expect_eq "what is said on stderr" "$(cat err)" ''
expect_eq "rights" "$(stat -c %a first/run.zip)" 600
expect_eq "files beside" "$(find first -mindepth 1 | wc -l)" 3
python3 -S - first/run.zip made <<'END2' || fail "python3 cannot read it"
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as pack:
    assert pack.testzip() is None
    names = pack.namelist()
    assert len(set(names)) == len(names) == 4 and {"run.evt", "page.html", "README.txt"} < set(names), names
    for entry in pack.infolist():
        assert (entry.compress_type == zipfile.ZIP_STORED) == entry.filename.endswith(".evt"), entry
    assert b"prof-report summary run.evt" in pack.read("README.txt")
    assert b"<html" in pack.read("page.html")[:2000].lower()
    pack.extractall(sys.argv[2])
END2
for file in first/*.evt; do
	"$REPORT" symbolize "$file" -o wanted.evt >/dev/null || fail "symbolize: status $?"
	cmp wanted.evt "made/${file##*/}" || fail "'$file' differs from what symbolize writes"
	rm wanted.evt
done
"$REPORT" page first/run.evt -o page.html 2>/dev/null || fail "page: status $?"
expect_between "bytes of the page" "$(stat -c %s made/page.html)" $(($(stat -c %s page.html) / 2)) $(($(stat -c %s page.html) * 2))
for report in alloc lines processes threads; do
	expect_eq "$report" "$(json $report made/run.evt '[len(rows), totals.get("allocations")]')" \
		"$(json $report first/run.evt '[len(rows), totals.get("allocations")]')"
done

# With the sources, and nothing but sources.
"$REPORT" pack --sources first/run.evt -o sources.zip >out 2>err || fail "--sources: status $? ($(cat err))"
python3 -S - sources.zip "$PWD" <<'END2' || fail "the sources are not those of the program"
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as pack:
    assert pack.testzip() is None
    folder = sys.argv[2]
    sources = [name for name in pack.namelist() if name.startswith("source/")]
    for name in "/user-hidden2/main.py", "/user-hidden2/inner/part.py":
        assert pack.read("source" + folder + name) == open(folder + name, "rb").read()
    assert all(name.endswith((".py", ".c", ".h", ".cpp", ".rs", ".S")) and ".." not in name for name in sources), sources
END2

# Those of C and of what is included, as debug information names them; once, without "..", and no file that is no source.
mkdir -p code/src code/include code/build
printf '%s\n' '#include <stdlib.h>' 'static inline void *inlined(void)' '{' 'return malloc(1000);' '}' >code/include/part.h
cat >code/src/work.c <<'END2'
#include "part.h"
void *volatile kept[5];
#line 1 "/etc/passwd"
void secret(void) { kept[2] = malloc(3000); }
#line 1 "../src/gone.c"
void gone(void) { kept[3] = malloc(4000); }
#line 1 "../src/large.c"
void large(void) { kept[4] = malloc(5000); }
#line 9 "../src/work.c"
int main(void)
{
	kept[0] = inlined();
	kept[1] = malloc(2000);
	secret();
	gone();
	large();
	return 0;
}
END2
head -c $((5 << 20)) /dev/zero >code/src/large.c
(cd code/build && gcc -g -O1 -fno-inline-functions-called-once -I../include -o work ../src/work.c) || fail "no compiler"
OUTPUT=$PWD/code.evt
(cd code/build && run_traced ./work) || fail "status $?"
"$REPORT" pack --sources code.evt -o code.zip >out 2>err || fail "--sources of C: status $? ($(cat err))"
expect_match "what is left out" "$(cat err)" '^prof-report: [0-9]+ source files are not there, or larger than 4 MiB: left out$'
python3 -S - code.zip "$PWD/code" <<'END2' || fail "the sources are not those of the C program"
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as pack:
    assert pack.testzip() is None
    folder = sys.argv[2]
    names = pack.namelist()
    for name in "/src/work.c", "/include/part.h":
        assert pack.read("source" + folder + name) == open(folder + name, "rb").read(), names
    own = {name for name in names if name.startswith("source" + folder)}
    assert len(own) == 2 and len(set(names)) == len(names), names
    assert not any("passwd" in name or ".." in name for name in names), names
END2
OUTPUT=$PWD/first/run.evt

# No secret in a byte, of what is packed in pieces too.
bytes_of() { # FILE...: all that is in it
	python3 -S - "$@" <<'END2'
import base64, re, subprocess, sys, zipfile, zlib
def show(name, data):
    sys.stdout.buffer.write(name.encode() + b"\n" + data + b"\n")
    for piece in re.findall(rb'<script type="text/plain" id="data-[^"]*">([^<]*)</script>', data):
        sys.stdout.buffer.write(zlib.decompress(base64.b64decode(piece)))
    if name.endswith(".evt"):
        sys.stdout.buffer.write(subprocess.run(["zstd", "-dc"], input=data, stdout=subprocess.PIPE).stdout)
for file in sys.argv[1:]:
    if file.endswith(".zip"):
        with zipfile.ZipFile(file) as pack:
            for name in pack.namelist():
                show(name, pack.read(name))
    else:
        show("out", open(file, "rb").read())
END2
}
holds() { # TEXT: how often
	grep -aoF -- "$1" stream | wc -l
}
bytes_of first/run.zip >stream
for secret in --api-key=hidden1 user-hidden2/inner "$host" "$PWD"; do
	(($(holds "$secret") > 0)) || fail "'$secret' is in no part: nothing is tested"
done
mkdir exported
what=args,paths,host
"$REPORT" pack --redact $what first/run.evt -o exported/run.zip >out 2>err || fail "--redact: status $? ($(cat err))"
expect_match "what is said" "$(cat out)" ': without args,paths,host$'
"$REPORT" page --redact $what first/run.evt -o exported/page.html 2>err || fail "page: status $? ($(cat err))"
"$REPORT" export chrome --redact $what first/run.evt -o exported/chrome.json 2>err || fail "chrome: status $? ($(cat err))"
"$REPORT" export sqlite --redact $what first/run.evt -o exported/run.sqlite 2>err || fail "sqlite: status $? ($(cat err))"
"$REPORT" export pprof --redact $what first/run.evt >exported/pprof 2>err || fail "pprof: status $? ($(cat err))"
expect_eq "files left" "$(find exported -mindepth 1 | wc -l)" 5
for file in exported/*; do
	bytes_of "$file" >stream
	for secret in hidden1 hidden2 "$PWD" /inner/ /home/ /usr/lib /root; do
		expect_eq "'$secret' in $file" "$(holds "$secret")" 0
	done
	((${#host} < 5)) || expect_eq "the host's name in $file" "$(holds "$host")" 0
done
bytes_of exported/run.zip >stream
(($(holds part.py) > 0)) || fail "names of files went with their folders"

# Refused, with a line each; no file is left.
refuses 1 'is not a recording.*unpack a .zip first' summary first/run.zip
refuses 1 "'first/run.zip' is there; remove it" pack first/run.evt
refuses 1 "cannot write beside 'no/such/x.zip'" pack -o no/such/x.zip first/run.evt
refuses 1 "'nothing.evt'.*does not exist" pack nothing.evt
refuses 2 'leave one of them out' pack --sources --redact args first/run.evt -o x.zip
refuses 2 "'names' is none of" pack --redact names first/run.evt -o x.zip
refuses 2 "'names' is none of" page --redact names first/run.evt -o x.html
refuses 2 'one session at a time' pack first/run.evt "$ROOT/tests/golden/counts.evt" -o x.zip
head -c $(($(stat -c %s first/run.evt) / 2)) first/run.evt >short.evt
refuses 1 "'.*whole'.*only a whole" pack --redact args short.evt -o x.zip
(
	trap '' XFSZ
	ulimit -f 8
	exec "$REPORT" pack first/run.evt -o x.zip >out 2>err
) && fail "a full disk is not noticed"
expect_match "full disk" "$(cat err)" "cannot write"
[[ -z $(find . -maxdepth 1 -name 'x.*') ]] || fail "a file was left: $(find . -maxdepth 1)"

# What is damaged or was killed goes as it is; a name of strange characters becomes a plain one, one name becomes two.
cp "$ROOT/tests/golden/killed.evt" $'line\nbreak.evt'
"$REPORT" pack $'line\nbreak.evt' -o strange.zip >out 2>err || fail "strange: status $? ($(cat err))"
"$REPORT" pack short.evt -o short.zip >out 2>err || fail "short: status $? ($(cat err))"
python3 -S - <<'END2' || fail "names of strange files"
import zipfile
assert "line_break.evt" in zipfile.ZipFile("strange.zip").namelist()
assert "short.evt" in zipfile.ZipFile("short.zip").namelist()
END2
exit 0
