/* SPDX-License-Identifier: MIT */
/*
 * Report `gc`: time and effect of Python's garbage collector. Rows are the groups of gc_events.h.
 */
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/core/report_kind.h"
#include "report/gc/gc_events.h"
#include "report/table/cells.h"

struct gc_state {
	struct collections *collections;
	struct text_store texts; /* of rows by line */
	struct own own;
};

static struct collections *collections_of(const struct report *report)
{
	return ((const struct gc_state *)report->state)->collections;
}

static void gc_prepare(struct report *report)
{
	((struct gc_state *)report->state)->collections = collections_want(
		report->run, &(struct collections_options){ .by = report->request->options->by });
}

/* Returns the line for which a stack counts, as a frame. */
static const struct gc_frame *report_gc_place_of(const struct collections *collections,
						 struct own *own, const struct group *group)
{
	const struct gc_frame *caller;

	return gc_stack_place(&collections->stacks, own, (uint32_t)group->key[COLLECTIONS_KEY],
			      &caller);
}

/* Joins stacks with the same line into one row. */
static void settle_lines(const struct report *report, struct collections *collections)
{
	struct own *own = &((struct gc_state *)report->state)->own;
	struct map rows;
	bool added;

	map_init(&rows);
	for (size_t i = 0; i < collections->groups.count; i++) {
		struct group *group = &collections->groups.group[i];
		const struct gc_frame *place = report_gc_place_of(collections, own, group);
		struct gc_frame key = place ? *place : (struct gc_frame){ 0 };
		struct map_entry *row;

		row = map_put(&rows, map_hash_bytes(&key, sizeof(key), 0), &added);
		if (added)
			row->value = i;
		else
			group_move(&collections->groups.group[row->value], group);
	}
	map_release(&rows);
}

/* Puts "file:line" and the function; nothing if it is not known. */
static void report_gc_put_line(const struct report *report, struct table *table,
			       const struct group *group)
{
	struct gc_state *mine = report->state;
	const struct source *source = run_source(report->run);
	const struct gc_frame *place = report_gc_place_of(mine->collections, &mine->own, group);
	const char *name, *text;
	size_t length;

	if (!place || !place->line)
		return;
	name = name_text(source_name_at(source, place->file), &length);
	text = text_store_format(&mine->texts, "%.*s:%" PRIu32,
				 (int)(length < PATH_MAX ? length : PATH_MAX), name, place->line);
	table_put_text(table, COLUMN_gc_line, text);
	if (place->function)
		table_put_name(table, COLUMN_gc_function, source, place->function);
}

static void report_gc_put_key(const struct report *report, struct table *table,
			      const struct group *group)
{
	const struct collections *collections = collections_of(report);

	if (collections->key.kind)
		key_put(&collections->key, group->key[COLLECTIONS_KEY], table);
	else if (report->request->options->by == BY_gc_where)
		report_gc_put_line(report, table, group);
	else
		table_set_number(table, COLUMN_gc_generation, group->key[COLLECTIONS_KEY]);
}

static void report_gc_put_row(const struct report *report, struct table *table, struct group *group,
			      uint64_t total_ns)
{
	const struct timing *time = &group->time;
	const double *sum = group_sums(group);

	table_add_row(table);
	report_gc_put_key(report, table, group);
	table_set_number(table, COLUMN_gc_collections, time->count);
	table_set_number(table, COLUMN_gc_total_ns, time->total_ns);
	if (total_ns)
		table_set_real(table, COLUMN_gc_percent,
			       100.0 * (double)time->total_ns / (double)total_ns);
	table_set_number(table, COLUMN_gc_average_ns, timing_average(time));
	table_set_number(table, COLUMN_gc_max_ns, time->max_ns);
	table_set_number(table, COLUMN_gc_p50_ns, timing_percentile(time, 50));
	table_set_number(table, COLUMN_gc_p99_ns, timing_percentile(time, 99));
	table_set_number(table, COLUMN_gc_collected, (uint64_t)sum[COLLECTIONS_FREED]);
	table_set_number(table, COLUMN_gc_uncollectable, (uint64_t)sum[COLLECTIONS_UNCOLLECTABLE]);
}

static void gc_fill(struct report *report, struct table *table)
{
	struct collections *collections = collections_of(report);
	struct groups *groups = &collections->groups;
	uint64_t total_ns;

	key_settle_groups(&collections->key, groups, COLLECTIONS_KEY);
	own_init(&((struct gc_state *)report->state)->own, run_source(report->run),
		 report->request->options);
	if (!collections->key.kind && report->request->options->by == BY_gc_where) {
		gc_stacks_note_scripts(&collections->stacks, run_source(report->run),
				       &((struct gc_state *)report->state)->own);
		settle_lines(report, collections);
	}
	total_ns = groups_total(groups).time.total_ns;
	for (size_t i = 0; i < groups->count; i++)
		if (groups->group[i].time.count)
			report_gc_put_row(report, table, &groups->group[i], total_ns);
}

static void gc_total(const struct report *report, struct facts *facts)
{
	const struct collections *collections = collections_of(report);
	struct group total = groups_total(&collections->groups);

	facts_number(facts, "collections", UNIT_COUNT, total.time.count);
	facts_number(facts, "total_ns", UNIT_NS, total.time.total_ns);
	facts_number(facts, "max_ns", UNIT_NS, total.time.max_ns);
	facts_number(facts, "open", UNIT_COUNT, collections->open);
}

static void gc_foot(const struct document *document, const struct screen *screen)
{
	uint64_t open = collections_of(document->context)->open;

	if (open)
		screen_print(screen, "",
			     "%" PRIu64 " collection%s had not ended when recording stopped or the "
			     "process ended: no time of %s counts\n",
			     open, open == 1 ? "" : "s", open == 1 ? "it" : "theirs");
}

static void gc_release(struct report *report)
{
	struct gc_state *mine = report->state;

	text_store_release(&mine->texts);
	if (mine->own.source)
		own_release(&mine->own);
}

const struct report_kind report_kind_gc = {
	.state_bytes = sizeof(struct gc_state),
	.family = EVT_FAMILY_gc,
	.want = gc_prepare,
	.fill = gc_fill,
	.total = gc_total,
	.foot = gc_foot,
	.release = gc_release,
};
