/* SPDX-License-Identifier: MIT */
/*
 * Joins events with the definitions of places. Ids are unique within a file, so keys contain the
 * file.
 */
#include "report/samples/sample_events.h"

#include <math.h>
#include <stdlib.h>

#include "report/helpers/helpers.h"
#include "report/samples/open_looks.h"
#include "report/session/limitations.h"

#define NO_OPERATOR 0u
#define LOOK_NS 2000000u /* threads of one look are sampled within this time */

struct look {
	uint64_t time_ns, place;
	struct sample_counts counts;
};

struct sampled_thread {
	uint64_t carried_ns; /* CPU time that is not yet charged to a line */
	uint64_t
		/* the part of it up to the last look that may have had no CPU */
		doubt_ns;
	uint64_t last_ns;
	struct open_looks looks; /* looks that count */
	bool is_seen;
	uint64_t place; /* place of its last look */
	/* A counted look that is pending until its owner is looked at. */
	bool is_held;
	uint32_t held_from; /* index of the thread that it helps */
	struct look held;
};

struct sampled_process {
	struct evt_python_sampling now;
};

struct state {
	struct samples samples; /* first member: the public part */
	struct source *source;
	struct sampled_thread *thread;
	size_t thread_room;
	struct sampled_process *process;
	size_t process_room;
	struct run_key operator;
	const struct helpers *helpers;
	uint32_t held; /* pending looks */
};

uint64_t sample_place_key(const struct source_event *event, uint64_t id)
{
	return id && id <= UINT32_MAX ? ((uint64_t)event->file->index + 1) << 32 | id : 0;
}

/* Returns the index of a new entry; SAMPLE_NONE if it exists or its id is none. */
static size_t define(struct map *map, uint64_t key, size_t count)
{
	bool added;
	struct map_entry *entry;

	if (!key)
		return SAMPLE_NONE;
	entry = map_put(map, key, &added);
	if (!added)
		return SAMPLE_NONE;
	entry->value = count;
	return count;
}

static void take_code(void *state, const struct source_event *event, bool counts)
{
	struct state *mine = state;
	struct samples *samples = &mine->samples;
	const struct evt_python_code *code = EVENT_AS(python_code, &event->event);
	size_t at = define(&samples->codes, sample_place_key(event, code->id), samples->code_count);

	(void)counts;
	if (at == SAMPLE_NONE)
		return;
	samples->code = memory_room(samples->code, at, &samples->code_room, sizeof(*samples->code));
	samples->code[at] = (struct sample_code){
		.function = event_name(mine->source, event, code->function),
		.file = event_name(mine->source, event, code->file),
		.line = code->line <= UINT32_MAX ? (uint32_t)code->line : 0,
	};
	samples->code_count++;
}

/* The place around it and its code are defined already. */
static struct place_role sample_events_role_of(const struct state *mine,
					       const struct sample_place *place)
{
	const struct sample_place *around = place->from ? samples_place(&mine->samples, place->from)
							: NULL;
	const struct sample_code *code = samples_code(&mine->samples, place->code);
	struct place_text text = { .file = "", .function = "" };

	if (code) {
		text.file_name = code->file;
		text.function_name = code->function;
		text.file = name_text(source_name_at(mine->source, code->file), &text.file_length);
		text.function = name_text(source_name_at(mine->source, code->function),
					  &text.function_length);
	}
	return place_role_of(&text, around ? &around->role : NULL);
}

static void take_place(void *state, const struct source_event *event, bool counts)
{
	struct state *mine = state;
	struct samples *samples = &mine->samples;
	const struct evt_python_place *place = EVENT_AS(python_place, &event->event);
	size_t at = define(&samples->places, sample_place_key(event, place->id),
			   samples->place_count);

	(void)counts;
	if (at == SAMPLE_NONE)
		return;
	samples->place = memory_room(samples->place, at, &samples->place_room,
				     sizeof(*samples->place));
	samples->place[at] = (struct sample_place){
		.from = place->from < place->id ? sample_place_key(event, place->from) : 0,
		.code = sample_place_key(event, place->code),
		.line = place->line <= UINT32_MAX ? (uint32_t)place->line : 0,
	};
	samples->place[at].role = sample_events_role_of(mine, &samples->place[at]);
	samples->place_count++;
}

