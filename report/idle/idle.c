/* SPDX-License-Identifier: MIT */
/*
 * Rows are the keys of the timelines (timeline.h): a stretch has its row's number. Gaps are divided
 * when the work after them is reported.
 */
#include "report/idle/idle.h"

#include <stdlib.h>

#include "report/base/map.h"
#include "report/base/memory.h"
#include "report/helpers/helpers.h"
#include "report/idle/idle_calls.h"
#include "report/idle/open_gaps.h"
#include "report/idle/timeline.h"
#include "report/samples/stretches.h"

struct idle_state {
	struct idle idle; /* first member: it is what others see */
	struct gpu_time *time;
	struct source *source;
	const struct helpers *helpers;
	struct map rows;
	struct timelines lines; /* scopes and calls */
	struct timelines looks; /* asked where the others know nothing */
	uint32_t *process;      /* of threads */
	size_t process_room, threads;
	struct open_gaps open;
	size_t pieces_max;
	bool by_place;
};

static uint32_t idle_row_of(struct idle_state *mine, enum idle_kind kind, uint64_t value)
{
	struct idle *idle = &mine->idle;
	const uint64_t words[] = { kind, value };
	bool added;
	struct map_entry *entry = map_put(&mine->rows, map_hash_bytes(words, sizeof(words), 0),
					  &added);

	if (!added)
		return (uint32_t)entry->value;
	idle->row = memory_room(idle->row, idle->row_count, &idle->row_room, sizeof(*idle->row));
	idle->row[idle->row_count] = (struct idle_row){ .kind = kind, .value = value };
	entry->value = idle->row_count++;
	return (uint32_t)entry->value;
}

static void idle_note_thread(struct idle_state *mine, const struct source_thread *thread,
			     const struct source_process *process)
{
	mine->process = memory_room(mine->process, thread->index, &mine->process_room,
				    sizeof(*mine->process));
	mine->process[thread->index] = process->index;
	if (thread->index >= mine->threads)
		mine->threads = thread->index + 1;
}

/* --- what threads do --- */

/*
 * If both are wanted and none is open, the activity is not known; by operator or range alone, "none
 * is open" is known.
 */
static uint32_t scope_row(struct idle_state *mine, const struct source_event *event)
{
	const struct idle *idle = &mine->idle;
	uint64_t op = key_of(&idle->op, event), range = op ? 0 : key_of(&idle->range, event);

	if (op || (idle->op.kind && !idle->range.kind))
		return idle_row_of(mine, IDLE_OP, op);
	if (range || !idle->op.kind)
		return idle_row_of(mine, IDLE_RANGE, range);
	return TIMELINE_NOT_KNOWN;
}

/*
 * Outside of everything: a helper then does what its owner does. For others it is known that
 * nothing is open, or not known.
 */
static uint32_t row_from_now(struct idle_state *mine, const struct source_event *event)
{
	uint32_t row = mine->by_place ? TIMELINE_NOT_KNOWN : scope_row(mine, event);
	uint32_t owner = helpers_owner(mine->helpers, event->thread->index);

	if (owner == NEST_NONE || (row != TIMELINE_NOT_KNOWN && mine->idle.row[row].value))
		return row;
	return idle_row_of(mine, IDLE_OWNER, owner);
}

static void take_scope(void *state, const struct source_event *event, bool counts)
{
	struct idle_state *mine = state;

	(void)counts;
	idle_note_thread(mine, event->thread, event->process);
	timelines_put_scope(&mine->lines, event->thread->index, event->event.time_ns,
			    row_from_now(mine, event));
}

static void idle_take_call(void *state, const struct source_event *event, bool counts)
{
	struct idle_state *mine = state;
	uint64_t to_ns = event->event.time_ns, duration_ns = idle_call_duration_ns(&event->event);
	uint32_t name;

	(void)counts;
	if (idle_call_is_nested(&event->event))
		return;
	name = event_name(mine->source, event, event->event.value[0]);
	idle_note_thread(mine, event->thread, event->process);
	timelines_put_call(
		&mine->lines, event->thread->index, to_ns > duration_ns ? to_ns - duration_ns : 0,
		to_ns,
		idle_row_of(mine,
			    idle_call_kind(event->event.id, source_name_at(mine->source, name)),
			    name));
}

/*
 * Looks during which nothing changed are reported together: the first of them was made when it was
 * due.
 */
