/* SPDX-License-Identifier: MIT */
/*
 * The curve is sampled into one value per column, which becomes one of eight blocks (or ASCII
 * marks) by its share of the peak. Stretches of which nothing is known stay blank.
 */
#include "report/table/curve_print.h"

#include <stdio.h>

#define CURVE_WIDTH_MAX 120

static bool extent_knows(const struct curve_extent *extent, size_t at, size_t width)
{
	double each = (double)extent->end_ns / (double)width;

	return !extent->knows || extent->knows(extent->context, (uint64_t)(each * (double)at),
					       (uint64_t)(each * (double)(at + 1)));
}

void curve_print(const struct curve *curve, struct curve_extent extent, const struct screen *screen,
		 size_t width)
{
	static const char *const blocks[] = { "\u2581", "\u2582", "\u2583", "\u2584",
					      "\u2585", "\u2586", "\u2587", "\u2588" };
	static const char *const marks[] = { "_", ".", "-", "-", "=", "=", "#", "#" };
	uint64_t value[CURVE_WIDTH_MAX];

	if (width > CURVE_WIDTH_MAX)
		width = CURVE_WIDTH_MAX;
	if (!extent.peak || !extent.end_ns) {
		putc('\n', screen->out);
		return;
	}
	curve_sample(curve, extent.end_ns, value, width);
	for (size_t i = 0; i < width; i++) {
		size_t level = (size_t)((double)value[i] / (double)extent.peak * 7 + 0.5);
		const char *mark = (screen->utf8 ? blocks : marks)[level < 8 ? level : 7];

		fputs(extent_knows(&extent, i, width) ? mark : " ", screen->out);
	}
	putc('\n', screen->out);
}