const struct sample_counts *samples_at_place(const struct samples *samples, uint64_t place)
{
	const struct map_entry *found = samples->is_by_place ? map_find(&samples->rows, place + 1)
							     : NULL;

	return found ? &samples->row[found->value].counts : NULL;
}

void sample_counts_add(struct sample_counts *into, const struct sample_counts *more)
{
	into->looks += more->looks;
	into->cpu_ns += more->cpu_ns;
	into->cpu_looks += more->cpu_looks;
	into->cpu_squares += more->cpu_squares;
	into->doubt_ns += more->doubt_ns;
	into->late_looks += more->late_looks;
	into->native_ns += more->native_ns;
	into->wait_ns += more->wait_ns;
	into->idle_ns += more->idle_ns;
	into->ready_ns += more->ready_ns;
	into->cuda_ns += more->cuda_ns;
	for (unsigned int i = 0; i < EVT_PYTHON_STATE_LIMIT; i++)
		into->state_ns[i] += more->state_ns[i];
}

void sample_counts_take(struct sample_counts *from, const struct sample_counts *part)
{
	from->looks -= part->looks;
	from->cpu_ns -= part->cpu_ns;
	from->cpu_looks -= part->cpu_looks;
	from->cpu_squares -= part->cpu_squares;
	from->doubt_ns -= part->doubt_ns;
	from->late_looks -= part->late_looks;
	from->native_ns -= part->native_ns;
	from->wait_ns -= part->wait_ns;
	from->idle_ns -= part->idle_ns;
	from->ready_ns -= part->ready_ns;
	from->cuda_ns -= part->cuda_ns;
	for (unsigned int i = 0; i < EVT_PYTHON_STATE_LIMIT; i++)
		from->state_ns[i] -= part->state_ns[i];
}

/* Adds what the row got since a mark to the steps, if another mark came. */
static void row_settle(struct samples *samples, struct sample_row *row)
{
	if (row->mark && row->mark != samples->marks) {
		sample_counts_add(&row->in_steps, &row->since);
		sample_counts_add(&samples->steps, &row->since);
	}
	if (row->mark != samples->marks)
		row->since = (struct sample_counts){ 0 };
	row->mark = samples->marks;
}

static void sample_events_row_add(struct samples *samples, struct sample_row *row,
				  const struct sample_counts *counts)
{
	row_settle(samples, row);
	sample_counts_add(&row->counts, counts);
	sample_counts_add(&row->since, counts);
	sample_counts_add(&samples->all, counts);
}

/* What was noted between marks of requests; steps have marks of their own. */
static void sample_events_forget_requests(struct samples *samples)
{
	for (size_t i = 0; i < samples->row_count; i++) {
		samples->row[i].in_steps = samples->row[i].since = (struct sample_counts){ 0 };
		samples->row[i].mark = 0;
	}
	samples->steps = (struct sample_counts){ 0 };
	samples->marks = samples->requests = samples->requests_ended = 0;
}

/* Workers have no steps: those of any process count for all. */
static void sample_events_take_step(void *state, const struct source_event *event, bool counts)
{
	struct samples *samples = state;

	(void)event;
	(void)counts;
	if (!samples->has_steps)
		sample_events_forget_requests(samples);
	samples->has_steps = true;
	samples->marks++;
}

/* A server serves from its first request to its last one; to the end if one stayed open. */
static void sample_events_take_request(void *state, const struct source_event *event, bool counts)
{
	struct samples *samples = state;

	(void)counts;
	if (samples->has_steps)
		return;
	samples->marks++;
	if (event->event.id == EVT_request_end)
		samples->requests_ended++;
	else if (event->is_repeated) /* under way since a segment that is not read */
		samples->requests_ended--;
	else
		samples->requests++;
}