static void idle_take_look(void *state, const struct stretch *stretch)
{
	struct idle_state *mine = state;
	uint64_t first_ns = stretch->from_ns + (stretch->to_ns - stretch->from_ns) / stretch->looks;
	uint32_t thread = stretch->thread->index;
	uint32_t row = mine->by_place ? idle_row_of(mine, IDLE_PLACE, stretch->place)
				      : idle_row_of(mine, IDLE_STATE, stretch->state);

	idle_note_thread(mine, stretch->thread, stretch->process);
	timelines_put_look(&mine->looks, thread, stretch->from_ns, first_ns, row);
	timelines_put_look(&mine->looks, thread, first_ns, stretch->to_ns, row);
}

static void idle_cut(void *state, const struct cut *cut)
{
	struct idle_state *mine = state;

	if (cut->thread && cut->reason != CUT_LIVE && cut->thread->index < mine->lines.room)
		timelines_put_scope(&mine->lines, cut->thread->index, cut->time_ns,
				    TIMELINE_NOT_KNOWN);
}

/* --- gaps --- */

#define OWNERS_MAX 4u /* helpers of helpers */

/* A part of a gap, passed to `take` with what is known of it. */
struct asking {
	const struct idle_state *mine;
	timeline_take *take;
	void *state;
	uint32_t thread;
	unsigned int owners; /* owners asked so far */
};

static void ask_looks(void *state, uint32_t key, uint64_t from_ns, uint64_t to_ns)
{
	const struct asking *asking = state;
	const struct idle_state *mine = asking->mine;
	const struct idle_row *row = key == TIMELINE_NOT_KNOWN ? NULL : &mine->idle.row[key];
	struct asking owner = *asking;

	if (row && row->kind == IDLE_OWNER && asking->owners < OWNERS_MAX) {
		owner.thread = (uint32_t)row->value;
		owner.owners++;
		timelines_each(&mine->lines, owner.thread, from_ns, to_ns, ask_looks, &owner);
	} else if (!row || row->kind == IDLE_OWNER) {
		timelines_each(&mine->looks, asking->thread, from_ns, to_ns, asking->take,
			       asking->state);
	} else {
		asking->take(asking->state, key, from_ns, to_ns);
	}
}

static void gap_ask(const struct idle_state *mine, uint32_t thread, uint64_t from_ns,
		    uint64_t to_ns, timeline_take *take, void *state)
{
	struct asking asking = { mine, take, state, thread, 0 };

	if (from_ns < to_ns)
		timelines_each(&mine->lines, thread, from_ns, to_ns, ask_looks, &asking);
}

static void idle_sum_add(struct idle_sum *sum, uint64_t count, uint64_t total_ns, uint64_t max_ns)
{
	sum->count += count;
	sum->total_ns += total_ns;
	if (max_ns > sum->max_ns)
		sum->max_ns = max_ns;
}

struct gap_counting {
	struct idle *idle;
	enum gpu_gap kind;
};

static void count_stretch(void *state, uint32_t key, uint64_t from_ns, uint64_t to_ns)
{
	const struct gap_counting *counting = state;
	uint64_t ns = to_ns - from_ns;

	idle_sum_add(&counting->idle->row[key].gap[counting->kind], 1, ns, ns);
}

/*
 * Counts the forgotten part of the gap, up to the value of mine->time->done_ns at that moment;
 * returns where the known part begins.
 */
static uint64_t gap_count_open(struct idle_state *mine, const struct gpu_gap_found *gap)
{
	const struct open_gap *open = open_gaps_find(&mine->open, gap->stream, gap->thread,
						     gap->from_ns);
	const struct open_gap_part *part = NULL;

	if (!open || open->to_ns > gap->to_ns)
		return gap->from_ns;
	while ((part = open_gap_next(&mine->open, open, part)))
		idle_sum_add(&mine->idle.row[part->key].gap[gap->kind], part->count, part->total_ns,
			     part->max_ns);
	return open->to_ns;
}

static void take_gap(void *state, const struct gpu_gap_found *gap)
{
	struct idle_state *mine = state;
	struct gap_counting counting = { &mine->idle, gap->kind };

	if (gap->has_call)
		gap_ask(mine, gap->thread, gap_count_open(mine, gap), gap->to_ns, count_stretch,
			&counting);
	else
		count_stretch(&counting, TIMELINE_NOT_KNOWN, gap->from_ns, gap->to_ns);
}

