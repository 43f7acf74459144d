/* SPDX-License-Identifier: MIT */
/*
 * How an answer's body is sent: since when, and by how many calls. What streams tokens sends each
 * by a call of its own. One thread at a time.
 */
#ifndef PRELOAD_REQUESTS_REQUEST_BODY_H
#define PRELOAD_REQUESTS_REQUEST_BODY_H

#include <stdint.h>

struct request_body {
	uint64_t first_ticks, last_ticks; /* when the first and the last such call began; 0: none */
	uint64_t pieces;                  /* such calls */
};

/* The call that began then has sent some of it. */
static inline void request_body_sent(struct request_body *body, uint64_t started)
{
	if (!body->first_ticks)
		body->first_ticks = started;
	body->pieces += body->last_ticks != started;
	body->last_ticks = started;
}

#endif
