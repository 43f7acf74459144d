#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Who may include what: arrows go one way (docs/ARCHITECTURE.md), from folder to folder; own headers are
# named from the root of the tree, and a library's header is included by one file a side.

cd "$(dirname "$0")/.." || exit 1
files=$(scripts/source-files.sh c h def) || exit 1

# file:line:header of every include, quoted or in angle brackets
includes=$(echo "$files" | xargs grep -nE '^[ \t]*#[ \t]*include[ \t]*["<]' |
	sed -E 's/^([^:]*:[0-9]+):[^"<]*(["<][^">]*).*/\1 \2/')

# What each folder may include beside its own files. "PROGRAM/*" is any family: a folder that has no line
# of its own, so that a new family needs none. `events`, `errors` and `limitations` are the one header of that name.
# collector/arch may be included by all, but not the folder of one architecture in it.
# `model` is what every family of the report stands on. families.def joins the `lists` of the families, and is all that what they stand on sees of them.
layers='
	collector/arch      :
	collector/region    :
	collector/cfi       :
	collector/format    :
	collector/control   :
	collector/core      : collector/region collector/format
	collector/processes : collector/region collector/format collector/core
	collector/device    : collector/region collector/format collector/core collector/processes
	collector/metrics   : collector/region collector/format collector/core collector/processes collector/device
	collector/gpu       : collector/region collector/format collector/core collector/processes
	collector/drain     : collector/region collector/format collector/core collector/processes collector/metrics collector/gpu collector/device
	collector/samples   : collector/region collector/format collector/core collector/processes
	collector/native    : collector/region collector/format collector/cfi collector/core collector/processes
	collector/captures  : collector/region collector/format collector/control collector/core collector/processes
	collector/outside   : collector/region collector/format collector/processes
	collector/output    : collector/region collector/format
	collector/turn      : families collector/region collector/format collector/core collector/processes collector/drain collector/samples collector/native collector/metrics collector/gpu collector/outside collector/output

	preload           : lists
	preload/base      :
	preload/settings  : events settings collector/region preload/base
	preload/record    : events limitations collector/region preload/base
	preload/hook      : families preload/base preload/settings preload/record
	preload/gpu       : events preload/base preload/settings preload/record preload/hook preload/steps
	preload/steps     : preload/base preload/settings preload/record
	preload/python    : collector/region preload/base preload/settings preload/record preload/hook preload/pyframes
	preload/stacks    : events collector/cfi collector/format/frame_flags.h collector/region preload/base preload/settings preload/record preload/hook
	preload/pyframes  : events collector/format/frame_flags.h collector/region preload/base preload/settings preload/record preload/stacks
	preload/heap      : collector/cfi preload/base preload/settings preload/record preload/hook preload/stacks
	preload/requests  : preload/base preload/settings preload/record preload/hook
	preload/*         : preload/base preload/settings preload/record preload/hook preload/stacks preload/python
	preload/osrt      : collector/region/wait_calls.def collector/format/wait_objects.def preload/base preload/settings preload/record preload/hook preload/stacks
	preload/io        : preload/base preload/settings preload/record preload/hook preload/requests preload/stacks preload/osrt
	preload/mappings  : preload/base preload/settings preload/record preload/hook preload/io preload/osrt preload/stacks
	preload/routes    : preload/base preload/settings preload/record preload/python preload/requests
	preload/functions : preload/base preload/settings preload/record preload/python preload/requests
	preload/nvtx      : preload/base preload/settings preload/record preload/hook preload/requests preload/steps
	preload/torch     : preload/base preload/settings preload/record preload/hook preload/requests preload/steps preload/stacks preload/python
	preload/lightning : preload/base preload/settings preload/record preload/steps preload/python
	preload/job       : events collector/format/jobs.def collector/region preload/base preload/settings preload/record preload/hook
	preload/life      : families events collector/region preload/base preload/settings preload/record preload/hook

	report         : lists
	report/base    : errors
	report/file    : collector/format report/base
	report/session : collector/format collector/control report/base report/file
	report/table   : families report/base report/session
	report/symbols : collector/format/frame_flags.h collector/format/codec.h report/base report/session report/table
	report/options : families report/base report/session report/table
	report/scopes  : report/base report/session
	report/core    : families collector/format/families.def collector/format/block.h collector/format/segment.h report/base report/session report/table report/options report/scopes
	report/helpers : events report/base report/scopes report/core
	report/deferred : families report/base report/scopes report/core
	report/ranges  : report/base report/scopes report/core report/helpers report/deferred
	report/stacks  : families collector/format/families.def collector/format/frame_flags.h model report/symbols
	report/*       : events collector/format/calls.h collector/format/frame_flags.h model report/gpu/gpu_work.h report/gpu/wait_calls.h report/device/device_states.h report/device/device_numbers.h report/device/ladder.h report/symbols report/stacks
	report/osrt      : events collector/format/wait_objects.def model report/symbols report/stacks
	report/lightning : events model report/nvtx report/torch
	report/modules : events model report/torch report/tensors
	report/roofline : events model report/torch
	report/native  : events collector/format/frame_flags.h model report/symbols report/stacks report/process
	report/step_diff : model report/helpers report/steps report/samples
	report/idle    : events model report/gpu report/samples
	report/advice  : collector/format/waits.def collector/format/calls.h model report/symbols report/stacks report/native report/osrt report/*
	report/stuck   : model report/symbols report/advice report/osrt report/*
	report/ranks   : model report/*
	report/clocks  : model report/*
	report/summary : model report/symbols report/stacks report/advice report/stuck report/native report/*
	report/trace   : events model report/osrt report/*
	report/export  : events model report/trace report/symbols report/stacks report/*
	report/page    : families events model report/symbols report/stacks report/advice report/summary report/trace report/export report/ranks report/*
	report/watch   : families events errors model report/stuck report/*
	report/ask     : events collector/control report/base report/session report/table report/options report/core
	report/doctor  : report/base report/session report/table report/options report/core
	report/mcp     : families errors collector/format/file.h report/base report/session report/table report/options report/core
	report/raw     : collector/format report/base report/file report/session report/table report/symbols report/options report/core
	report/pack    : errors report/base report/session report/table report/symbols report/options report/core report/raw
	report/app     : families errors report/raw report/base report/session report/table report/options report/core
'

check_layers() {
	echo "$includes" | grep -E '^(collector|preload|report)/' | awk -v layers="$layers" '
		function folder(path, parts) {
			return split(path, parts, "/") > 2 ? parts[1] "/" parts[2] : parts[1]
		}
		function program(path) {
			return substr(path, 1, index(path, "/") - 1)
		}
		# "*" is any family: a folder that has no line of its own
		function is_allowed(from, header, to, list, word, n, i) {
			to = folder(header)
			if (from == to || header ~ /^collector\/arch\/[a-z]+\.h$/)
				return 1
			if (!(from in allowed))
				from = program(from) "/*"
			n = split(allowed[from], list, " ")
			for (i = 1; i <= n; i++) {
				word = list[i]
				if (word == to || word == header || word in single && header ~ single[word])
					return 1
				if (word == program(to) "/*" && !(to in allowed))
					return 1
			}
			return 0
		}
		BEGIN {
			single["events"] = "^collector/format/(events|families)\\.(h|def)$"
			single["limitations"] = "^collector/format/limitations\\.(h|def)$"
			single["errors"] = "^collector/format/error\\.h$"
			single["model"] = "^report/(base|session|table|options|scopes|core|helpers|deferred|ranges)/"
			single["families"] = "^(preload|collector|report)/families\\.def$"
			single["settings"] = "^preload/[a-z]+/settings\\.def$"
			single["lists"] = "^(preload|report)/[a-z_]+/[a-z_]+\\.def$"
			n = split(layers, lines, "\n")
			for (i = 1; i <= n; i++)
				if (split(lines[i], sides, ":") == 2) {
					gsub(/[ \t]/, "", sides[1])
					allowed[sides[1]] = sides[2]
				}
		}
		$2 ~ /^"/ {
			file = $1
			sub(/:.*/, "", file)
			header = substr($2, 2)
			if (!is_allowed(folder(file), header))
				print $1 ": " folder(file) "/ may not include \"" header "\""
		}'
	# a program is folders; nothing lies beside them
	echo "$files" | grep -E '^(collector|preload|report)/[^/]*$' | grep -v '/families\.def$' | sed 's|$|: belongs into a folder|'
}