/* --- gaps that have not ended when memory must be freed --- */

struct gap_keeping {
	struct open_gaps *open;
	struct open_gap *gap;
};

static void keep_stretch(void *state, uint32_t key, uint64_t from_ns, uint64_t to_ns)
{
	const struct gap_keeping *keeping = state;

	open_gap_add(keeping->open, keeping->gap, key, to_ns - from_ns);
}

static void keep_open_gap(struct idle_state *mine, uint32_t stream, uint32_t thread)
{
	const struct gpu_stream_time *at = &mine->time->stream[stream];
	uint64_t upto_ns = mine->time->done_ns;
	struct gap_keeping keeping = { &mine->open,
				       open_gaps_put(&mine->open, stream, thread, at->last_ns) };

	gap_ask(mine, thread, keeping.gap->to_ns, upto_ns, keep_stretch, &keeping);
	keeping.gap->to_ns = upto_ns;
}

/* Adds what threads did, up to the work that has been counted, to the open gaps. */
static void fold(struct idle_state *mine)
{
	const struct gpu_time *time = mine->time;

	for (size_t i = 0; i < time->stream_count; i++) {
		const struct gpu_stream_time *stream = &time->stream[i];

		if (!stream->has_work || stream->last_ns >= time->done_ns)
			continue;
		for (size_t thread = 0; thread < mine->threads; thread++)
			if (mine->process[thread] == time->lane[stream->lane].process)
				keep_open_gap(mine, (uint32_t)i, (uint32_t)thread);
	}
	timelines_forget(&mine->lines, time->done_ns);
	timelines_forget(&mine->looks, time->done_ns);
}

/* --- the analysis --- */

/* By place only looks are used, of the thread or of its owner. */
static void want_owners(struct idle_state *mine, struct run *run)
{
	run_reads_scopes(run, EVT_SCOPE_KIND_operator, FIELDS_ALL, take_scope, take_scope, mine);
}

static void want_scopes(struct idle_state *mine, struct run *run, enum key_id by)
{
	if (by != BY_gpu_idle_range)
		mine->idle.op = run_key(run, BY_gpu_idle_op);
	if (by != BY_gpu_idle_op)
		mine->idle.range = run_key(run, BY_gpu_idle_range);
	run_reads_ranges(run, take_scope, take_scope, mine);
}

static void idle_start(void *state, struct run *run, const void *options)
{
	const struct idle_options *asked = options;
	struct idle_state *mine = state;

	mine->source = run_source(run);
	mine->pieces_max = asked->pieces_max ? asked->pieces_max : IDLE_PIECES_MAX;
	map_init(&mine->rows);
	open_gaps_init(&mine->open);
	mine->time = gpu_time_want(run, NULL);
	if (asked->by == BY_gpu_idle_kind)
		return;
	idle_row_of(mine, IDLE_NOT_KNOWN, 0);
	gpu_time_listen(mine->time, take_gap, mine);
	mine->by_place = asked->by == BY_gpu_idle_line || asked->by == BY_gpu_idle_function;
	mine->helpers = helpers_want(run, NULL);
	if (mine->by_place)
		want_owners(mine, run);
	else
		want_scopes(mine, run, asked->by);
	if (asked->by == BY_gpu_idle_activity)
		idle_calls_read(run, idle_take_call, mine);
	if (mine->by_place || asked->by == BY_gpu_idle_activity)
		stretches_want(run, &(struct stretches_options){ .take = idle_take_look,
								 .context = mine,
								 .is_each_look = true });
}

static void idle_settle(void *state, uint64_t upto_ns)
{
	struct idle_state *mine = state;

	if (upto_ns != UINT64_MAX && mine->lines.pieces + mine->looks.pieces > mine->pieces_max)
		fold(mine);
}

static void idle_release(void *state)
{
	struct idle_state *mine = state;

	map_release(&mine->rows);
	timelines_release(&mine->lines);
	timelines_release(&mine->looks);
	open_gaps_release(&mine->open);
	free(mine->process);
	free(mine->idle.row);
}

const struct analysis_kind analysis_idle = {
	.name = "idle GPU",
	.state_bytes = sizeof(struct idle_state),
	.options_bytes = sizeof(struct idle_options),
	.start = idle_start,
	.cut = idle_cut,
	.settle = idle_settle,
	.release = idle_release,
};
