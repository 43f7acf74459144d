/* SPDX-License-Identifier: MIT */
/*
 * Copies the options of a command line that concern opening files: --live, --wait and its limit.
 * Notes go to stderr.
 */
#include "report/options/opening.h"

#include "report/session/session_files.h"

struct source_options opening_of(const struct options *options)
{
	return (struct source_options){ .live = options->live,
					.wait_s = options->wait_s,
					.waits = options->waits,
					.note = note_print };
}
