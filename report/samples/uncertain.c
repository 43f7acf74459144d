/* SPDX-License-Identifier: MIT */
/*
 * Shares are uncertain by chance, because there are few samples. They may also be biased: samples
 * that were left out, because they were late or because the thread just got or left a CPU, occur
 * more often at calls that wait or wake other threads. Such samples would have changed at most the
 * CPU time up to them.
 */
#include "report/samples/uncertain.h"

#include <math.h>

#include "report/base/units.h"

#define UNCERTAIN_MIN 2 /* percentage points: a smaller uncertainty is not mentioned */

void sample_counts_print_uncertain(const struct sample_counts *counts, const struct screen *screen)
{
	double chance = sample_counts_uncertain_percent(counts);
	double doubt = sample_counts_doubt_percent(counts);
	const char *looks = unit_plural(counts->cpu_looks);
	char number[UNIT_TEXT_BYTES];

	if (!counts->cpu_looks || (chance < UNCERTAIN_MIN && doubt < UNCERTAIN_MIN))
		return;
	unit_format_count(number, counts->cpu_looks);
	if (doubt < UNCERTAIN_MIN)
		screen_print_prose(screen,
				   "%s look%s found a thread on a CPU: a share of the CPU time may "
				   "be off by %.0f points by chance alone.",
				   number, looks, ceil(chance));
	else
		screen_print_prose(
			screen,
			"%s look%s found a thread on a CPU: a share of the CPU time may "
			"be off by %.0f points by chance. Beside calls that wait or wake other "
			"threads, looks came too late to tell the line: at worst %.0f points more "
			"are at the wrong one.",
			number, looks, ceil(chance), ceil(doubt));
}
