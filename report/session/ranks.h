/* SPDX-License-Identifier: MIT */
/*
 * Which ranks of a distributed run are in what was read, as text for people: "0 to 2, 5". Once it has been read.
 */
#ifndef REPORT_SESSION_RANKS_H
#define REPORT_SESSION_RANKS_H

#include <stdbool.h>
#include <stdint.h>

#include "report/session/source.h"

#define RANKS_BYTES 160

struct ranks {
	uint64_t count, world_size; /* of those that are there; of the run, 0 unknown */
	bool is_torch;              /* RANK says so, as torch.distributed wants it */
	char there[RANKS_BYTES];
	char missing[RANKS_BYTES]; /* "": none that is known of */
};

/* False: there is none. */
bool ranks_describe(const struct source *source, struct ranks *ret_ranks);

#endif
