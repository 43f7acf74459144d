/* SPDX-License-Identifier: MIT */
/*
 * One file of a session, followed while it grows: what its analyses have counted, now and at the seconds before, so that
 * a window over the last seconds is a difference. Seconds are those of the recording, not of the clock on the wall: a file
 * that is finished shows its own last seconds.
 *
 * A look costs what has come since the last one, and a copy of the counters for each second of it. Memory: the analyses', and
 * their counters once for each second of the window. One thread.
 */
#ifndef REPORT_WATCH_FOLLOWER_H
#define REPORT_WATCH_FOLLOWER_H

#include <sys/types.h>

#include "report/session/session_files.h"
#include "report/watch/watch_kind.h"

/* What grows and is one number. */
enum follower_count {
	FOLLOWER_STEPS,
	FOLLOWER_CPU_NS,
	FOLLOWER_ALLOCATIONS,
	FOLLOWER_ALLOCATED,
	FOLLOWER_READ,
	FOLLOWER_WRITTEN,
	FOLLOWER_GPU_NS,
	FOLLOWER_COPIED,
	FOLLOWER_RECORDS,
	FOLLOWER_COUNTS,
};

/* The counters as they were before the first event of that second. */
struct follower_mark {
	uint64_t second;
	uint64_t count[FOLLOWER_COUNTS];
	uint64_t *value[WATCH_KINDS]; /* WATCH_VALUES for each of `rows`; owned */
	size_t rows[WATCH_KINDS], room[WATCH_KINDS];
};

struct follower {
	char *path;
	int fd; /* of its own, to see who writes */
	dev_t device;
	ino_t inode;
	uint64_t size;
	struct source *source;
	struct run *run;
	void *state[WATCH_KINDS];
	const struct steps_seen *steps;
	struct heap *heap;
	struct follower_mark *mark; /* a ring */
	size_t mark_room, mark_count;
	uint64_t mark_next_ns;
	unsigned int window_s;
	bool ended;        /* all is read that will ever be there */
	bool is_cut_short; /* it became shorter than what was read of it */
	bool is_gone;      /* it has no name any more, or another file has it */
};

/* Takes `found` over. NULL with one line in `message`. */
struct follower *follower_new(struct session_file *found, unsigned int window_s, char *message,
			      size_t message_bytes);
void follower_free(struct follower *follower);

/* Reads what has come. Its last call, once nobody writes any more, sets `ended`. 0, or an error of the source. */
int follower_look(struct follower *follower);

/* A window: where it begins. Its end is now. */
struct follower_window {
	const struct follower_mark *from; /* NULL: it began with the recording */
	uint64_t ns;                      /* length */
};
struct follower_window follower_window(const struct follower *follower);
uint64_t follower_count(const struct follower *follower, enum follower_count which);
/* The same in the window. */
uint64_t follower_count_in(const struct follower *follower, const struct follower_window *window,
			   enum follower_count which);

/* Of processes that go through steps: EVT_step. */
struct steps_seen {
	uint64_t count, processes, last_number, last_ns;
	struct step_process {
		bool has_steps;
		uint64_t begun_ns;
	} * process;
	size_t process_room;
};
struct steps_seen_options {
	uint32_t unused;
};
ANALYSIS(steps_seen, struct steps_seen)

#endif
