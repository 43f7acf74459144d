/* SPDX-License-Identifier: MIT */
/*
 * Which thread ends a step is known at its end. So what all threads of the process do is kept until
 * then, as a list of open and closed scopes; the tree is made when everything is read.
 */
#include "report/step_diff/step_track.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/cpu_clock.h"
#include "report/base/memory.h"
#include "report/base/sorted.h"
#include "report/helpers/helpers.h"
#include "report/samples/sample_events.h"
#include "report/scopes/scope_events.h"

struct track_scope {
	uint64_t start_ns, end_ns; /* end_ns 0: it is open */
	uint32_t name, thread;
	uint32_t owner; /* the thread that it works for */
};

struct track_side {
	struct track_scope *scope;
	size_t count, room;
	uint32_t thread; /* that ended the step, + 1; 0: not known */
};

struct track_state {
	struct step_tracks tracks; /* must be first: others see only this part */
	const struct two_steps *two;
	struct source *source;
	const struct helpers *helpers;
	struct nest nest;
	struct track_side side[STEP_SIDES];
	/* parallel to the nest's scopes: index in a side << 1 | side; STEP_PART_NONE: in neither */
	uint32_t *at;
	size_t at_room;
	uint64_t *looked_ns; /* by thread: its last sample */
	size_t looked_room;
};

/* The side whose step has that time; STEP_SIDES: neither. */
static enum two_steps_side track_side_of(const struct track_state *mine,
					 const struct source_event *event)
{
	uint64_t time_ns = event->event.time_ns;

	for (unsigned int i = 0; i < STEP_SIDES; i++)
		if (time_ns >= mine->two->step[i].from_ns && time_ns < mine->two->step[i].to_ns)
			return two_steps_have(mine->two, event->process) ? (enum two_steps_side)i
									 : STEP_SIDES;
	return STEP_SIDES;
}

/* --- operators --- */

static uint32_t track_put(struct track_state *mine, enum two_steps_side side,
			  const struct source_event *event, uint32_t name)
{
	struct track_side *into = &mine->side[side];
	uint32_t owner = helpers_owner(mine->helpers, event->thread->index);

	if (into->count == STEP_TRACK_MAX) {
		mine->tracks.of[side].left_out++;
		return STEP_PART_NONE;
	}
	into->scope = memory_room(into->scope, into->count, &into->room, sizeof(*into->scope));
	into->scope[into->count] = (struct track_scope){
		.start_ns = event->event.time_ns,
		.name = name,
		.thread = event->thread->index,
		.owner = owner == NEST_NONE ? event->thread->index : owner,
	};
	return (uint32_t)(into->count++ << 1 | side);
}

static void track_take_begin(void *state, const struct source_event *event, bool counts)
{
	struct track_state *mine = state;
	uint32_t name = event_name(mine->source, event,
				   EVENT_AS(torch_begin_ex, &event->event)->name);
	enum two_steps_side side = track_side_of(mine, event);
	uint32_t scope = nest_begin(&mine->nest, event_place(event), name, false);

	(void)counts;
	mine->at = memory_room(mine->at, scope, &mine->at_room, sizeof(*mine->at));
	mine->at[scope] = side == STEP_SIDES ? STEP_PART_NONE : track_put(mine, side, event, name);
}

static void track_ended(void *state, const struct nest_end *end)
{
	struct track_state *mine = state;
	uint32_t at = mine->at[end->scope];

	if (at != STEP_PART_NONE)
		mine->side[at & 1].scope[at >> 1].end_ns = end->time_ns;
}

static void track_take_end(void *state, const struct source_event *event, bool counts)
{
	struct track_state *mine = state;

	(void)counts;
	nest_end_of_event(&mine->nest, mine->source, event);
}

/* --- the thread --- */

/* Marks at the begin and at the end of a step are of the thread that runs the loop. */
static void track_take_mark(void *state, const struct source_event *event, bool counts)
{
	struct track_state *mine = state;

	(void)counts;
	for (unsigned int i = 0; i < STEP_SIDES; i++)
		if (two_steps_have(mine->two, event->process) &&
		    (event->event.time_ns == mine->two->step[i].to_ns ||
		     (event->event.time_ns == mine->two->step[i].from_ns && !mine->side[i].thread)))
			mine->side[i].thread = event->thread->index + 1;
}

static bool track_is_near(const struct compared_step *step, uint64_t time_ns)
{
	uint64_t margin_ns = step->to_ns - step->from_ns;

	return time_ns + margin_ns >= step->from_ns && time_ns <= step->to_ns + margin_ns;
}

