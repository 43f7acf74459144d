/* SPDX-License-Identifier: MIT */
/*
 * When processes serve. With enough requests, of HTTP or named by the user, it is the time from the
 * first of them to the last: a process serves from its own first one on, or, if it receives none,
 * once it waits for requests or tasks after the first of all. With fewer, a process serves once it
 * has received one or waits for one. Before that is start-up, whatever its event loop did.
 *
 * Fed while events are read, in the order of time; what a look belongs to is only known at the end.
 * Processes are indices, times are ns. Owns its arrays; one thread.
 */
#ifndef REPORT_ADVICE_SERVING_TIME_H
#define REPORT_ADVICE_SERVING_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What was known of a process, and of the requests of all, at some moment. */
enum serving_stage {
	SERVING_NOT,    /* neither received a request nor waited for one */
	SERVING_WAITED, /* waited for requests, before the first of all */
	SERVING_BESIDE, /* the same, after the first of all, which another process received */
	SERVING_ASKED,  /* it has received a request */
};

struct serving_time {
	struct serving_process {
		uint64_t waited_ns, asked_ns; /* first; 0: never */
	} * process;
	size_t process_room;
	uint64_t first_ns, last_ns; /* of all requests: the first begin, the last begin or end */
	uint64_t begun, ended;      /* requests */
};

void serving_time_release(struct serving_time *time);

/* A request of the process begins or ends. */
void serving_time_begin(struct serving_time *time, uint32_t process, uint64_t now_ns);
void serving_time_end(struct serving_time *time, uint64_t now_ns);
/* So many requests were begun by the process from `first_ns` on, and ended, until `now_ns`. */
void serving_time_add(struct serving_time *time, uint32_t process, uint64_t count,
		      uint64_t first_ns, uint64_t now_ns);
/* One of those that were added has not ended. */
void serving_time_resume(struct serving_time *time);

/* The process waits for requests. */
void serving_time_wait(struct serving_time *time, uint32_t process, uint64_t now_ns);

enum serving_stage serving_time_stage(struct serving_time *time, uint32_t process);

/* --- once all is read --- */

/* Returns whether the time from the first request to the last is what counts. */
bool serving_time_is_of_requests(const struct serving_time *time);

/* Returns whether it ends with the last request: none was open then. */
bool serving_time_ends(const struct serving_time *time);

/* Returns whether looks of the process at that stage are of its serving. */
bool serving_time_has(const struct serving_time *time, uint32_t process, enum serving_stage stage);

/* Returns when the process began to serve; 0: it did not. */
uint64_t serving_time_since(const struct serving_time *time, uint32_t process);

#endif
