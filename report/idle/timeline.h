/* SPDX-License-Identifier: MIT */
/*
 * What threads did, as consecutive stretches of time, kept as long as somebody may ask. Each
 * stretch has a key, the caller's number for the activity; 0: not known.
 *
 * Three things are reported, in the order of their ends on a thread. A scope: it is open from now
 * on. A call that has returned: it was the innermost activity while it was open, except during
 * calls and scopes within it. A look: it stands for the time since the previous look. Memory: 16
 * bytes per stretch until timelines_forget(). One thread.
 */
#ifndef REPORT_IDLE_TIMELINE_H
#define REPORT_IDLE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TIMELINE_NOT_KNOWN 0u

struct timeline_piece {
	uint64_t end_ns; /* it begins at the end of the previous one */
	uint32_t key;
	bool is_call, is_look;
};

struct timeline {
	uint64_t begin_ns; /* of the first piece */
	uint64_t end_ns;   /* end of the pieces; `now` is valid from there on */
	uint32_t now;      /* the open scope's key */
	bool has_begun, has_forgotten;
	struct timeline_piece *piece;
	size_t count, room;
};

struct timelines {
	struct timeline *thread; /* by index */
	size_t room;
	size_t pieces; /* of all threads */
};

void timelines_release(struct timelines *lines);

/* From that time on the thread is in the scope. */
void timelines_put_scope(struct timelines *lines, uint32_t thread, uint64_t time_ns, uint32_t key);
/* The thread was in the call, which began at from_ns and ends now. */
void timelines_put_call(struct timelines *lines, uint32_t thread, uint64_t from_ns, uint64_t to_ns,
			uint32_t key);
void timelines_put_look(struct timelines *lines, uint32_t thread, uint64_t from_ns, uint64_t to_ns,
			uint32_t key);

/*
 * Passes the stretches of that time, in order and without gaps; neighbours have different keys. A
 * look counts if it was made by to_ns, or if the previous look saw the same.
 */
typedef void timeline_take(void *state, uint32_t key, uint64_t from_ns, uint64_t to_ns);
void timelines_each(const struct timelines *lines, uint32_t thread, uint64_t from_ns,
		    uint64_t to_ns, timeline_take *take, void *state);

/* Nobody will ask for anything before that time. */
void timelines_forget(struct timelines *lines, uint64_t before_ns);

#endif
