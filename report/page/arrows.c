/* SPDX-License-Identifier: MIT */
/* Arrows of the timeline in bounded memory: if there are too many, every second one is dropped. */
#include "report/page/arrows.h"

#include <inttypes.h>
#include <stdlib.h>

#include "report/base/memory.h"

void arrows_halve(struct arrows *arrows)
{
	for (size_t i = 0; i < arrows->count / 2; i++)
		arrows->arrow[i] = arrows->arrow[2 * i];
	arrows->count /= 2;
	arrows->step *= 2;
}

void arrows_add(struct arrows *arrows, const struct arrow *arrow)
{
	arrows->step += !arrows->step;
	if (arrows->all++ % arrows->step)
		return;
	arrows->arrow = memory_room(arrows->arrow, arrows->count, &arrows->room,
				    sizeof(*arrows->arrow));
	arrows->arrow[arrows->count++] = *arrow;
	if (arrows->count == ARROWS_MAX)
		arrows_halve(arrows);
}

static int arrows_compare(const void *first, const void *second)
{
	const struct arrow *a = first, *b = second;

	if (a->from_ns != b->from_ns)
		return a->from_ns < b->from_ns ? -1 : 1;
	return (a->to_ns > b->to_ns) - (a->to_ns < b->to_ns);
}

void arrows_settle(struct arrows *arrows, uint64_t end_ns)
{
	for (size_t i = 0; i < arrows->count; i++) {
		struct arrow *arrow = &arrows->arrow[i];

		if (arrow->from_ns > end_ns)
			arrow->from_ns = end_ns;
		if (arrow->to_ns > end_ns)
			arrow->to_ns = end_ns;
	}
	if (arrows->count)
		qsort(arrows->arrow, arrows->count, sizeof(*arrows->arrow), arrows_compare);
}

void arrows_put(const struct arrows *arrows, FILE *out)
{
	const struct arrow *arrow = arrows->arrow;

	fputs("[[", out);
	for (size_t i = 0; i < arrows->count; i++)
		fprintf(out, "%s%u", i ? "," : "", arrow[i].from_lane);
	fputs("],[", out);
	for (size_t i = 0; i < arrows->count; i++)
		fprintf(out, "%s%" PRIu64, i ? "," : "",
			arrow[i].from_ns - (i ? arrow[i - 1].from_ns : 0));
	fputs("],[", out);
	for (size_t i = 0; i < arrows->count; i++)
		fprintf(out, "%s%u", i ? "," : "", arrow[i].to_lane);
	fputs("],[", out);
	/* with the clocks of two machines, it may be negative */
	for (size_t i = 0; i < arrows->count; i++)
		fprintf(out, "%s%" PRId64, i ? "," : "",
			(int64_t)(arrow[i].to_ns - arrow[i].from_ns));
	fputs("]]\n", out);
}

void arrows_release(struct arrows *arrows)
{
	free(arrows->arrow);
}
