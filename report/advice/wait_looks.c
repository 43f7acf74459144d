/* SPDX-License-Identifier: MIT */
/*
 * A rest of a thread is reported at its end, so what others did during a look is known only later.
 * Looks are pending for SETTLE_NS, and those of a step until it has ended as a whole. Recent looks
 * of each thread are kept until no pending look needs them.
 */
#include "report/advice/wait_looks.h"

#include <stdlib.h>
#include <string.h>

#include "report/advice/evidence_events.h"
#include "report/helpers/helpers.h"
#include "report/advice/process_starter.h"
#include "report/advice/step_lines.h"
#include "report/advice/wait_causes.h"
#include "report/base/memory.h"

#define SETTLE_NS 1000000000u /* a rest is reported within half of that */
#define TURN_NS 100000000u    /* between two attempts to settle */
#define NO_STEP UINT64_MAX
#define THREADS_PAIRED_MAX 64u /* with more threads, pairs would cost too much */

struct stretch_seen {
	uint64_t from_ns, to_ns, place, looks;
	enum evt_python_state state;
};

/* The looks of one thread, from `first` on. */
struct recent {
	struct stretch_seen *seen;
	size_t first, count, room;
	uint64_t last_ns;
	uint64_t same_place, same_ns; /* looks in a row at one place, where it computed */
};

struct pending {
	struct wait_look look;
	uint64_t from_ns, to_ns, looks, step;
	size_t first_pair, pair_count; /* indices of state.met */
	bool is_paired;
};

struct state {
	struct wait_looks looks; /* first: it is what others see */
	const struct evidence *evidence;
	const struct helpers *helpers;
	struct map rows, pairs, commands;
	struct run *run;
	struct source *source;
	struct recent *recent; /* by thread */
	size_t recent_room;
	struct pending *pending;
	size_t pending_count, pending_room;
	struct wait_pair *met; /* pairs of pending looks */
	size_t met_count, met_room;
	uint64_t turned_ns;
	struct own own;      /* for wait_place_look(), before all has been read */
	size_t own_places;   /* how many there were when it was made */
	uint64_t *paired_ns; /* by process: the end of the last look of another thread with pairs */
	size_t paired_room;
};

/* --- rows and pairs --- */

static void wait_looks_row_count(struct wait_row *row, uint64_t ns, uint64_t looks, uint64_t mark)
{
	if (row->since != mark)
		row->since_ns = row->since_looks = row->since_samples = 0;
	row->since = mark;
	row->since_ns += ns;
	row->since_looks += looks;
	row->since_samples += looks != 0;
	row->ns += ns;
	row->looks += looks;
	row->samples += looks != 0;
}

static size_t wait_looks_row_add(struct state *mine, const struct wait_look *look, uint64_t ns,
				 uint64_t looks)
{
	const uint64_t words[] = { look->of,    (uint64_t)look->thread << 32 | look->call,
				   look->state, look->place,
				   look->owner, look->owner_place,
				   look->serves };
	struct wait_looks *all = &mine->looks;
	struct map_entry *entry;
	bool added;

	entry = map_put(&mine->rows, map_hash_bytes(words, sizeof(words), 0), &added);
	if (added) {
		all->row = memory_room(all->row, all->row_count, &all->row_room, sizeof(*all->row));
		all->row[all->row_count] = (struct wait_row){ .look = *look };
		entry->value = all->row_count++;
	}
	wait_looks_row_count(&all->row[entry->value], ns, looks,
			     all->serving.begun + all->serving.ended);
	return (size_t)entry->value;
}

