/* SPDX-License-Identifier: MIT */
/*
 * What has a list on the screen of watch: lines of Python, operators and so on. Each is an analysis
 * whose rows keep their index while it reads, with two counters that only grow, so that a window is
 * the difference of two readings.
 */
#ifndef REPORT_WATCH_WATCH_KIND_H
#define REPORT_WATCH_WATCH_KIND_H

#include "report/base/memory.h"
#include "report/base/units.h"
#include "report/core/analysis.h"

#define WATCH_VALUES 2u

struct watch_kind {
	const char *title;
	const char *heading[WATCH_VALUES]; /* rows are sorted by the first */
	enum unit unit[WATCH_VALUES];
	bool is_long; /* the beginning of a name matters, not its end */
	void *(*want)(struct run *run);
	size_t (*count)(const void *state);
	void (*values)(const void *state, size_t row, uint64_t ret_value[WATCH_VALUES]);
	/* Not escaped; in memory of `texts` or the source. NULL: the row is not shown. */
	const char *(*name)(const void *state, const struct source *source, size_t row,
			    struct text_store *texts);
};

enum watch_kind_id {
	WATCH_LINES,
	WATCH_FUNCTIONS,
	WATCH_OPERATORS,
	WATCH_KERNELS,
	WATCH_FILES,
	WATCH_KINDS,
};
extern const struct watch_kind watch_kinds[WATCH_KINDS];

#endif
