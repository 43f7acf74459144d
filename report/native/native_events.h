/* SPDX-License-Identifier: MIT */
/*
 * Samples of native stacks as an analysis: CPU time by stack, or by another key of --by, and what
 * became of the samples.
 *
 * The kernel also takes samples outside of capture ranges (INTERCEPT_CAPTURE); these do not count.
 * Memory grows with stacks and keys.
 */
#ifndef REPORT_NATIVE_NATIVE_EVENTS_H
#define REPORT_NATIVE_NATIVE_EVENTS_H

#include "report/core/analysis.h"
#include "report/core/key.h"
#include "report/stacks/stack_keys.h"

struct native_counts {
	uint64_t samples, cpu_ns, kernel_ns;
};

struct native_row {
	uint64_t key; /* of --by; for stacks as in stack_keys_of(), 0: the sample has no stack */
	struct native_counts counts;
};

struct native_reading {
	struct native_row *row;
	size_t row_count, row_room;
	struct map rows;
	struct native_counts all;
	struct run_key key;                 /* without a kind: by stack */
	struct stack_keys *stack_keys;      /* used if rows are by stack */
	struct evt_native_sampling sums;    /* of all processes; `off` and `process` are not used */
	uint64_t followed;                  /* number of processes that were sampled */
	uint64_t off[EVT_NATIVE_OFF_LIMIT]; /* number of processes that were not, by reason */
	/*
	 * the reasons are recorded as limitations, which every report begins with; not in older
	 * recordings
	 */
	bool is_said;
};

struct native_events_options {
	enum key_id by; /* key of report native */
};
ANALYSIS(native_events, struct native_reading)

/* Why a process was not sampled, by enum evt_native_off; NULL: no text is needed. */
const char *native_off_text(unsigned int off);
/* Why no process was sampled; NULL: one was, or the reason is not known. */
const char *native_why_none(const struct native_reading *native);

void native_counts_add(struct native_counts *into, const struct native_counts *more);

#endif