static void pair_add(struct state *mine, size_t row, const struct wait_pair *met)
{
	const uint64_t words[] = { row, met->thread, met->state, met->place };
	uint64_t hash = map_hash_bytes(words, sizeof(words), 1);
	struct wait_looks *all = &mine->looks;
	struct map_entry *entry = map_find(&mine->pairs, hash);
	bool added;

	if (!entry && all->pair_count >= WAIT_PAIRS_MAX) {
		all->pairs_beyond += met->looks;
		return;
	}
	entry = map_put(&mine->pairs, hash, &added);
	if (added) {
		all->pair = memory_room(all->pair, all->pair_count, &all->pair_room,
					sizeof(*all->pair));
		all->pair[all->pair_count] = *met;
		all->pair[all->pair_count].row = row;
		entry->value = all->pair_count++;
		return;
	}
	all->pair[entry->value].ns += met->ns;
	all->pair[entry->value].looks += met->looks;
}

/* --- what others did --- */

static bool is_beside(const struct wait_looks *looks, const struct wait_look *look, uint32_t thread)
{
	const struct source_process *of = looks->process[look->process], *other;

	if (thread == look->thread || !looks->thread[thread])
		return false;
	other = looks->thread[thread]->process;
	return other == of || process_is_started_by(other, of);
}

static void wait_looks_meet(struct state *mine, const struct pending *pending, uint32_t thread)
{
	const struct recent *recent = &mine->recent[thread];

	for (size_t i = recent->first; i < recent->count; i++) {
		const struct stretch_seen *seen = &recent->seen[i];
		uint64_t from_ns = seen->from_ns > pending->from_ns ? seen->from_ns
								    : pending->from_ns;
		uint64_t to_ns = seen->to_ns < pending->to_ns ? seen->to_ns : pending->to_ns;

		if (from_ns >= to_ns)
			continue;
		mine->met = memory_room(mine->met, mine->met_count, &mine->met_room,
					sizeof(*mine->met));
		mine->met[mine->met_count++] = (struct wait_pair){
			.thread = thread,
			.process = mine->looks.thread[thread]->process->index,
			.state = seen->state,
			.place = seen->place,
			.ns = to_ns - from_ns,
			.looks = seen->to_ns > pending->from_ns && seen->to_ns <= pending->to_ns
					 ? seen->looks
					 : 0,
		};
	}
}

static void pending_pair(struct state *mine, struct pending *pending)
{
	pending->is_paired = true;
	pending->first_pair = mine->met_count;
	if (!wait_is_one(pending->look.state))
		return;
	for (size_t i = 0; i < mine->recent_room && i < mine->looks.thread_room; i++)
		if (mine->recent[i].first < mine->recent[i].count &&
		    is_beside(&mine->looks, &pending->look, (uint32_t)i))
			wait_looks_meet(mine, pending, (uint32_t)i);
	pending->pair_count = mine->met_count - pending->first_pair;
}

/* --- settling --- */

static bool is_over(const struct state *mine, const struct pending *pending)
{
	const struct evidence_process *at;

	if (pending->step == NO_STEP)
		return true;
	at = &mine->evidence->process[pending->look.process];
	return !at->under_way || at->number != pending->step;
}

static void wait_looks_pending_count(struct state *mine, const struct pending *pending)
{
	size_t row;

	if (pending->step != NO_STEP &&
	    !evidence_sample_of(mine->evidence, pending->look.process, pending->step))
		return;
	/* for the whole run it was counted when it was seen */
	row = wait_looks_row_add(mine, &pending->look,
				 pending->step == NO_STEP ? 0 : pending->to_ns - pending->from_ns,
				 pending->step == NO_STEP ? 0 : pending->looks);
	if (pending->step == NO_STEP)
		mine->looks.row[row].paired_ns += pending->to_ns - pending->from_ns;
	for (size_t i = 0; i < pending->pair_count; i++)
		pair_add(mine, row, &mine->met[pending->first_pair + i]);
}

/* Drops looks that are no longer needed. */
static void recent_forget(struct recent *recent, uint64_t before_ns)
{
	while (recent->first < recent->count && recent->seen[recent->first].to_ns < before_ns)
		recent->first++;
	if (recent->first < 64 || recent->first * 2 < recent->count)
		return;
	memmove(recent->seen, recent->seen + recent->first,
		(recent->count - recent->first) * sizeof(*recent->seen));
	recent->count -= recent->first;
	recent->first = 0;
}