/* It stands for requests of segments that are not read. */
static void sample_events_take_sum(void *state, const struct source_event *event, bool counts)
{
	const struct evt_request_sum *sum = EVENT_AS(request_sum, &event->event);
	struct samples *samples = state;

	(void)counts;
	if (samples->has_steps)
		return;
	samples->marks++;
	samples->requests += sum->count;
	samples->requests_ended += sum->count;
}

static struct sampled_thread *sample_events_thread_at(struct state *mine,
						      const struct source_event *event)
{
	uint32_t index = event->thread->index;

	if (index >= mine->thread_room)
		mine->thread = memory_room(mine->thread, index, &mine->thread_room,
					   sizeof(*mine->thread));
	return &mine->thread[index];
}

/* Returns whether the thread waits for something to do: for a request, a task, a connection. */
static bool is_rest(const struct state *mine, const struct source_event *event, unsigned int state)
{
	const struct evt_python_sample *sample = EVENT_AS(python_sample, &event->event);
	const struct sample_place *place = samples_place(&mine->samples,
							 sample_place_key(event, sample->place));

	return place && place->role.is_idle &&
	       (state == EVT_PYTHON_IO || state == EVT_PYTHON_LOCK || state == EVT_PYTHON_WAITS);
}

/* The key of rows by task. */
static uint64_t sample_task_of(const struct samples *samples, uint64_t key)
{
	const struct sample_place *place = samples_place(samples, key);

	return place ? place->role.task : PLACE_TASK_NONE;
}

/* Returns what the look adds. The thread's own state is updated whether the look counts or not. */
static struct sample_counts counts_of(struct state *mine, const struct source_event *event)
{
	const struct evt_python_sample *sample = EVENT_AS(python_sample, &event->event);
	struct sampled_thread *thread = sample_events_thread_at(mine, event);
	uint64_t time_ns = event->event.time_ns, passed_ns = time_ns - thread->last_ns;
	struct sample_counts counts = { .looks = sample->looks,
					.ready_ns = sample->ready_us * 1000 };
	unsigned int state = sample->state < EVT_PYTHON_STATE_LIMIT ? (unsigned int)sample->state
								    : EVT_PYTHON_WAITS;

	if (!thread->last_ns || time_ns < thread->last_ns || passed_ns > SAMPLE_WAIT_MAX_NS)
		passed_ns = 0;
	thread->last_ns = time_ns;
	thread->carried_ns += sample->cpu_us * 1000;
	if (sample->unclear && thread->carried_ns)
		thread->doubt_ns = thread->carried_ns; /* in older recordings */
	else if (sample->unclear)
		counts.late_looks = sample->looks;
	if (state == EVT_PYTHON_RUNS || state == EVT_PYTHON_TORN) {
		counts.cpu_ns = thread->carried_ns;
		counts.cpu_looks = counts.cpu_ns ? sample->looks : 0;
		counts.cpu_squares = (double)counts.cpu_ns * (double)counts.cpu_ns;
		counts.doubt_ns = thread->doubt_ns;
		thread->carried_ns = thread->doubt_ns = 0;
		if (sample->calls || key_of(&mine->operator, event) != NO_OPERATOR)
			counts.native_ns = counts.cpu_ns;
	} else if (state == EVT_PYTHON_STOPPED) {
		counts.state_ns[state] = passed_ns;
	} else if (state != EVT_PYTHON_READY) {
		if (is_rest(mine, event, state))
			counts.idle_ns = passed_ns;
		else
			counts.wait_ns = counts.state_ns[state] = passed_ns;
	}
	return counts;
}

static struct sample_row *sample_events_row_of(struct samples *samples, uint64_t key,
					       uint64_t place)
{
	bool added;
	struct map_entry *entry = map_put(&samples->rows, (samples->is_by_place ? place : key) + 1,
					  &added);

	if (added) {
		samples->row = memory_room(samples->row, samples->row_count, &samples->row_room,
					   sizeof(*samples->row));
		samples->row[samples->row_count] = (struct sample_row){ .key = key,
									.place = place };
		entry->value = samples->row_count++;
	}
	return &samples->row[entry->value];
}

