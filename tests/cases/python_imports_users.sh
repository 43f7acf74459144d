#!/bin/bash
# Recording imports leaves a program's own audit hooks alone, knows every interpreter, and shows no line where there is none.
# SPDX-License-Identifier: MIT
# timeout: 300
. "$ROOT/tests/lib.sh"

# a hook of the program hears of nothing that the program did not do; one that refuses reads of frames breaks nothing
cat >hooked.py <<'EOF'
import sys
heard = []
def hook(event, arguments):
    if event != "import":
        heard.append((event, arguments[1:]))
    if event == "object.__getattr__":
        raise RuntimeError("refused")
sys.addaudithook(hook)
def later():
    import colorsys
later()
seen = [event for event, _ in heard]
print([event for event in seen if event.startswith(("object.", "sys."))], "colorsys" in sys.modules)
EOF

# interpreters that come and go, each often where the last one was
cat >interpreters.py <<'EOF'
import _xxsubinterpreters as interpreters
for _ in range(12):
    one = interpreters.create()
    interpreters.run_string(one, "import colorsys")
    interpreters.destroy(one)
EOF

cat >no_line.py <<'EOF'
def later():
    import colorsys
later.__code__ = later.__code__.replace(co_linetable=b"")
later()
EOF

for python in "${PYTHONS[@]}"; do
	tried=$((${tried:-0} + 1))
	rm -f "$OUTPUT"
	expect_eq "$python: what a hook hears" "$(run_traced "$python" hooked.py)" "[] True"
	expect_eq "$python: who imports" "$(json imports "$OUTPUT" \
		'"%s:%d" % (row(module="colorsys")["file"].split("/")[-1], row(module="colorsys")["line"])')" hooked.py:10
	if "$python" -c 'import _xxsubinterpreters' 2>/dev/null; then
		rm -f "$OUTPUT"
		run_traced "$python" interpreters.py || fail "$python: interpreters: status $?"
		expect_eq "$python: of 12 interpreters" "$(json imports "$OUTPUT" \
			'sum(r["imports"] for r in rows if r["module"] == "colorsys")')" 12
	fi
	if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
		rm -f "$OUTPUT"
		run_traced "$python" no_line.py || fail "$python: no line: status $?"
		expect_eq "$python: code without lines" "$(json imports "$OUTPUT" \
			'row(module="colorsys").get("line") or 0')" 0
	fi
done
((${tried:-0})) || skip "no CPython 3.8 or newer"
