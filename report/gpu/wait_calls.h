/* SPDX-License-Identifier: MIT */
/*
 * Functions of CUDA that wait, by name, and for what: kinds as CUPTI's records of waits have them
 * (CUpti_ActivitySynchronizationType). For recordings without such records (INTERCEPT_GPU_WAITS).
 * Waits within other calls, such as cudaMemcpy(), are not among them.
 *
 * Memory grows with names. To be used by one thread.
 */
#ifndef REPORT_GPU_WAIT_CALLS_H
#define REPORT_GPU_WAIT_CALLS_H

#include "report/base/map.h"
#include "report/session/source.h"

enum wait_call_kind {
	WAIT_CALL_NONE, /* the function does not wait */
	WAIT_CALL_EVENT,
	WAIT_CALL_STREAM_FOR_EVENT, /* the host does not wait */
	WAIT_CALL_STREAM,
	WAIT_CALL_DEVICE,
};

struct wait_calls {
	struct source *source;
	struct map kinds; /* name's index + 1 to enum wait_call_kind */
};

void wait_calls_init(struct wait_calls *calls, struct source *source);
void wait_calls_release(struct wait_calls *calls);
/* Also with the runtime's and the driver's suffixes: _ptsz, _v2. */
enum wait_call_kind wait_call_kind_of(const char *name, size_t length);
/* `name`: index of the function's name. */
enum wait_call_kind wait_calls_kind_of(struct wait_calls *calls, uint32_t name);

#endif
