/* SPDX-License-Identifier: MIT */
/*
 * One file of a session, followed while it grows: what its analyses have counted, now and at
 * earlier seconds, so that a window over the last seconds is a difference. Seconds are those of the
 * recording, not of the wall clock: a finished file shows its own last seconds.
 *
 * A look costs the processing of what was added since the last one, and a copy of the counters for
 * each second of it. Memory: the analyses', and their counters once for each second of the window.
 * One thread.
 */
#ifndef REPORT_WATCH_FOLLOWER_H
#define REPORT_WATCH_FOLLOWER_H

#include <sys/types.h>

#include "report/device/device_states.h"
#include "report/gc/gc_events.h"
#include "report/requests/request_events.h"
#include "report/session/session_files.h"
#include "report/steps/step_events.h"
#include "report/watch/watch_kind.h"

/* Totals that are one number. */
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
	FOLLOWER_COLLECTIONS,
	FOLLOWER_COLLECTION_NS,
	FOLLOWER_REQUESTS,
	FOLLOWER_REQUEST_NS,
	FOLLOWER_STEP_NS, /* of the steps whose phases are known */
	FOLLOWER_STEP_GPU_NS,
	FOLLOWER_STEP_DETAIL_NS, /* of the steps that the GPU's time is of */
	FOLLOWER_PHASES,         /* one for each */
	FOLLOWER_PHASES_END = FOLLOWER_PHASES + STEP_PHASE_LIMIT - 1,
	FOLLOWER_COUNTS,
};

/* The counters before the first event of that second. */
struct follower_mark {
	uint64_t second;
	uint64_t count[FOLLOWER_COUNTS];
	uint64_t *value[WATCH_KINDS]; /* WATCH_VALUES for each of `rows`; owned */
	size_t rows[WATCH_KINDS], room[WATCH_KINDS];
};

struct follower {
	char *path;
	int fd; /* its own descriptor, to see who writes */
	dev_t device;
	ino_t inode;
	uint64_t size;
	struct source *source;
	struct run *run;
	void *state[WATCH_KINDS];
	const struct steps_seen *steps;
	const struct steps *loop;
	const struct captures *captures;
	struct collections *collections;
	const struct requests *requests;
	const struct device_states *devices;
	struct heap *heap;
	struct follower_mark *mark; /* a ring */
	size_t mark_room, mark_count;
	uint64_t mark_next_ns;
	unsigned int window_s;
	bool ended;        /* everything that will ever be there is read */
	bool is_cut_short; /* it became shorter than what was already read */
	bool is_gone;      /* its name is gone, or belongs to another file */
};

/* Takes over `found`. Returns NULL with one line in `message` on failure. */
struct follower *follower_new(struct session_file *found, unsigned int window_s, char *message,
			      size_t message_bytes);
void follower_free(struct follower *follower);

/*
 * Reads what was added. Its last call, when nobody writes any more, sets `ended`. Returns 0, or an
 * error of the source.
 */
int follower_look(struct follower *follower);

/* A window: its begin. It ends now. */
struct follower_window {
	const struct follower_mark *from; /* NULL: it begins with the recording */
	uint64_t ns;                      /* length */
};
struct follower_window follower_window(const struct follower *follower);
uint64_t follower_count(const struct follower *follower, enum follower_count which);
/* The same within the window. */
uint64_t follower_count_in(const struct follower *follower, const struct follower_window *window,
			   enum follower_count which);

/* For processes with steps: EVT_step. */
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
