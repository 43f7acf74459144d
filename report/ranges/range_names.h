/* SPDX-License-Identifier: MIT */
/*
 * The names of ranges that could end a step, and how often they opened: NVTX ranges and labels of
 * PyTorch. For messages about a selected name that does not exist. Memory grows with names.
 */
#ifndef REPORT_RANGES_RANGE_NAMES_H
#define REPORT_RANGES_RANGE_NAMES_H

#include "report/base/map.h"
#include "report/core/analysis.h"

struct range_name {
	uint32_t name;  /* index */
	uint64_t count; /* openings that count */
};

struct range_names {
	struct source *source;
	struct map places;       /* index of the name + 1 to its place in `name` */
	struct range_name *name; /* in the order of their first openings */
	size_t count, room;
};
struct range_names_options {
	uint32_t none;
};
ANALYSIS(range_names, struct range_names)

#define RANGE_NAMES_BYTES 640

struct range_names_text {
	char text[RANGE_NAMES_BYTES]; /* one line, control characters escaped */
};

/* "there were: forward (570), data (12)": the most frequent names. Returns ret_text->text. */
const char *range_names_say(const struct range_names *names, struct range_names_text *ret_text);

/*
 * Writes "INTERCEPT_STEP=NAME ended no step" and returns true if it named something and all was
 * recorded; otherwise returns false.
 */
bool range_names_why(const struct run *run, char *ret_text, size_t bytes);

#endif