/* Settles what can be settled; the pairs of the rest are moved together. */
static void wait_looks_settle(struct state *mine, uint64_t now_ns, bool is_end)
{
	uint64_t needed_ns = now_ns > 2 * (uint64_t)SETTLE_NS ? now_ns - 2 * (uint64_t)SETTLE_NS
							      : 0;
	size_t kept = 0, kept_pairs = 0;

	for (size_t i = 0; i < mine->pending_count; i++) {
		struct pending *pending = &mine->pending[i];

		if (!pending->is_paired && (is_end || pending->to_ns + SETTLE_NS < now_ns))
			pending_pair(mine, pending);
	}
	for (size_t i = 0; i < mine->pending_count; i++) {
		struct pending pending = mine->pending[i];

		if (pending.is_paired && (is_end || is_over(mine, &pending))) {
			wait_looks_pending_count(mine, &pending);
			continue;
		}
		if (!pending.is_paired && pending.from_ns < needed_ns)
			needed_ns = pending.from_ns;
		if (pending.pair_count)
			memmove(mine->met + kept_pairs, mine->met + pending.first_pair,
				pending.pair_count * sizeof(*mine->met));
		pending.first_pair = kept_pairs;
		kept_pairs += pending.pair_count;
		mine->pending[kept++] = pending;
	}
	mine->pending_count = kept;
	mine->met_count = kept_pairs;
	for (size_t i = 0; i < mine->recent_room; i++)
		recent_forget(&mine->recent[i], needed_ns);
	mine->turned_ns = now_ns;
}

/* --- events --- */

static enum wait_of of_step_lines(enum step_lines_of of)
{
	if (of == STEP_LINES_OUTSIDE)
		return WAIT_OF_STEPS;
	return of == STEP_LINES_DATALOADER ? WAIT_OF_LOADER : WAIT_OF_OPERATORS;
}

static void pending_add(struct state *mine, const struct pending *pending)
{
	mine->pending = memory_room(mine->pending, mine->pending_count, &mine->pending_room,
				    sizeof(*mine->pending));
	mine->pending[mine->pending_count++] = *pending;
}

/* Notes for how long the thread was seen at one place in a row, running or ready to run. */
static void wait_looks_row_extend(struct state *mine, struct recent *recent, size_t row,
				  const struct stretch_seen *seen)
{
	struct wait_row *at = &mine->looks.row[row];
	bool computes = seen->state == EVT_PYTHON_RUNS || seen->state == EVT_PYTHON_READY;

	if (!computes || recent->same_place != seen->place)
		recent->same_ns = 0;
	recent->same_place = computes ? seen->place : 0;
	if (!computes)
		return;
	recent->same_ns += seen->to_ns - seen->from_ns;
	if (recent->same_ns > at->longest_ns)
		at->longest_ns = recent->same_ns;
}

/*
 * Whose code a file is depends on where stacks begin, in recordings without folders: it is found
 * out again when there are twice as many places.
 */
static struct own *wait_looks_own(struct state *mine)
{
	size_t places = mine->looks.samples->place_count;

	if (places < 2 * mine->own_places)
		return &mine->own;
	own_release(&mine->own);
	own_places_init(&mine->own, mine->looks.samples, mine->source, run_options(mine->run));
	mine->own_places = places;
	return &mine->own;
}

/*
 * Returns whether a thread of a process that serves waits for a result, and no other thread's look
 * at that time has pairs.
 */
