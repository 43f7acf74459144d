/* SPDX-License-Identifier: MIT */
/*
 * What each block of tensors is for, by where it was made and until when it lived:
 *
 *   gradients        made in a backward function; outlive the backward pass, and if autograd can
 *                    differentiate them again, no other pass frees them
 *   optimizer state  made in an optimizer's step; outlives the step
 *   activations      made by a forward operator of autograd; live when a backward function began
 *   parameters       from before the first backward pass, or older than inputs can be, of the
 *                    size of a gradient (parameters.h)
 *   gathered         made where FSDP gathers parameters of all ranks
 *   inputs           made outside of all these; a backward function began, at most two passes ended
 *   workspaces       made on a GPU by a matrix product beside its result; outlive it
 *   temporaries      freed before any of that
 *   unknown          copies of parameters (copies.h) and the rest, and all blocks if operators were
 *                    sampled or not recorded
 *
 * A block is known for what it is when it ends. So what was live at a device's peak is added up
 * when blocks end that were live then. Memory grows with live blocks. To be used by one thread.
 */
#ifndef REPORT_TENSORS_CATEGORIES_H
#define REPORT_TENSORS_CATEGORIES_H

#include "report/core/analysis.h"
#include "report/tensors/category_times.h"

struct category_sums {
	uint64_t allocations, bytes_allocated;
	uint64_t live_allocations, live_bytes; /* never freed */
	uint64_t peak_bytes, peak_number;      /* live at the device's peak of that number */
};

struct category_device {
	uint64_t device;
	uint64_t bytes; /* live */
	uint64_t peak_bytes, peak_number;
	struct category_sums of[CATEGORIES];
	struct category_times times;
};

/* Hears of blocks: where they are made, and what they were when they end. */
struct category_listener {
	uint64_t (*place)(void *state, const struct source_event *event);
	void (*settle)(void *state, uint64_t place, enum tensor_category category, uint64_t bytes,
		       uint64_t pass);
};

struct categories {
	struct category_device *device;
	size_t device_count, device_room;
	bool is_known; /* operators with sequence numbers were recorded, all of them */
	const struct category_listener *listener; /* NULL: none */
	void *listening;
};
struct categories_options {
	uint32_t for_modules; /* an own one, with their listener */
};
ANALYSIS(categories, struct categories)

#endif
