/* SPDX-License-Identifier: MIT */
/*
 * How `intercept capture` asks a collector: a memory of the collector's own (a sealed memfd), which
 * the asker opens as /proc/PID/fd/N. So the kernel decides who may ask: the same user, as for a
 * debugger's look at a process. There is no file, socket, port or signal.
 *
 * The asker holds flock(LOCK_EX) on it, writes `request`, then `asked`. The collector looks at
 * `asked` in each of its turns, writes `answer` and then `answered`. Both sides trust nothing here:
 * texts are copied and terminated, numbers are checked.
 */
#ifndef COLLECTOR_CONTROL_CONTROL_H
#define COLLECTOR_CONTROL_CONTROL_H

#include <stdatomic.h>
#include <stdint.h>

#define CONTROL_MAGIC 0x316c74632d746e69ull
#define CONTROL_VERSION 1u
#define CONTROL_NAME "intercept-control" /* /proc/PID/fd has it as /memfd:NAME (deleted) */
#define CONTROL_TEXT_BYTES 512u
#define CONTROL_SESSION_BYTES 256u

enum control_answer {
	CONTROL_NONE,
	CONTROL_TAKEN,     /* `number` is that of the capture */
	CONTROL_BUSY,      /* another capture is under way: `number` */
	CONTROL_INVALID,   /* `text` says why */
	CONTROL_OTHER_RANK /* the request names ranks, and this is none of them */
};

enum control_phase {
	CONTROL_IDLE,
	CONTROL_ARMED,  /* its first step has not begun */
	CONTROL_RUNS,   /* recording */
	CONTROL_WRITES, /* over; the last of it is not in the file yet */
	CONTROL_DONE,   /* all of it is in the file */
};

struct control {
	uint64_t magic;
	uint32_t version;
	uint32_t unused;
	char session[CONTROL_SESSION_BYTES];

	/* written by the asker */
	_Alignas(64) _Atomic uint64_t asked; /* another number for each request, never 0 */
	char request[CONTROL_TEXT_BYTES];    /* as trigger.h reads it */

	/* written by the collector */
	_Alignas(64) _Atomic uint64_t answered; /* the value of `asked` that it answers */
	_Atomic uint32_t answer;                /* enum control_answer */
	_Atomic uint32_t number;
	char text[CONTROL_TEXT_BYTES];
	/* of the newest capture; `phase` is CONTROL_IDLE meanwhile, and written last */
	_Atomic uint32_t newest;
	_Atomic uint32_t how;              /* enum evt_capture_how, 0 while it is not over */
	_Atomic uint64_t begin_ns, end_ns; /* times of the file */
	_Atomic uint32_t phase;            /* enum control_phase */
};

#endif
