/* SPDX-License-Identifier: MIT */
/*
 * The messages between a program and the nursery. The program asks for a collector for its region,
 * and sends the region's memfd with the request. The answer comes when that collector has taken the
 * region.
 *
 * The nursery is the parent of all collectors of a session (collector/turn/nursery.c); the
 * program's side is preload/life/nursery.c. They meet at an abstract socket (SOCK_SEQPACKET), whose
 * name only the programs know. The program that creates it first passes it to the nursery that it
 * starts.
 */
#ifndef COLLECTOR_REGION_NURSERY_H
#define COLLECTOR_REGION_NURSERY_H

#include <stdint.h>

#include "collector/region/region.h"

#define NURSERY_MAGIC 0x6e757273u

struct nursery_request {
	uint32_t magic;
	uint32_t version; /* REGION_VERSION */
	uint32_t pid;     /* as the program itself sees it */
	uint32_t unused;
};

struct nursery_answer {
	int32_t error; /* errno; 0: a collector has the region */
	uint32_t unused;
};

/*
 * region_header.starter: which of the two may start the collector. Taken once, by compare-and-swap:
 * a program that has waited in vain starts one itself, and the nursery may get to the request
 * later.
 */
enum nursery_starter {
	NURSERY_STARTER_NOBODY = 0,
	NURSERY_STARTER_PROGRAM = 1,
	NURSERY_STARTER_NURSERY = 2,
};

/* True for the one that has it from now on. */
static inline int nursery_claim(struct region_header *header, enum nursery_starter starter)
{
	uint32_t nobody = NURSERY_STARTER_NOBODY;

	return atomic_compare_exchange_strong(&header->starter, &nobody, (uint32_t)starter);
}

#endif
