#!/bin/bash
# Programs that Python starts are recorded by name, in each way that it has; nothing of their arguments or variables is in the file.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

cat >start.py <<'END'
import os, pathlib, subprocess
subprocess.run(["true", "SECRET1"])
subprocess.run("/bin/true SECRET2", shell=True)
subprocess.run([b"/bin/true", b"SECRET3"])
subprocess.run(["false"], executable="/bin/true")
os.system("TOKEN=SECRET4 /bin/true SECRET5")
os.system("  'quoted SECRET6' ")
os.waitpid(os.posix_spawn("/bin/true", ["true", "SECRET7"], os.environ), 0)
for wrong in ([], [pathlib.Path("/nowhere/SECRET8")]):
    try: subprocess.run(wrong)
    except (OSError, IndexError): pass
END
run_traced python3 start.py 2>/dev/null
"$REPORT" dump "$OUTPUT" >events
expect_eq "programs" "$(sed -n 's/.* child_command //p' events | sort | uniq -c | sed 's/^ *//')" \
	'1 program="" by_shell=0
1 program="" by_shell=1
4 program="true" by_shell=0
2 program="true" by_shell=1'
sed '/ process .*command=/d' events >rest # a child that is recorded itself has its command line
if grep -aq SECRET rest; then fail "an argument is in the file"; fi
