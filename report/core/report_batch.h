/* SPDX-License-Identifier: MIT */
/*
 * Several reports from one reading: their tables and totals as data, for callers that compare,
 * write or show many of them at once. What two of them need is read and kept once.
 *
 * Ownership: the batch owns the reports' states, tables and totals until batch_free(). Texts of
 * cells may belong to the source, which outlives the batch. To be used by one thread.
 */
#ifndef REPORT_CORE_REPORT_BATCH_H
#define REPORT_CORE_REPORT_BATCH_H

#include "report/core/report_job.h"
#include "report/core/windows.h"

struct batch_report {
	enum report_id id;
	enum key_id by;
	struct options options; /* those of the request, but for the report and its key */
	struct report_request request;
	struct report_job job;
	bool is_own; /* has options that batch_add() does not know */
};

struct batch {
	struct report_request *outer;
	struct run *run;
	struct windows windows; /* of --step; the run's filters use them */
	struct batch_report **report;
	size_t count, room;
	bool only_writes; /* rows are only written: those that are pending stay so until then */
};

/* Returns whether a report makes rows from events, according to its options. */
bool batch_takes(enum report_id id);
/* Returns the report's first key of --by, or the key of that name; KEY_ID_LIMIT: there is none. */
enum key_id batch_key(enum report_id id, const char *name);

/* `outer` lends options, source and screen, and must outlive the batch. */
void batch_init(struct batch *batch, struct report_request *outer);
/*
 * To be called before batch_read(). Returns the index of the report; a report that is there already
 * with that key is not added again.
 */
size_t batch_add(struct batch *batch, enum report_id id, enum key_id by);
/*
 * The same, but the report is always added. Its options are its own: the caller may change them
 * until batch_read().
 */
size_t batch_add_own(struct batch *batch, enum report_id id, enum key_id by);
/*
 * Reads the source to its end. Returns STATUS_OK, or another status with the outer request's
 * message.
 */
int batch_read(struct batch *batch);
void batch_release(struct batch *batch);

#endif
