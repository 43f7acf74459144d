/* SPDX-License-Identifier: MIT */
/*
 * Several reports of one reading: their tables and totals as data, for who compares, writes or shows many of them at
 * once. What two of them want is read and kept once.
 *
 * Ownership: the batch has the reports' states, tables and totals until batch_free(); texts of cells may lie in the source,
 * which outlives the batch. One thread.
 */
#ifndef REPORT_CORE_REPORT_BATCH_H
#define REPORT_CORE_REPORT_BATCH_H

#include "report/core/report_job.h"
#include "report/core/windows.h"

struct batch_report {
	enum report_id id;
	enum key_id by;
	struct options options; /* the request's, but for the report and its key */
	struct report_request request;
	struct report_job job;
};

struct batch {
	struct report_request *outer;
	struct run *run;
	struct windows windows; /* of --step, which the run's filters look at */
	struct batch_report **report;
	size_t count, room;
	bool only_writes; /* nobody looks at rows: those that are pending stay so until they are written */
};

/* Whether a report makes rows from events, by its options alone. */
bool batch_takes(enum report_id id);
/* The first key of --by of a report, or the one of that name; KEY_ID_LIMIT: there is none. */
enum key_id batch_key(enum report_id id, const char *name);

/* `outer` lends options, source and screen, and must outlive the batch. */
void batch_init(struct batch *batch, struct report_request *outer);
/* Before batch_read(). Its place; one that is there already with that key is not added again. */
size_t batch_add(struct batch *batch, enum report_id id, enum key_id by);
/* Reads the source to its end. STATUS_OK, or another with the outer request's message. */
int batch_read(struct batch *batch);
void batch_release(struct batch *batch);

#endif