static uint64_t sample_events_place_of(const struct source_event *event,
				       const struct evt_python_sample *sample)
{
	return sample->state == EVT_PYTHON_TORN ? SAMPLE_TORN_PLACE
						: sample_place_key(event, sample->place);
}

/* Adds the look to the row of its place, or of `key` if rows are by a key. */
static void look_add(struct state *mine, struct sampled_thread *thread, uint64_t key,
		     const struct look *look)
{
	const struct sample_counts *counts = &look->counts;
	struct sample_row *row = sample_events_row_of(&mine->samples, key,
						      mine->samples.is_by_place ? look->place : 0);

	sample_events_row_add(&mine->samples, row, counts);
	open_looks_add(&thread->looks, look->place, (uint64_t)(row - mine->samples.row),
		       &(struct open_look){ .time_ns = look->time_ns,
					    .all_ns = counts->cpu_ns + counts->wait_ns,
					    .python_ns = counts->cpu_ns - counts->native_ns });
}

static void sample_events_held_put(struct state *mine, struct sampled_thread *thread,
				   uint64_t place)
{
	thread->held.place = place;
	look_add(mine, thread, 0, &thread->held);
	thread->is_held = false;
}

/* Charges pending looks of helpers to their owner's line, or to no line if it was not looked at. */
static void release_held(struct state *mine, uint32_t owner, uint64_t place, uint64_t time_ns)
{
	for (size_t i = 0; mine->held && i < mine->thread_room; i++) {
		struct sampled_thread *thread = &mine->thread[i];
		bool is_fresh = thread->is_held && time_ns <= thread->held.time_ns + LOOK_NS;
		bool is_its = is_fresh && thread->held_from == owner;

		if (!thread->is_held || (is_fresh && !is_its))
			continue;
		sample_events_held_put(mine, thread, is_its ? place : 0);
		mine->held--;
	}
}

/* Returns true if the look is pending until its owner's place is known. */
static bool place_by_owner(struct state *mine, const struct source_event *event, struct look *look)
{
	uint32_t index = event->thread->index, owner = helpers_owner(mine->helpers, index);
	struct sampled_thread *thread;

	if (owner == NEST_NONE || owner == index || owner >= mine->thread_room)
		return false;
	if (mine->thread[owner].last_ns + LOOK_NS >= look->time_ns) {
		look->place = mine->thread[owner].place;
		return false;
	}
	thread = &mine->thread[index];
	thread->held = *look;
	thread->is_held = true;
	thread->held_from = owner;
	mine->held++;
	return true;
}

static void sample_events_take_sample(void *state, const struct source_event *event,
				      bool is_counted)
{
	struct state *mine = state;
	struct samples *samples = &mine->samples;
	const struct evt_python_sample *sample = EVENT_AS(python_sample, &event->event);
	struct look look = { .time_ns = event->event.time_ns,
			     .place = sample_events_place_of(event, sample) };

	release_held(mine, event->thread->index, look.place, look.time_ns);
	if (!sample->looks) {
		sample_events_thread_at(mine, event)->last_ns = event->event.time_ns;
		sample_events_thread_at(mine, event)->carried_ns = 0;
		return;
	}
	look.counts = counts_of(mine, event);
	sample_events_thread_at(mine, event)->place = look.place;
	if (!is_counted)
		return;
	samples->threads += !sample_events_thread_at(mine, event)->is_seen;
	sample_events_thread_at(mine, event)->is_seen = true;
	if (samples->is_by_place && !look.place && place_by_owner(mine, event, &look))
		return;
	look_add(mine, sample_events_thread_at(mine, event),
		 samples->is_by_place  ? 0
		 : samples->is_by_task ? sample_task_of(samples, look.place)
				       : key_of(&samples->key, event),
		 &look);
}

static void sample_events_take_call(struct state *mine, const struct source_event *event,
				    uint64_t duration_ns)
{
	struct samples *samples = &mine->samples;
	uint64_t end_ns = event->event.time_ns;
	struct sample_counts counts = { 0 };
	struct open_looks *looks;
	struct open_look look;

	if (event->thread->index >= mine->thread_room)
		return;
	looks = &sample_events_thread_at(mine, event)->looks;
	if (!looks->count)
		return;
	look = open_looks_take(looks, end_ns > duration_ns ? end_ns - duration_ns : 0);
	counts.cuda_ns = look.all_ns;
	counts.native_ns = look.python_ns;
	sample_events_row_add(samples, &samples->row[looks->row], &counts);
}

