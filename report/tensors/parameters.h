/* SPDX-License-Identifier: MIT */
/*
 * Finds parameters by their gradients: each gradient has a parameter of its size on its device.
 *
 * A device's allocator rounds sizes up. It also leaves what remains of a large free block with
 * it, up to 1 MiB. So there, blocks of more than 1 MiB may differ by so much.
 *
 * FSDP sums gradients of several parameters over ranks in one block: it has the size of as many
 * parameters that were made one after another.
 *
 * Gradients that autograd can differentiate again are unsure: other results of a backward function
 * have the same marks. They count if an optimizer has made state of their size.
 *
 * No memory is kept. To be used by one thread.
 */
#ifndef REPORT_TENSORS_PARAMETERS_H
#define REPORT_TENSORS_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PARAMETER_SPARE (UINT64_C(1) << 20)

struct parameter_block {
	uint64_t device, bytes, since_ns;
	uint32_t at;       /* the caller's number of it */
	bool is_parameter; /* of candidates: was found before, or is found now */
	bool is_sum;       /* of gradients: it may be of several parameters */
	bool is_unsure;    /* of gradients: it may be of none */
	bool is_bare;      /* of candidates: no operator made it */
	bool is_paired;    /* these two are for parameters_find() itself */
	size_t next;
};

/* Leaves out unsure gradients without state of their size. Returns how many stay; sorts both. */
size_t parameters_confirm(struct parameter_block *gradient, size_t gradients,
			  struct parameter_block *state, size_t states);

/*
 * Sets is_parameter. Candidates that had it set are taken first, then those that an operator made
 * (what a file is loaded into may be copied from), then those that were made first, because a
 * model is made before its copies. Sorts both.
 */
void parameters_find(struct parameter_block *gradient, size_t gradients,
		     struct parameter_block *candidate, size_t candidates);

#endif
