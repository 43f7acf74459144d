/* SPDX-License-Identifier: MIT */
/*
 * Which ranks of a distributed run were read, as text for people: "0 to 2, 5". Call when the source
 * has been read.
 */
#ifndef REPORT_SESSION_RANKS_H
#define REPORT_SESSION_RANKS_H

#include <stdbool.h>
#include <stdint.h>

#include "report/session/source.h"

#define RANKS_BYTES 160

struct ranks {
	uint64_t count, world_size; /* ranks that were read; ranks of the run, 0: unknown */
	bool is_torch;              /* RANK says so, in the form that torch.distributed requires */
	char there[RANKS_BYTES];
	char missing[RANKS_BYTES]; /* "": none is known to be missing */
};

/* "0 to 2, 5": numbers that are sorted, each once; "..." at the end if there is no more room. */
void ranks_write_list(char text[RANKS_BYTES], const uint64_t *rank, size_t count);

/*
 * Returns the ranks of all processes, sorted, each once; the caller frees them. Sets the figures of
 * `ret_ranks`, and leaves its texts empty.
 */
uint64_t *ranks_list(const struct source *source, struct ranks *ret_ranks);

/* Sets everything. Returns false if there are no ranks. */
bool ranks_describe(const struct source *source, struct ranks *ret_ranks);

#endif
