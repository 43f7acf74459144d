# SPDX-License-Identifier: MIT
"""Talks to a calculator."""
import pexpect

child = pexpect.spawn("cat", echo=False, encoding="utf-8")
for number in range(60):
    child.sendline("2 + %d" % number)
    child.expect("2 .*\n")
child.close()
print(number)