static bool wait_looks_is_for_result(struct state *mine, const struct wait_look *look,
				     const struct stretch_seen *seen)
{
	struct wait_place place;

	if (!look->serves || look->state != EVT_PYTHON_LOCK ||
	    mine->looks.process[look->process]->thread_count > THREADS_PAIRED_MAX)
		return false;
	mine->paired_ns = memory_room(mine->paired_ns, look->process, &mine->paired_room,
				      sizeof(*mine->paired_ns));
	if (seen->from_ns < mine->paired_ns[look->process])
		return false;
	wait_place_look(mine->looks.samples, wait_looks_own(mine), look->place, &place);
	if (place.kind != WAIT_FUTURE)
		return false;
	mine->paired_ns[look->process] = seen->to_ns;
	return true;
}

static void wait_looks_take_look(struct state *mine, const struct source_event *event,
				 const struct stretch_seen *seen, struct wait_look look)
{
	const struct evidence_process *at = look.process < mine->evidence->process_room
						    ? &mine->evidence->process[look.process]
						    : NULL;
	struct pending pending = { .from_ns = seen->from_ns,
				   .to_ns = seen->to_ns,
				   .looks = seen->looks,
				   .step = NO_STEP };

	wait_looks_row_extend(
		mine, &mine->recent[look.thread],
		wait_looks_row_add(mine, &look, seen->to_ns - seen->from_ns, seen->looks), seen);
	if (at && at->under_way && at->from.time_ns && at->thread == look.thread) {
		look.of = of_step_lines(step_lines_open_on(mine->evidence, mine->helpers,
							   look.thread, event->event.time_ns));
		pending.step = at->number;
	} else if (!wait_is_one(look.state) || (event->thread->tid != event->process->pid &&
						!wait_looks_is_for_result(mine, &look, seen))) {
		return;
	}
	pending.look = look;
	pending_add(mine, &pending);
}

static void note_thread(struct wait_looks *looks, const struct source_event *event)
{
	uint32_t thread = event->thread->index, process = event->process->index;

	looks->thread = memory_room(looks->thread, thread, &looks->thread_room,
				    sizeof(const struct source_thread *));
	looks->thread[thread] = event->thread;
	looks->process = memory_room(looks->process, process, &looks->process_room,
				     sizeof(const struct source_process *));
	looks->process[process] = event->process;
}

static struct recent *recent_of(struct state *mine, const struct source_event *event)
{
	uint32_t thread = event->thread->index;

	note_thread(&mine->looks, event);
	mine->recent = memory_room(mine->recent, thread, &mine->recent_room, sizeof(*mine->recent));
	return &mine->recent[thread];
}

static uint32_t call_of(const struct evt_python_sample *sample)
{
	return sample->call <= UINT32_MAX ? (uint32_t)sample->call : 0;
}

/*
 * Whoever has received a request serves: a busy server may not be seen waiting for one. A repeated
 * one is under way since a segment that is not read.
 */
static void take_request(void *state, const struct source_event *event, bool counts)
{
	struct state *mine = state;

	(void)counts;
	mine->looks.has_clients = true;
	if (event->is_repeated)
		serving_time_resume(&mine->looks.serving);
	else
		serving_time_begin(&mine->looks.serving, event->process->index,
				   event->event.time_ns);
}

/* It stands for requests of segments that are not read. */
static void wait_looks_take_sum(void *state, const struct source_event *event, bool counts)
{
	struct state *mine = state;
	const struct evt_request_sum *sum = EVENT_AS(request_sum, &event->event);
	const struct source_process *process = source_process_of(event->file, sum->process);

	(void)counts;
	if (!process)
		return;
	mine->looks.has_clients = true;
	serving_time_add(&mine->looks.serving, process->index, sum->count,
			 event->event.time_ns - (uint64_t)sum->first_ago_ns, event->event.time_ns);
}

static void wait_looks_take_request_end(void *state, const struct source_event *event, bool counts)
{
	struct state *mine = state;

	(void)counts;
	serving_time_end(&mine->looks.serving, event->event.time_ns);
}