/* The events of CUDA calls begin with the same fields. */
static void sample_events_take_cuda(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	sample_events_take_call(state, event, EVENT_AS(cuda_call, &event->event)->duration_ns);
}

static void sample_events_take_hidden(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	sample_events_take_call(state, event, EVENT_AS(gpu_call, &event->event)->duration_ns);
}

_Static_assert(offsetof(struct evt_cuda_call, duration_ns) ==
			       offsetof(struct evt_cuda_launch, duration_ns) &&
		       offsetof(struct evt_cuda_call, duration_ns) ==
			       offsetof(struct evt_cuda_copy, duration_ns) &&
		       offsetof(struct evt_cuda_call, duration_ns) ==
			       offsetof(struct evt_cuda_alloc, duration_ns) &&
		       offsetof(struct evt_cuda_call, duration_ns) ==
			       offsetof(struct evt_cuda_free, duration_ns),
	       "calls are told with the same head");

static void read_calls(struct state *mine, struct run *run)
{
	run_reads(run, EVT_cuda_call, FIELD_BIT(cuda_call, duration_ns), sample_events_take_cuda,
		  mine);
	run_reads(run, EVT_cuda_launch, FIELD_BIT(cuda_launch, duration_ns),
		  sample_events_take_cuda, mine);
	run_reads(run, EVT_cuda_copy, FIELD_BIT(cuda_copy, duration_ns), sample_events_take_cuda,
		  mine);
	run_reads(run, EVT_cuda_alloc, FIELD_BIT(cuda_alloc, duration_ns), sample_events_take_cuda,
		  mine);
	run_reads(run, EVT_cuda_free, FIELD_BIT(cuda_free, duration_ns), sample_events_take_cuda,
		  mine);
	run_reads(run, EVT_cuda_unfinished, FIELD_BIT(cuda_unfinished, duration_ns),
		  sample_events_take_cuda, mine);
	run_reads(run, EVT_gpu_call, FIELD_BIT(gpu_call, duration_ns), sample_events_take_hidden,
		  mine);
}

static bool is_on(const struct evt_python_sampling *sampling)
{
	return sampling->hz && !sampling->off;
}

/* The counters include what the process reported before. */
static void sample_events_take_sampling(void *state, const struct source_event *event, bool counts)
{
	struct state *mine = state;
	struct samples *samples = &mine->samples;
	const struct evt_python_sampling *now = EVENT_AS(python_sampling, &event->event);
	const struct source_process *process = source_process_of(event->file, now->process);
	struct evt_python_sampling *told;

	(void)counts;
	if (!process)
		return;
	if (process->index >= mine->process_room)
		mine->process = memory_room(mine->process, process->index, &mine->process_room,
					    sizeof(*mine->process));
	told = &mine->process[process->index].now;
	samples->is_said |= limitation_concerns(process, 1ull << EVT_FAMILY_samples);
	samples->torn += now->torn - told->torn;
	samples->cut += now->cut - told->cut;
	samples->dropped += now->dropped - told->dropped;
	samples->partial += now->partial - told->partial;
	if (now->off && now->off < EVT_PYTHON_OFF_LIMIT && !told->off) {
		samples->off[now->off]++;
		samples->unsampled[now->off] += !is_on(told);
	}
	samples->on += (uint64_t)is_on(now) - is_on(told);
	if (is_on(now) && now->hz > samples->hz)
		samples->hz = now->hz;
	*told = *now;
}

