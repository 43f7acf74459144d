# SPDX-License-Identifier: MIT
"""CPython's own regression suite, a module at a time, compared test by test. Interpreters: /usr/bin/python3.* (Debian keeps the
suite in libpythonX.Y-testsuite), or those that SOAK_PYTHON names."""
import glob
import os
import re
import shutil
import subprocess

import box
import lists
import sweep
import trial

BARE_SECONDS, TRACED_SECONDS = 120, 400
# -u none: no network, no large files, no sound. The results come by JUnit's XML, one line a test.
COMMAND = '''"$1" -m test --junit-xml r.xml "$2" >log 2>&1; status=$?
"$1" -I "$3" r.xml || exit; exit $status'''


def interpreters():
    named = os.environ.get("SOAK_PYTHON", "").split()
    return named or sorted(path for path in glob.glob("/usr/bin/python3.*") if re.search(r"python3\.\d+$", path))


def modules(python):
    """Names of the suite's modules, or [] where it is not installed or cannot be reached."""
    if not sweep.reachable(os.path.realpath(python)):
        return []
    done = subprocess.run([python, "-m", "test", "--list-tests"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          stdin=subprocess.DEVNULL, universal_newlines=True, cwd="/")
    names = done.stdout.split()
    return names if len(names) > 100 else []


def plan():
    left_out = lists.read("cpython_left_out.txt", 1)
    tasks, out = [], []
    for python in interpreters():
        names = modules(python)
        if not names:
            out.append((python, "its suite is not installed, or not where everybody may read"))
        for name in names:
            full = "%s:%s" % (os.path.basename(python).replace("python", "cpython-"), name)
            line = lists.find(left_out, name)
            if line:
                out.append((full, line[1]))
            else:
                tasks.append((full, python, name))
    return tasks, out


def attempt(product, directory, task):
    full, python, module = task
    cases = os.path.join(product.directory, "cpython_cases.py")
    shutil.copy(os.path.join(lists.ROOT, "scripts/soak/cpython_cases.py"), cases)
    return trial.attempt(product, directory, full, ["/bin/sh", "-c", COMMAND, "sh", python, module, cases],
                         BARE_SECONDS, TRACED_SECONDS, bare_runs=1)
