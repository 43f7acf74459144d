/* SPDX-License-Identifier: MIT */
/* Who held most of the memory when there was most of it, as far as that is known. */
#ifndef REPORT_SUMMARY_SUMMARY_OWNER_H
#define REPORT_SUMMARY_SUMMARY_OWNER_H

#include "report/options/options.h"
#include "report/heap/heap.h"
#include "report/tensors/tensors.h"

struct heap_owner {
	const struct source_name *path; /* of the module that asked for most; NULL: not known */
	uint64_t bytes;                 /* at the heap's peak */
};

/* Before the rows of callers are joined for a table. */
struct heap_owner heap_owner_of(const struct heap *heap, const struct source *source);

#define HEAP_LINE_BYTES 240u
struct heap_line {
	char place[HEAP_LINE_BYTES]; /* "train.py:31", of the user's own code; "": none is known */
	uint64_t bytes;              /* at the heap's peak */
	uint64_t known_bytes;        /* at the peak, of blocks with a stack */
};

/* The line of the user's own code that held most. Names stacks, and no callers. */
struct heap_line heap_line_of(const struct heap *heap, struct source *source,
			      const struct options *options);

struct tensor_owner {
	const struct tensor_device *device; /* where tensors had most; NULL: none */
	const struct tensor_row *row; /* of the operator that had most at that peak; NULL: none */
};

/* `tensors` by operator. */
struct tensor_owner tensor_owner_of(const struct tensors *tensors);

#endif
