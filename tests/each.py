#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""each.py SCRIPT ARGUMENT... <LINES

Runs a script once for each line of standard input, with its words (tabs are between them) behind ARGUMENT..., all in one interpreter: what
it imports is imported once. Says which lines it failed with, exit status 1.
"""

import runpy
import sys
import traceback


def succeeds(script, arguments):
    sys.argv = [script, *arguments]
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        return not end.code
    except Exception:
        traceback.print_exc()
        return False
    return True


def main():
    script, *arguments = sys.argv[1:]
    lines = [line.rstrip("\n") for line in sys.stdin]
    failed = [line for line in lines if not succeeds(script, [*arguments, *line.split("\t")])]
    sys.stdout.flush()
    for line in failed:
        print("%s: failed with %s" % (script, line.replace("\t", " ")), file=sys.stderr)
    return 1 if failed or not lines else 0


sys.exit(main())
