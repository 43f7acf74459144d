#!/bin/bash
# INTERCEPT_REDACT: command lines, folders and the host's name are not in the file, of forked and started programs either.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# A name that is no part of any other word, where namespaces are allowed.
# shellcheck disable=SC2016 # for the inner bash
if [[ ! ${OWN_HOST:-} ]] && unshare -ru bash -c 'echo hidden3 >/proc/sys/kernel/hostname' 2>/dev/null; then
	OWN_HOST=1 exec unshare -ru bash -c 'echo hidden3 >/proc/sys/kernel/hostname; exec bash "$0"' "$0"
fi
need_tool zstd
need_program empty
host=$(uname -n)
python=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))') # not a script that starts it
mkdir -p folder-hidden2/inner
cp "$PROGRAMS/empty" folder-hidden2/inner/tool
cat >folder-hidden2/main.py <<'END'
import os, subprocess, sys
if len(sys.argv) > 1 and sys.argv[1] != "child":
    if os.fork() == 0:
        os._exit(0)
    os.wait()
    subprocess.check_call([sys.executable, __file__, "child", "--child-key=hidden1"])
    subprocess.check_call([os.path.join(os.path.dirname(__file__), "inner", "tool"), "--tool-key=hidden1"])
END

record() { # REDACT
	rm -rf out-*
	mkdir "out-$host"
	OUTPUT=$PWD/out-$host/run.%h.evt INTERCEPT_CHILDREN=all INTERCEPT_REDACT=$1 \
		run_traced "$python" "$PWD/folder-hidden2/main.py" --api-key=hidden1 2>err || fail "status $? with '$1': $(cat err)"
	expect_eq "standard error with '$1'" "$(cat err)" ''
	# the header is no part of the stream
	for file in "out-$host"/*.evt; do
		zstd -qdc "$file" && cat "$file"
	done >stream
	file=$PWD/out-$host/run.$host.evt
	expect_eq "files" "$(find "out-$host" -name '*.evt' | wc -l)" 3
	"$REPORT" check "$file" >/dev/null || fail "check with '$1'"
}
holds() { # WHAT: how often
	grep -aoF -- "$1" stream | wc -l
}
told() { # REDACT: what file and report say of it
	expect_eq "meta 'redacted'" "$(json summary "$file" 'doc["session"]["meta"].get("redacted", "")')" "$1"
	expect_eq "the report's line" "$("$REPORT" summary "$file" | sed -n 's/^left out of the file by INTERCEPT_REDACT: //p')" "$1"
	expect "$file" 'len(processes.rows) == 4'
}

record ''
told ''
for secret in --api-key=hidden1 --child-key=hidden1 --tool-key=hidden1 folder-hidden2/inner "$host"; do
	(($(holds "$secret") > 0)) || fail "'$secret' is not in a file with nothing left out: nothing is tested"
done
record args
told args
expect_eq "arguments with 'args'" "$(holds hidden1)" 0
(($(holds folder-hidden2/inner) > 0)) || fail "'args' leaves out folders"
expect "$file" 'sorted(row["command"] for row in processes.rows)[-1] == "tool"'
record paths
told paths
expect_eq "folders with 'paths'" "$(holds hidden2)" 0
expect_eq "folders of libraries with 'paths'" "$(grep -acE '/(usr|lib|lib64|home|tmp)/' stream)" 0
(($(holds --api-key=hidden1) > 0)) || fail "'paths' leaves out arguments"
(($(holds libc.so.6) > 0)) || fail "'paths' leaves out names"
record host
if [[ $host == hidden3 ]]; then
	expect_eq "the host's name with 'host'" "$(holds "$host")" 0
fi
told host
expect "$file" 'len(set(row["host"] for row in processes.rows)) == 1' 'processes.rows[0]["host"].startswith("redacted")'
expect_match "host of the session" "$(json summary "$file" 'doc["session"]["meta"]["host"] + " " + doc["session"]["host"]')" \
	'^redacted[-0-9a-f]* redacted'
record host,paths,args
told args,paths,host
expect_eq "secrets with all" "$(holds hidden)" 0
find "out-$host" -name "run.*.redacted*.evt" | grep -q . || fail "names of files beside have the host's: $(ls out-*)"