static void sample_events_start(void *state, struct run *run, const void *options)
{
	const struct samples_options *asked = options;
	struct state *mine = state;

	mine->source = run_source(run);
	mine->helpers = helpers_want(run, NULL); /* before the analyses that use it */
	mine->samples.key = run_key(run, asked->by);
	mine->samples.is_by_task = ((const struct samples_options *)options)->by == BY_lines_task;
	mine->samples.is_by_place = !mine->samples.key.kind && !mine->samples.is_by_task;
	mine->operator= run_key(run, BY_lines_native);
	map_init(&mine->samples.rows);
	map_init(&mine->samples.places);
	map_init(&mine->samples.codes);
	run_reads(run, EVT_python_code, FIELDS_ALL, take_code, mine);
	run_reads(run, EVT_python_place, FIELDS_ALL, take_place, mine);
	run_reads(run, EVT_python_sample, FIELDS_ALL, sample_events_take_sample, mine);
	run_reads(run, EVT_python_sampling, FIELDS_ALL, sample_events_take_sampling, mine);
	run_reads(run, EVT_step, 0, sample_events_take_step, mine);
	run_reads(run, EVT_request_begin, 0, sample_events_take_request, mine);
	run_reads(run, EVT_request_sum, FIELD_BIT(request_sum, count), sample_events_take_sum,
		  mine);
	run_reads(run, EVT_request_end, 0, sample_events_take_request, mine);
	read_calls(mine, run);
	run_seeks(run, state);
}

static void sample_events_finish(void *state)
{
	struct samples *samples = state;

	release_held(state, NEST_NONE, 0, UINT64_MAX);
	samples->marks += samples->requests > samples->requests_ended;
	for (size_t i = 0; i < samples->row_count; i++)
		row_settle(samples, &samples->row[i]);
}

static void sample_events_release(void *state)
{
	struct state *mine = state;

	map_release(&mine->samples.rows);
	map_release(&mine->samples.places);
	map_release(&mine->samples.codes);
	free(mine->samples.row);
	free(mine->samples.place);
	free(mine->samples.code);
	free(mine->thread);
	free(mine->process);
}

const struct analysis_kind analysis_samples = {
	.name = "samples",
	.state_bytes = sizeof(struct state),
	.options_bytes = sizeof(struct samples_options),
	.start = sample_events_start,
	.finish = sample_events_finish,
	.release = sample_events_release,
};

const struct sample_place *samples_place(const struct samples *samples, uint64_t key)
{
	const struct map_entry *entry = map_find(&samples->places, key);

	return entry ? &samples->place[entry->value] : NULL;
}

const struct sample_code *samples_code(const struct samples *samples, uint64_t key)
{
	const struct map_entry *entry = map_find(&samples->codes, key);

	return entry ? &samples->code[entry->value] : NULL;
}

const char *samples_off_text(unsigned int off)
{
	return off && off < EVT_PYTHON_OFF_LIMIT ? limitation_sentence(LIMITATION_samples_version +
								       off - EVT_PYTHON_OFF_VERSION)
						 : NULL;
}

/*
 * For n looks of equal weight, 1.96 standard deviations of a share are at most 98 % / sqrt(n). For
 * unequal weights, n is (sum of weights)^2 / (sum of squares).
 */
double sample_counts_uncertain_percent(const struct sample_counts *counts)
{
	double off;

	if (!counts->cpu_ns)
		return 100;
	off = 98 * sqrt(counts->cpu_squares) / (double)counts->cpu_ns;
	return off < 100 ? off : 100;
}

double sample_counts_doubt_percent(const struct sample_counts *counts)
{
	double looks, late = (double)counts->late_looks, cpu_ns = (double)counts->cpu_ns;

	if (!counts->cpu_ns)
		return 0;
	looks = cpu_ns * cpu_ns / counts->cpu_squares; /* as many, if they had equal weight */
	return 100.0 * (double)counts->doubt_ns / cpu_ns + 100 * late / (late + looks);
}

bool samples_can_be_more(const struct samples *samples)
{
	return samples->hz < SAMPLES_HZ_MAX;
}

const char *samples_why_none(const struct samples *samples)
{
	for (unsigned int i = 0; i < EVT_PYTHON_OFF_LIMIT && !samples->all.looks && !samples->on;
	     i++)
		if (samples->off[i])
			return samples_off_text(i);
	return NULL;
}
