/* SPDX-License-Identifier: MIT */
/* Who held most of the memory at its peak, as far as that is known. */
#ifndef REPORT_SUMMARY_SUMMARY_OWNER_H
#define REPORT_SUMMARY_SUMMARY_OWNER_H

#include "report/options/options.h"
#include "report/heap/heap.h"
#include "report/tensors/tensors.h"

struct heap_owner {
	/* path of the module that allocated most; NULL: not known */
	const struct source_name *path;
	uint64_t bytes; /* at the heap's peak */
};

/* Call this before the rows of callers are joined for a table. */
struct heap_owner heap_owner_of(const struct heap *heap, const struct source *source);

#define HEAP_LINE_BYTES 240u
struct heap_line {
	char place[HEAP_LINE_BYTES]; /* "train.py:31", of the user's own code; "": none is known */
	uint64_t bytes;              /* at the heap's peak */
	uint64_t known_bytes;        /* bytes at the peak in blocks with a stack */
};

/* Finds the line of the user's own code that held most. Names stacks, but no callers. */
struct heap_line heap_line_of(const struct heap *heap, struct source *source,
			      const struct options *options);

struct tensor_owner {
	const struct tensor_device *device; /* the device with most bytes of tensors; NULL: none */
	const struct tensor_row *row; /* the operator with most bytes at that peak; NULL: none */
};

/* `tensors` must be by operator. */
struct tensor_owner tensor_owner_of(const struct tensors *tensors);

#endif