static void track_take_clock(void *state, const struct source_event *event, bool counts)
{
	struct track_state *mine = state;
	struct step_reading reading = { event->event.time_ns,
					EVENT_AS(thread_clock, &event->event)->cpu_ns,
					event->thread->index };

	(void)counts;
	if (!two_steps_have(mine->two, event->process))
		return;
	for (unsigned int i = 0; i < STEP_SIDES; i++) {
		struct step_track *track = &mine->tracks.of[i];

		if (!track_is_near(&mine->two->step[i], reading.time_ns))
			continue;
		track->reading = memory_room(track->reading, track->reading_count,
					     &track->reading_room, sizeof(*track->reading));
		track->reading[track->reading_count++] = reading;
	}
}

static void track_take_sample(void *state, const struct source_event *event, bool counts)
{
	const struct evt_python_sample *sample = EVENT_AS(python_sample, &event->event);
	struct track_state *mine = state;
	struct step_look look = { .to_ns = event->event.time_ns,
				  .place = sample_place_key(event, sample->place),
				  .thread = event->thread->index };

	(void)counts;
	if (!two_steps_have(mine->two, event->process))
		return;
	mine->looked_ns = memory_room(mine->looked_ns, look.thread, &mine->looked_room,
				      sizeof(*mine->looked_ns));
	look.from_ns = mine->looked_ns[look.thread];
	mine->looked_ns[look.thread] = look.to_ns;
	if (!sample->looks || !look.from_ns || look.to_ns - look.from_ns > SAMPLE_WAIT_MAX_NS)
		return;
	for (unsigned int i = 0; i < STEP_SIDES; i++) {
		struct step_track *track = &mine->tracks.of[i];

		if (look.to_ns <= mine->two->step[i].from_ns ||
		    look.from_ns >= mine->two->step[i].to_ns)
			continue;
		track->look = memory_room(track->look, track->look_count, &track->look_room,
					  sizeof(*track->look));
		track->look[track->look_count++] = look;
	}
}

/* --- the tree --- */

struct tree_making {
	struct step_track *track;
	uint32_t *open; /* numbers of parts */
	size_t depth;
	uint64_t covered_ns; /* the end of the last outermost part */
	uint32_t last;       /* its name */
};

static void tree_put_gap(struct tree_making *making, uint64_t upto_ns)
{
	struct step_track *track = making->track;

	track->part[track->count] = (struct step_part){ .start_ns = making->covered_ns,
							.end_ns = upto_ns,
							.name = making->last,
							.is_gap = true,
							.next = (uint32_t)track->count + 1,
							.self_ns = upto_ns - making->covered_ns };
	track->count++;
}

/* Closes the parts that have ended by then. */
static void tree_close(struct tree_making *making, uint64_t time_ns)
{
	struct step_track *track = making->track;

	while (making->depth) {
		struct step_part *part = &track->part[making->open[making->depth - 1]];

		if (part->end_ns > time_ns)
			return;
		part->next = (uint32_t)track->count;
		if (!--making->depth) {
			making->covered_ns = part->end_ns;
			making->last = part->name;
		} else {
			struct step_part *around = &track->part[making->open[making->depth - 1]];

			around->self_ns -= part->end_ns - part->start_ns;
		}
	}
}

/*
 * A scope that ends after the one in which it began, as those of two threads do, begins where that
 * one ends: no time counts twice.
 */
static uint64_t tree_begin_of(const struct tree_making *making, const struct track_scope *scope)
{
	uint64_t begin_ns = scope->start_ns > making->covered_ns ? scope->start_ns
								 : making->covered_ns;

	for (size_t i = 0; i < making->depth; i++) {
		uint64_t end_ns = making->track->part[making->open[i]].end_ns;

		if (end_ns > begin_ns && end_ns < scope->end_ns)
			begin_ns = end_ns;
	}
	return begin_ns;
}

static void tree_put(struct tree_making *making, const struct track_scope *scope)
{
	struct step_track *track = making->track;
	uint64_t begin_ns = tree_begin_of(making, scope);

	if (begin_ns >= scope->end_ns)
		return;
	tree_close(making, begin_ns);
	if (making->depth == STEP_TRACK_DEPTH)
		return;
	if (!making->depth)
		tree_put_gap(making, begin_ns);
	track->part[track->count] = (struct step_part){ .start_ns = begin_ns,
							.end_ns = scope->end_ns,
							.name = scope->name,
							.depth = (uint32_t)making->depth,
							.self_ns = scope->end_ns - begin_ns };
	making->open[making->depth++] = (uint32_t)track->count++;
}

static void track_make_tree(struct step_track *track, struct track_side *side,
			    const struct compared_step *step)
{
	struct tree_making making = { .track = track,
				      .open = memory_zero(side->count + 1, sizeof(*making.open)),
				      .covered_ns = step->from_ns,
				      .last = STEP_PART_NONE };

	track->part = memory_zero(2 * side->count + 2, sizeof(*track->part));
	for (size_t i = 0; i < side->count; i++) {
		struct track_scope *scope = &side->scope[i];

		if (scope->owner + 1 != side->thread)
			continue;
		if (!scope->end_ns || scope->end_ns > step->to_ns)
			scope->end_ns = step->to_ns;
		tree_put(&making, scope);
	}
	tree_close(&making, step->to_ns);
	tree_put_gap(&making, step->to_ns);
	free(making.open);
}

