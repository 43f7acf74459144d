/* SPDX-License-Identifier: MIT */
/*
 * Counters of what threads and processes have done so far: allocations, bytes, calls, for all
 * recorded families. Subtract two readings to get what was done in between.
 *
 * Each counter is a line WORK(name, family, provider) in its family's family.def; the analysis
 * `analysis_<provider>` puts it here. Only the counters that somebody wants are kept. Memory grows
 * with threads and processes. One thread.
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

/* What was done between two readings. */
static inline struct work work_between(const struct work *from, const struct work *to)
{
	return (struct work){
#define WORK(name, family, provider) .name = to->name - from->name,
#include "report/families.def"
	};
}

struct works;

/* These counters, bits WORK_BIT(); for start() of an analysis, or of a report. */
struct works *works_want(struct run *run, uint32_t counters);

/* Of all events, whether they count or not. */
struct work works_of_thread(const struct works *works, const struct source_thread *thread);
struct work works_of_process(const struct works *works, const struct source_process *process);
/* Of those that count, once everything is read. */
struct work works_counted_of_thread(const struct works *works, const struct source_thread *thread);
struct work works_counted_of_process(const struct works *works,
				     const struct source_process *process);

/* Is called for what works_put() is given, after that. `counts` as for analysis_take. */
typedef void works_listener(void *state, const struct source_event *event, bool counts,
			    const struct work *work);
void works_listen(struct works *works, works_listener *take, void *state);

/* --- for providers --- */

/* All that a provider's state need be. */
struct work_provider {
	struct works *works;
};
struct works *works_provide(struct run *run);

/* What the event did, at its thread and process. */
void works_put(struct works *works, const struct source_event *event, bool counts,
	       const struct work *work);
/* The same of one counter. */
void works_put_one(struct works *works, const struct source_event *event, bool counts,
		   enum work_id id, uint64_t value);
/* The same without listeners, for what happens all the time: where the provider adds itself. */
struct work *works_at_thread(struct works *works, const struct source_event *event, bool counts);
struct work *works_at_process(struct works *works, const struct source_event *event, bool counts);
/* The same of deferred work (deferred/deferred.h), by index. No difference of two looks has it: it comes when they are over. */
struct work *works_deferred_at_thread(struct works *works, uint32_t thread);
struct work *works_deferred_at_process(struct works *works, uint32_t process);
/* Such work was recorded: 0 of it is none. */
void works_note_deferred(struct works *works);
bool works_have_deferred(const struct run *run);
/* What the sums of run_sums() are of. */
void works_take_sums(struct works *works, enum work_id events, enum work_id bytes);

/* --- in tables --- */

/*
 * Where a report has columns of the counters' names. Those of families that the run did not record are left empty;
 * with NULL they are 0.
 */
struct work_columns {
	enum column_id column[WORK_LIMIT]; /* COLUMN_ID_LIMIT: none */
};
struct work_columns work_columns_of(const char *report, const struct run *run);
/* Into the row added last. */
void work_put_columns(const struct work_columns *columns, struct table *table,
		      const struct work *work);
/* The counters that the report has columns of. */
uint32_t work_bits_of(const char *report);

#endif