# What all families stand on names none of them, nor their events: those of the recorder itself are no family's in this sense.
check_families() {
	local own='system|capture|clock' names
	names=$(sed -nE 's/^EVENT\([^,]*, *([a-z_0-9]+), *([a-z_0-9]+),.*/\1 \2/p' collector/format/events/*.def |
		grep -vE " ($own)\$" | awk '{ printf "|%s", $1 }')
	echo "$files" | grep -E '^report/(options|scopes|core|deferred)/' |
		xargs grep -nE "\\b((EVT_|evt_|EVENT_AS\\(|FIELD_BIT\\()(${names#|})|EVT_FAMILY_[a-z]+)\\b" |
		sed -E 's|^([^:]*:[0-9]+):.*|\1: names a family or its event|'
}

only() { # HEADER-PATTERN FILE-PATTERN: a library's header and the files that may include it
	echo "$includes" | awk -v header="^[<\"]($1)" -v files="^($2):" '
		$2 ~ header && $1 !~ files { print $1 ": " substr($2, 2) " is not for this file" }'
}

{
	check_layers
	check_families
	tests='|tests/.*'
	only 'zstd' "collector/output/compress.c|report/file/decompress.c|report/file/recompress.c|report/export/page_codec.c$tests"
	only 'zlib' "report/export/sink.c|report/pack/zip.c$tests"
	only 'sqlite3' "report/export/sqlite.c$tests"
	only 'json-c/' "report/mcp/value.c$tests"
	only 'libiberty' "report/base/demangle.c$tests"
	only 'elfutils/|libelf|gelf' "collector/[a-z_/]*.c|report/[a-z_/]*.c$tests"
	only 'libunwind' 'tests/.*'
	only 'cupti' "preload/[a-z_]*/cupti.c$tests"
	only '(cuda|nvtx3/|nvToolsExt)' "tests/.*"
	# elfutils: one file a side
	for side in collector report; do
		users=$(echo "$includes" | grep "^$side/" | grep -E '<(elfutils/|libelf|gelf)' | cut -d: -f1 | sort -u)
		[ "$(echo "$users" | wc -l)" -le 1 ] || echo "$side/: elfutils in more than one file: ${users//$'\n'/ }"
	done
} | grep . && exit 1
exit 0