/* Leaves the looks and readings of the loop's thread. */
static void track_keep_thread(struct step_track *track, uint32_t thread)
{
	size_t looks = 0, readings = 0;

	for (size_t i = 0; i < track->look_count; i++)
		if (track->look[i].thread + 1 == thread)
			track->look[looks++] = track->look[i];
	for (size_t i = 0; i < track->reading_count; i++)
		if (track->reading[i].thread + 1 == thread)
			track->reading[readings++] = track->reading[i];
	track->look_count = looks;
	track->reading_count = readings;
}

/* --- waiting --- */

/* CPU time at a moment, between the bounds that the readings before and after it allow. */
static struct cpu_moment step_moment(const struct step_track *track, uint64_t time_ns)
{
	size_t at = sorted_count_up_to(track->reading, track->reading_count,
				       sizeof(*track->reading), time_ns);
	const struct step_reading *before = at ? &track->reading[at - 1] : NULL,
				  *after = at < track->reading_count ? &track->reading[at] : NULL;
	struct cpu_clock clock = { .is_read = before,
				   .time_ns = before ? before->time_ns : 0,
				   .cpu_ns = before ? before->cpu_ns : 0 };
	struct cpu_moment moment = cpu_clock_at(&clock, time_ns);
	uint64_t passed_ns = after ? after->time_ns - time_ns : 0;

	if (!after || !moment.is_known)
		return moment;
	if (after->cpu_ns < moment.high_ns)
		moment.high_ns = after->cpu_ns;
	if (after->cpu_ns > passed_ns && after->cpu_ns - passed_ns > moment.low_ns)
		moment.low_ns = after->cpu_ns - passed_ns;
	if (moment.low_ns > moment.high_ns)
		moment.low_ns = moment.high_ns;
	return moment;
}

bool step_track_waited(const struct step_track *track, uint64_t from_ns, uint64_t to_ns,
		       uint64_t *ret_ns)
{
	struct cpu_span span = { 0 };
	uint64_t all_ns = to_ns - from_ns, cpu_ns;

	cpu_span_add_between(&span, step_moment(track, from_ns), step_moment(track, to_ns), all_ns);
	if (!all_ns || !cpu_span_value(&span, all_ns, &cpu_ns))
		return false;
	*ret_ns = all_ns > cpu_ns ? all_ns - cpu_ns : 0;
	return true;
}

/* --- the analysis --- */

static void track_start(void *state, struct run *run, const void *options)
{
	const struct step_tracks_options *asked = options;
	struct track_state *mine = state;

	mine->two = asked->two;
	mine->source = run_source(run);
	mine->helpers = helpers_want(run, NULL);
	nest_init(&mine->nest, (struct nest_options){ 0 }, track_ended, mine);
	run_reads_scopes(run, EVT_SCOPE_KIND_operator, FIELDS_ALL, track_take_begin, track_take_end,
			 mine);
	run_reads(run, EVT_step, FIELDS_ALL, track_take_mark, mine);
	run_reads(run, EVT_thread_clock, FIELDS_ALL, track_take_clock, mine);
	run_reads(run, EVT_python_sample, FIELDS_ALL, track_take_sample, mine);
}

static void track_cut(void *state, const struct cut *cut)
{
	if (cut->thread)
		nest_cut(&((struct track_state *)state)->nest, cut_place(cut), cut_ending(cut));
}

static void track_finish(void *state)
{
	struct track_state *mine = state;

	for (unsigned int i = 0; i < STEP_SIDES && mine->two->are_known; i++) {
		track_make_tree(&mine->tracks.of[i], &mine->side[i], &mine->two->step[i]);
		track_keep_thread(&mine->tracks.of[i], mine->side[i].thread);
	}
}

static void track_release(void *state)
{
	struct track_state *mine = state;

	nest_release(&mine->nest);
	for (unsigned int i = 0; i < STEP_SIDES; i++) {
		free(mine->side[i].scope);
		free(mine->tracks.of[i].part);
		free(mine->tracks.of[i].look);
		free(mine->tracks.of[i].reading);
	}
	free(mine->at);
	free(mine->looked_ns);
}

const struct analysis_kind analysis_step_tracks = {
	.name = "parts of two steps",
	.state_bytes = sizeof(struct track_state),
	.options_bytes = sizeof(struct step_tracks_options),
	.start = track_start,
	.cut = track_cut,
	.finish = track_finish,
	.release = track_release,
};