/* Returns whether it waits for connections of clients. */
static bool wait_looks_accepts(struct state *mine, const struct wait_look *look)
{
	struct wait_place place;

	if (!wait_is_accept(look->call))
		return false;
	wait_place_look(mine->looks.samples, wait_looks_own(mine), look->place, &place);
	return !place.is_helper;
}

/*
 * Returns whether a thread that was never seen doing so waits for requests or tasks, in accept() or
 * at an event loop's or a server's own wait.
 */
static bool wait_looks_waits_to_serve(struct state *mine, const struct wait_look *look)
{
	struct wait_place place;

	if (!wait_is_one(look->state) || look->state == EVT_PYTHON_SLEEP)
		return false;
	if (wait_looks_accepts(mine, look))
		return true;
	wait_place_look(mine->looks.samples, wait_looks_own(mine), look->place, &place);
	if (place.is_in_callback || !(place.is_in_loop || place.is_server) ||
	    !wait_is_idle(place.kind, look->call))
		return false;
	mine->looks.has_clients |= place.is_server;
	return true;
}

/* A look at which a process is first seen to wait for requests is of the time before. */
static enum serving_stage wait_looks_stage(struct state *mine, const struct wait_look *look,
					   uint64_t time_ns)
{
	struct wait_looks *looks = &mine->looks;
	enum serving_stage stage = serving_time_stage(&looks->serving, look->process);

	looks->has_clients |= wait_looks_accepts(mine, look);
	if (stage == SERVING_NOT && wait_looks_waits_to_serve(mine, look))
		serving_time_wait(&looks->serving, look->process, time_ns);
	return stage;
}

static struct wait_look wait_looks_of_sample(const struct source_event *event,
					     const struct evt_python_sample *sample,
					     const struct stretch_seen *seen)
{
	bool waits_for_gil = seen->state == EVT_PYTHON_GIL;
	uint64_t owner = waits_for_gil ? sample->holder : sample->owner;

	return (struct wait_look){
		.of = WAIT_OF_THREAD,
		.thread = event->thread->index,
		.process = event->process->index,
		.state = seen->state,
		.place = seen->place,
		.call = call_of(sample),
		.owner = owner <= UINT32_MAX ? (uint32_t)owner : 0,
		.owner_place = sample_place_key(event, waits_for_gil ? sample->holder_place
								     : sample->owner_place),
	};
}

static void wait_looks_take_sample(void *state, const struct source_event *event, bool counts)
{
	struct state *mine = state;
	const struct evt_python_sample *sample = EVENT_AS(python_sample, &event->event);
	struct recent *recent = recent_of(mine, event);
	struct stretch_seen seen = { .from_ns = recent->last_ns,
				     .to_ns = event->event.time_ns,
				     .place = sample_place_key(event, sample->place),
				     .looks = sample->looks,
				     .state = sample->state < EVT_PYTHON_STATE_LIMIT
						      ? (enum evt_python_state)sample->state
						      : EVT_PYTHON_WAITS };

	struct wait_look look;

	recent->last_ns = seen.to_ns;
	if (!seen.looks || !seen.from_ns || seen.from_ns >= seen.to_ns ||
	    seen.to_ns - seen.from_ns > SAMPLE_WAIT_MAX_NS)
		return;
	recent->seen = memory_room(recent->seen, recent->count, &recent->room,
				   sizeof(*recent->seen));
	recent->seen[recent->count++] = seen;
	look = wait_looks_of_sample(event, sample, &seen);
	/* what others say does not count, as segments before the selected time are not read */
	look.serves = counts ? wait_looks_stage(mine, &look, seen.from_ns) : SERVING_NOT;
	if (counts)
		wait_looks_take_look(mine, event, &seen, look);
	if (seen.to_ns > mine->turned_ns + TURN_NS)
		wait_looks_settle(mine, seen.to_ns, false);
}

