/* SPDX-License-Identifier: MIT */
/*
 * Counters of what threads and processes have done so far: allocations, bytes, calls, for all
 * recorded families. The difference of two readings is what was done in between.
 *
 * Each counter is a line WORK(name, family, provider) in its family's family.def; the analysis
 * `analysis_<provider>` adds to it. Only counters that somebody wants are kept. Memory grows with
 * threads and processes. To be used by one thread.
 */
#ifndef REPORT_CORE_WORK_H
#define REPORT_CORE_WORK_H

#include "report/core/analysis.h"
#include "report/table/table.h"

enum work_id {
#define WORK(name, family, provider) WORK_##name,
#include "report/families.def"
	WORK_LIMIT,
};
#define WORK_BIT(name) (1u << WORK_##name)

struct work {
#define WORK(name, family, provider) uint64_t name;
#include "report/families.def"
};

static inline void work_add(struct work *into, const struct work *more)
{
#define WORK(name, family, provider) into->name += more->name;
#include "report/families.def"
}

/* Returns what was done between two readings. */
static inline struct work work_between(const struct work *from, const struct work *to)
{
	return (struct work){
#define WORK(name, family, provider) .name = to->name - from->name,
#include "report/families.def"
	};
}

struct works;

/* Wants these counters, bits WORK_BIT(); for start() of an analysis, or of a report. */
struct works *works_want(struct run *run, uint32_t counters);

/* Over all events, whether they count or not. */
struct work works_of_thread(const struct works *works, const struct source_thread *thread);
struct work works_of_process(const struct works *works, const struct source_process *process);
/* Over events that count, once everything is read. */
struct work works_counted_of_thread(const struct works *works, const struct source_thread *thread);
struct work works_counted_of_process(const struct works *works,
				     const struct source_process *process);

/* Called after each works_put() with its values. `counts` as for analysis_take. */
typedef void works_listener(void *state, const struct source_event *event, bool counts,
			    const struct work *work);
void works_listen(struct works *works, works_listener *take, void *state);

/* --- for providers --- */

/* A sufficient state for a provider. */
struct work_provider {
	struct works *works;
};
struct works *works_provide(struct run *run);

/* Adds what the event did to the counters of its thread and process. */
void works_put(struct works *works, const struct source_event *event, bool counts,
	       const struct work *work);
/* The same for one counter. */
void works_put_one(struct works *works, const struct source_event *event, bool counts,
		   enum work_id id, uint64_t value);
/* The same without listeners, for frequent events: the provider adds to the result itself. */
struct work *works_at_thread(struct works *works, const struct source_event *event, bool counts);
struct work *works_at_process(struct works *works, const struct source_event *event, bool counts);
/*
 * The same for deferred work (deferred/deferred.h), by index. It is in no difference of two
 * readings, because it comes after them.
 */
struct work *works_deferred_at_thread(struct works *works, uint32_t thread);
struct work *works_deferred_at_process(struct works *works, uint32_t process);
/* Deferred work was recorded, so a count of 0 means none. */
void works_note_deferred(struct works *works);
bool works_have_deferred(const struct run *run);
/* Says which counters the sums of run_sums() belong to. */
void works_take_sums(struct works *works, enum work_id events, enum work_id bytes);

/* --- in tables --- */

/*
 * For a report with columns named like counters. Columns of families that the run did not record
 * are left empty; with NULL they are 0.
 */
struct work_columns {
	enum column_id column[WORK_LIMIT]; /* COLUMN_ID_LIMIT: none */
};
struct work_columns work_columns_of(const char *report, const struct run *run);
/* Puts the values into the row added last. */
void work_put_columns(const struct work_columns *columns, struct table *table,
		      const struct work *work);
/* Returns the counters for which the report has columns. */
uint32_t work_bits_of(const char *report);

#endif
