#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Prints the source that report/page/page_digests.h declares: SHA-256 of the page's style and of its script, in base64, as a Content-Security-Policy names what
# may run (https://www.w3.org/TR/CSP3/#external-hash). They are those of the files of report/page/page_source.def, joined in its order.

cd "$(dirname "$0")/.." || exit 1
set -o pipefail

digest() { # KIND
	local files hex
	mapfile -t files < <(sed -n "s/^$1(.*\"\(.*\)\")\$/\1/p" report/page/page_source.def)
	hex=$(cat "${files[@]}" | sha256sum | cut -d' ' -f1) || return
	# shellcheck disable=SC2001,SC2059 # the escapes are the bytes
	printf "$(sed 's/../\\x&/g' <<<"$hex")" | base64
}

style=$(digest STYLE) && script=$(digest SCRIPT) || exit 1
cat <<END
/* SPDX-License-Identifier: MIT */
/* Made by scripts/gen-page-digests.sh. */
#include "report/page/page_digests.h"

const char page_digest_style[] = "$style";
const char page_digest_script[] = "$script";
END