static void take_command(void *state, const struct source_event *event, bool counts)
{
	struct state *mine = state;
	struct wait_looks *looks = &mine->looks;
	const struct evt_child_command *command = EVENT_AS(child_command, &event->event);
	uint32_t name = event_name(mine->source, event, command->program);
	struct map_entry *entry;
	bool added;

	if (!counts)
		return;
	entry = map_put(&mine->commands, ((uint64_t)event->process->index << 32 | name) + 1,
			&added);
	if (added) {
		looks->command = memory_room(looks->command, looks->command_count,
					     &looks->command_room, sizeof(*looks->command));
		looks->command[looks->command_count] = (struct wait_command){
			.process = event->process->index,
			.name = name,
			.by_shell = command->by_shell != 0
		};
		entry->value = looks->command_count++;
	}
	looks->command[entry->value].count++;
}

static void wait_looks_start(void *state, struct run *run, const void *options)
{
	struct state *mine = state;

	(void)options;
	map_init(&mine->rows);
	map_init(&mine->pairs);
	map_init(&mine->commands);
	mine->run = run;
	mine->source = run_source(run);
	run_reads(run, EVT_child_command, FIELDS_ALL, take_command, mine);
	run_reads(run, EVT_request_begin, 0, take_request, mine);
	run_reads(run, EVT_request_end, 0, wait_looks_take_request_end, mine);
	run_reads(run, EVT_request_sum, FIELDS_ALL, wait_looks_take_sum, mine);
	mine->helpers = helpers_want(run, NULL); /* before the analyses that use it */
	mine->evidence = evidence_want(run, NULL);
	mine->looks.samples = samples_want(run, &(struct samples_options){ .by = BY_lines_line });
	own_init(&mine->own, mine->source, run_options(run));
	run_reads(run, EVT_python_sample, FIELDS_ALL, wait_looks_take_sample, mine);
	run_seeks(run, mine);
}

/* Puts what came after the last request into a row of its own. */
static void row_split(struct state *mine, size_t at)
{
	struct wait_row *row = &mine->looks.row[at];
	struct wait_look look = row->look;
	uint64_t ns = row->since_ns, looks = row->since_looks, samples = row->since_samples;
	size_t rest;

	row->ns -= ns;
	row->looks -= looks;
	row->samples -= samples;
	look.serves = SERVING_NOT;
	rest = wait_looks_row_add(mine, &look, ns, looks);
	mine->looks.row[rest].samples += samples - (looks != 0);
}

/* From here on a row is of the time of serving, or of none. */
static void wait_looks_decide(struct state *mine)
{
	struct wait_looks *looks = &mine->looks;
	const struct serving_time *time = &looks->serving;
	size_t count = looks->row_count;

	for (size_t i = 0; i < count; i++) {
		struct wait_row *row = &looks->row[i];

		if (!serving_time_has(time, row->look.process, row->look.serves))
			row->look.serves = SERVING_NOT;
		else if (serving_time_ends(time) && row->since == time->begun + time->ended)
			row_split(mine, i);
	}
}

static void wait_looks_finish(void *state)
{
	wait_looks_settle(state, UINT64_MAX, true);
	wait_looks_decide(state);
}

static void wait_looks_release(void *state)
{
	struct state *mine = state;

	for (size_t i = 0; i < mine->recent_room; i++)
		free(mine->recent[i].seen);
	map_release(&mine->rows);
	map_release(&mine->pairs);
	map_release(&mine->commands);
	free(mine->looks.command);
	free(mine->recent);
	free(mine->pending);
	free(mine->met);
	free(mine->looks.row);
	free(mine->looks.pair);
	free(mine->looks.thread);
	free(mine->looks.process);
	serving_time_release(&mine->looks.serving);
	free(mine->paired_ns);
	own_release(&mine->own);
}

const struct analysis_kind analysis_wait_looks = {
	.name = "waits",
	.state_bytes = sizeof(struct state),
	.options_bytes = sizeof(struct wait_looks_options),
	.start = wait_looks_start,
	.finish = wait_looks_finish,
	.release = wait_looks_release,
};
