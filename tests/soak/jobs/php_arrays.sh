#!/bin/bash
# SPDX-License-Identifier: MIT
#
# php: arrays, JSON, regular expressions, a process.
# needs: php
# case: languages

php -r '$a = []; for ($i = 0; $i < 200000; $i++) $a["k" . $i % 997][] = $i; echo md5(json_encode($a)), "\n";
echo preg_replace_callback("/\d+/", fn($m) => $m[0] * 2, "1 a 22 b 333"), "\n"; echo shell_exec("echo shell"); exit(6);'; echo "status $?"
