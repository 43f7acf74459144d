/* SPDX-License-Identifier: MIT */
/*
 * What has a list on the screen of watch: lines of Python, operators and so on. Each is an analysis whose rows keep their
 * place while it reads, with two counters that only grow, so that a window is the difference of two looks.
 */
#ifndef REPORT_WATCH_WATCH_KIND_H
#define REPORT_WATCH_WATCH_KIND_H

#include "report/base/memory.h"
#include "report/base/units.h"
#include "report/core/analysis.h"

#define WATCH_VALUES 2u

struct watch_kind {
	const char *title;
	const char *heading[WATCH_VALUES]; /* the first is what rows are sorted by */
	enum unit unit[WATCH_VALUES];
	bool is_long; /* of names the beginning matters, not the end */
	void *(*want)(struct run *run);
	size_t (*count)(const void *state);
	void (*values)(const void *state, size_t row, uint64_t ret_value[WATCH_VALUES]);
	/* Not escaped; in memory of `texts` or the source's. NULL: it is no row to be shown. */
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
