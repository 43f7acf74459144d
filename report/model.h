/* SPDX-License-Identifier: MIT */
/*
 * What a run means, as far as the events that were read say: heap, ranges, CUDA calls, and what each thread did.
 * Reads a source to its end once; the reports turn it into rows.
 */
#ifndef REPORT_MODEL_H
#define REPORT_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "report/cuda.h"
#include "report/filters.h"
#include "report/heap.h"
#include "report/ranges.h"
#include "report/source.h"

/* Counters of a thread or process; [1] of what counts, [0] of the rest. */
struct model_tally {
	uint64_t events[2], nvtx_ranges[2];
	struct range_work work[2];
};

struct model_options {
	struct filter_settings filter;
	enum heap_by heap_by;
	struct cuda_settings cuda;
	bool wants_heap, wants_ranges, wants_cuda, ranges_by_path;
	bool shows_progress; /* on stderr, when reading takes long */
};

struct model {
	struct model_options options;
	struct source *source;
	struct filters filters;
	struct heap heap;
	struct ranges ranges;
	struct cuda cuda;
	struct model_tally *thread; /* by index */
	size_t thread_room;
	struct model_tally *process;
	size_t process_room;
	const struct source_name **name; /* of ranges, domains, functions and kernels, by index */
	size_t name_room;
	uint64_t by_id[EVT_ID_LIMIT]; /* program events that count, by event id */
	uint64_t counted;             /* of all kinds, unknown ones too */
	uint64_t unknown;             /* of kinds that this program does not know */
	uint64_t first_ns, last_ns;   /* of the events that count */
};

void model_init(struct model *model, struct source *source, const struct model_options *options);
void model_release(struct model *model);

/* Reads the source to its end. */
void model_read(struct model *model);

/* Counters of a thread or process, zeros when it has none. */
struct model_tally model_tally_of_thread(const struct model *model,
					 const struct source_thread *thread);
struct model_tally model_tally_of_process(const struct model *model,
					  const struct source_process *process);

#endif
