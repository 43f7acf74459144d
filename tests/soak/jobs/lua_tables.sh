#!/bin/bash
# SPDX-License-Identifier: MIT
#
# lua: tables, strings, coroutines, a process.
# needs: lua5.4
# case: languages

lua5.4 -e 'local t = {} for i = 1, 200000 do t[i] = tostring(i) end print(#table.concat(t))
local co = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end) print(co(), co(), co())
local p = io.popen("seq 5") print(p:read("a")) print(p:close()) os.exit(5)'; echo "status $?"
