/* SPDX-License-Identifier: MIT */
/* Formats the counts into sentences, which the screen wraps. Keeps no state. */
#include "report/core/unmatched.h"

void unmatched_print_blocks(const struct screen *screen, const struct run *run, uint64_t frees,
			    uint64_t reused)
{
	char count[UNIT_TEXT_BYTES];

	if (frees && source_gave_back(run_source(run)))
		screen_print_prose(
			screen,
			"older: %s free%s of blocks that were allocated before the part of the "
			"recording that was kept. No row counts %s, and blocks of that time that "
			"are still live are not known.",
			unit_format_count(count, frees), frees == 1 ? "" : "s",
			frees == 1 ? "this free" : "these frees");
	else if (frees)
		screen_print_prose(
			screen,
			"unmatched: %s free%s of blocks whose allocation is not recorded for this "
			"process. The block was allocated before a fork() by the parent, or while "
			"nothing was recorded, as by the constructors of the libraries that the "
			"program is linked with. No row counts %s.",
			unit_format_count(count, frees), frees == 1 ? "" : "s",
			frees == 1 ? "this free" : "these frees");
	if (reused)
		screen_print_prose(
			screen,
			"reused: %s block%s had no recorded free although the address was "
			"allocated "
			"again. Reports count such a block as live up to that allocation.",
			unit_format_count(count, reused), reused == 1 ? "" : "s");
}

void unmatched_print_ends(const struct screen *screen, uint64_t ends, const char *what)
{
	char count[UNIT_TEXT_BYTES];

	if (ends)
		screen_print_prose(screen,
				   "unmatched: %s end%s of %ss whose begin is not recorded. The %s "
				   "began while "
				   "nothing was recorded, or never did. No row counts %s.",
				   unit_format_count(count, ends), ends == 1 ? "" : "s", what, what,
				   ends == 1 ? "it" : "them");
}
