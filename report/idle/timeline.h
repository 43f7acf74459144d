/* SPDX-License-Identifier: MIT */
/*
 * What threads did, one stretch of time after the other, for as long as somebody may ask. Each stretch has a key, the
 * caller's number of what it was; 0: not known.
 *
 * Three things are told, in the order of their ends on a thread: the scope that is open from now on; a call that has
 * returned, which is what was innermost while it was open, but for calls and scopes within it; and a look, which
 * stands for the time since the one before. Memory: 16 bytes a stretch until timelines_forget(). One thread.
 */
#ifndef REPORT_IDLE_TIMELINE_H
#define REPORT_IDLE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TIMELINE_NOT_KNOWN 0u

struct timeline_piece {
	uint64_t end_ns; /* it begins where the one before ends */
	uint32_t key;
	bool is_call, is_look;
};

struct timeline {
	uint64_t begin_ns; /* of the first piece */
	uint64_t end_ns;   /* up to which pieces go; `now` holds from there on */
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
/* It was in the call, which began at from_ns and ends now. */
void timelines_put_call(struct timelines *lines, uint32_t thread, uint64_t from_ns, uint64_t to_ns,
			uint32_t key);
void timelines_put_look(struct timelines *lines, uint32_t thread, uint64_t from_ns, uint64_t to_ns,
			uint32_t key);

/*
 * The stretches of that time, in order and without gaps; neighbours differ in their keys. A look counts when it was
 * made by to_ns, or when the look before saw the same.
 */
typedef void timeline_take(void *state, uint32_t key, uint64_t from_ns, uint64_t to_ns);
void timelines_each(const struct timelines *lines, uint32_t thread, uint64_t from_ns,
		    uint64_t to_ns, timeline_take *take, void *state);

/* Nobody asks for what was before that time any more. */
void timelines_forget(struct timelines *lines, uint64_t before_ns);

#endif
