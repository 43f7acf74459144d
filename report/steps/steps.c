/* SPDX-License-Identifier: MIT */
/*
 * Begins and ends become edges. At the end of a step the edges are sorted, and the time between two
 * of them is charged to the first category that is active.
 */
#include "report/steps/steps.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/base/text.h"
#include "report/steps/step_row.h"

#define SCOPE_USER 7 /* at::RecordScope::USER_SCOPE */

const char *const step_category_names[STEP_CATEGORY_LIMIT] = {
#define CATEGORY(name) #name,
	STEP_CATEGORIES(CATEGORY)
#undef CATEGORY
};

/* A begin or end in one word, so that edges sort by time: time, category, begins. */
#define EDGE_TIME_SHIFT 5
#define EDGE_TIME_MAX (UINT64_MAX >> EDGE_TIME_SHIFT)
#define EDGE_CATEGORY(word) ((word) >> 1 & 15)
_Static_assert(STEP_CATEGORY_LIMIT <= 16 && STEP_PHASE_LIMIT <= 16, "four bits of an edge");

struct edges {
	uint64_t *word; /* sorted; the last one is EDGE_TIME_MAX */
	size_t count, room;
};

/* Readings of the clock of the thread that began the step. */
struct step_readings {
	struct step_reading {
		uint64_t time_ns, cpu_ns;
	} * reading;
	size_t count, room;
};

/* Work of the GPU, by when it was asked for. */
struct step_requests {
	struct step_request {
		uint64_t time_ns, ns;
		enum step_phase phase;
	} * request;
	size_t count, room;
};

struct step_process {
	bool seen; /* a step or an interruption was seen, so no step begins by itself */
	bool is_marked;
	bool under_way; /* a step is under way */
	bool has_step;
	uint64_t number, start_ns;
	uint64_t swept_ns; /* time up to here has been charged */
	uint64_t ns[STEP_CATEGORY_LIMIT];
	/*
	 * Threads in such a scope, at swept_ns. At STEP_other, which has no scopes: helpers of the
	 * owner.
	 */
	uint32_t active[STEP_CATEGORY_LIMIT];
	/* the part of ns in which at least one helper worked */
	uint64_t helped_ns[STEP_CATEGORY_LIMIT];
	uint32_t on_device
		/* running pieces of GPU work; an interruption does not end them */
		[STEP_CATEGORY_LIMIT];
	uint64_t gpu_ns, collections;
	struct edges scopes, calls, device;
	/* each edge says from when on the owner was in a phase: phase << 1 */
	struct edges phases;
	enum step_phase phase; /* at swept_ns */
	struct step_phase_times phase_times;
	uint32_t owner; /* the thread that began the step */
	uint32_t begun; /* steps that have begun, which no number tells: some have gaps */
	struct cpu_moment began;
	struct cpu_clock clock;                /* of the owner, at swept_ns */
	uint64_t read_ns[STEP_CATEGORY_LIMIT]; /* the value of ns at that time */
	struct step_readings readings;
	struct step_requests requests;
	struct step_cpu cpu;
	bool has_rest;
	struct step_row rest; /* counts if another step follows */
};

struct step_thread {
	uint32_t process;
	uint32_t depth[STEP_CATEGORY_LIMIT]; /* open scopes */
	/* in the step of its process that was the `begun`th */
	uint64_t spent_ns[STEP_SPENDING_LIMIT];
	uint32_t begun;
	struct cpu_clock clock;
};

static void steps_step_scope_ended(void *state, const struct nest_end *end);

void steps_init(struct steps *steps, bool wants_rows)
{
	*steps = (struct steps){ .wants_rows = wants_rows };
	nest_init(&steps->nest, (struct nest_options){ 0 }, steps_step_scope_ended, steps);
}

void steps_release(struct steps *steps)
{
	for (size_t i = 0; i < steps->process_room; i++) {
		free(steps->process[i].scopes.word);
		free(steps->process[i].calls.word);
		free(steps->process[i].device.word);
		free(steps->process[i].phases.word);
		free(steps->process[i].readings.reading);
		free(steps->process[i].requests.request);
	}
	nest_release(&steps->nest);
	free(steps->process);
	free(steps->thread);
	free(steps->row);
	timing_release(&steps->time);
}

/* --- names --- */

enum step_category step_category_of(const char *name, size_t length, uint64_t scope)
{
	static const char *const communication[] = {
		"nccl:",
		"gloo:",
		"mpi:",
		"ucc:",
		"xccl:",
		"c10d::",
		"c10d_functional::",
		"_c10d_functional::",
		"record_param_comms",
		NULL,
	};
	/* user scopes around compiled code of torch.compile, which are no operators */
	static const char *const compiled[] = { "Torch-Compiled Region", "## Call CompiledFxGraph",
						NULL };
	/* user scopes, for recordings without scope kinds */
	static const char *const user[] = { "ProfilerStep#", "Optimizer.", NULL };

	if (text_begins(name, length, "enumerate(DataLoader)#"))
		return STEP_dataloader;
	if (text_begins_any(name, length, communication))
		return STEP_communication;
	if (text_begins_any(name, length, compiled))
		return STEP_operators;
	return scope == SCOPE_USER || text_begins_any(name, length, user) ? STEP_NOTHING
									  : STEP_operators;
}

/* --- time --- */

static struct step_process *steps_process_at(struct steps *steps, uint32_t process)
{
	steps->process = memory_room(steps->process, process, &steps->process_room,
				     sizeof(*steps->process));
	return &steps->process[process];
}

static struct step_thread *steps_thread_at(struct steps *steps, uint32_t thread)
{
	steps->thread = memory_room(steps->thread, thread, &steps->thread_room,
				    sizeof(*steps->thread));
	return &steps->thread[thread];
}

/* Almost always at the end; a late edge is moved back to its place. */
static void edges_put(struct edges *edges, uint64_t time_ns, enum step_category category,
		      bool begins)
{
	uint64_t word = (time_ns < EDGE_TIME_MAX ? time_ns : EDGE_TIME_MAX) << EDGE_TIME_SHIFT |
			(uint64_t)category << 1 | begins;
	size_t at = edges->count;

	edges->word = memory_room(edges->word, edges->count, &edges->room, sizeof(*edges->word));
	while (at && edges->word[at - 1] >> EDGE_TIME_SHIFT > word >> EDGE_TIME_SHIFT) {
		edges->word[at] = edges->word[at - 1];
		at--;
	}
	edges->word[at] = word;
	edges->count++;
}

static void phase_charge(struct step_process *process, enum step_category category, uint64_t ns,
			 bool is_busy)
{
	enum step_phase phase = category == STEP_communication ? PHASE_communication
							       : process->phase;

	process->phase_times.ns[phase] += ns;
	process->phase_times.gpu_ns[phase] += is_busy ? ns : 0;
	process->phase_times.outside_ns[phase] += category == STEP_other ? ns : 0;
	process->phase_times.gc_ns[phase] += category == STEP_gc ? ns : 0;
}

void step_phase_times_add(struct step_phase_times *into, const struct step_phase_times *more)
{
	for (int i = 0; i < STEP_PHASE_LIMIT; i++) {
		into->ns[i] += more->ns[i];
		into->gpu_ns[i] += more->gpu_ns[i];
		into->asked_ns[i] += more->asked_ns[i];
		into->outside_ns[i] += more->outside_ns[i];
		into->gc_ns[i] += more->gc_ns[i];
		into->launches[i] += more->launches[i];
		into->waits_ns[i] += more->waits_ns[i];
	}
}

uint64_t step_phases_asked(const struct step_phase_times *times)
{
	uint64_t asked_ns = 0;

	for (int i = 0; i < STEP_PHASE_LIMIT; i++)
		asked_ns += times->asked_ns[i];
	return asked_ns;
}

/* Work that was asked for before the next edge is of the phase that lasts until then. */
static void process_ask_until(struct step_process *process, size_t *at, uint64_t time_ns)
{
	const struct step_requests *requests = &process->requests;

	for (; *at < requests->count && requests->request[*at].time_ns < time_ns; ++*at) {
		const struct step_request *request = &requests->request[*at];
		bool is_collective = request->phase == PHASE_communication;

		process->phase_times.asked_ns[is_collective ? PHASE_communication
							    : process->phase] += request->ns;
	}
}

/* Charges the time since the last charge to the first category that is active. */
static void process_charge(struct step_process *process, uint64_t time_ns)
{
	enum step_category category = STEP_kernel;
	bool is_busy = false;

	if (time_ns <= process->swept_ns)
		return;
	for (int i = 0; i <= STEP_communication; i++)
		is_busy |= process->on_device[i] > 0;
	while (category < STEP_other && !process->active[category] && !process->on_device[category])
		category++;
	process->ns[category] += time_ns - process->swept_ns;
	phase_charge(process, category, time_ns - process->swept_ns, is_busy);
	if (process->active[STEP_other])
		process->helped_ns[category] += time_ns - process->swept_ns;
	process->gpu_ns += is_busy ? time_ns - process->swept_ns : 0;
	process->swept_ns = time_ns;
}

/* --- CPU time --- */

static uint64_t take_unread(struct step_process *process, enum step_category category)
{
	uint64_t ns = process->ns[category] - process->read_ns[category];

	process->read_ns[category] = process->ns[category];
	return ns;
}

/*
 * The owner's clock was read: its increase belongs to all time that was charged since the last
 * reading.
 */
static void steps_process_read(struct step_process *process, const struct step_reading *reading)
{
	uint64_t operators_ns = take_unread(process, STEP_operators);
	uint64_t other_ns = take_unread(process, STEP_other);
	uint64_t wall_ns = reading->time_ns - process->clock.time_ns;
	uint64_t cpu_ns = reading->cpu_ns - process->clock.cpu_ns;

	if (process->clock.is_read && reading->cpu_ns >= process->clock.cpu_ns) {
		cpu_span_add_part(&process->cpu.operators, operators_ns, wall_ns, cpu_ns);
		cpu_span_add_part(&process->cpu.other, other_ns, wall_ns, cpu_ns);
	} else {
		cpu_span_add_unread(&process->cpu.operators, operators_ns);
		cpu_span_add_unread(&process->cpu.other, other_ns);
	}
	process->clock = (struct cpu_clock){ true, reading->time_ns, reading->cpu_ns };
}

/* Applies the readings before the next edge, each at its time. */
static void process_read_until(struct step_process *process, size_t *at, uint64_t time_ns)
{
	const struct step_readings *readings = &process->readings;

	for (; *at < readings->count && readings->reading[*at].time_ns <= time_ns; ++*at) {
		process_charge(process, readings->reading[*at].time_ns);
		steps_process_read(process, &readings->reading[*at]);
	}
}

void step_cpu_add(struct step_cpu *into, const struct step_cpu *more)
{
	cpu_span_add(&into->all, &more->all);
	cpu_span_add(&into->operators, &more->operators);
	cpu_span_add(&into->other, &more->other);
	into->helped_ns += more->helped_ns;
	into->helped_operators_ns += more->helped_operators_ns;
	into->helped_other_ns += more->helped_other_ns;
}

/*
 * A thread runs for some microseconds while its helper has already begun: that is not counted as
 * help.
 */
static void limit_help(uint64_t *helped_ns, const struct cpu_span *cpu, uint64_t all_ns)
{
	uint64_t running_ns;

	if (cpu_span_value(cpu, all_ns, &running_ns) && *helped_ns + running_ns > all_ns)
		*helped_ns = all_ns > running_ns ? all_ns - running_ns : 0;
}

/* The step is over. CPU time after the last reading is not known. */
static struct step_cpu steps_process_take_cpu(struct step_process *process, struct nest_place place,
					      struct cpu_moment now)
{
	struct step_cpu cpu = process->cpu;

	if (process->owner != place.thread)
		return (struct step_cpu){ .all = { 0 } };
	cpu_span_add_unread(&cpu.operators, take_unread(process, STEP_operators));
	cpu_span_add_unread(&cpu.other, take_unread(process, STEP_other));
	cpu_span_add_between(&cpu.all, process->began, now, place.time_ns - process->start_ns);
	for (int i = 0; i < STEP_CATEGORY_LIMIT; i++)
		cpu.helped_ns += process->helped_ns[i];
	cpu.helped_operators_ns = process->helped_ns[STEP_operators];
	cpu.helped_other_ns = process->helped_ns[STEP_other];
	limit_help(&cpu.helped_ns, &cpu.all, place.time_ns - process->start_ns);
	limit_help(&cpu.helped_operators_ns, &cpu.operators, process->ns[STEP_operators]);
	limit_help(&cpu.helped_other_ns, &cpu.other, process->ns[STEP_other]);
	return cpu;
}

/* One more or one less. An end without a begin: it was under way before. */
static void counter_move(uint32_t *counter, bool begins)
{
	if (begins)
		++*counter;
	else if (*counter)
		--*counter;
}

#define EDGE_LISTS 4u
enum { LIST_DEVICE, LIST_CALLS, LIST_SCOPES, LIST_PHASES };

/* Returns the time of the first edge that is left in any list; UINT64_MAX: there is none. */
static uint64_t edges_next(const struct edges *const edges[EDGE_LISTS], const size_t at[EDGE_LISTS],
			   unsigned int *ret_list)
{
	uint64_t next = UINT64_MAX;

	for (unsigned int i = 0; i < EDGE_LISTS; i++) {
		if (at[i] >= edges[i]->count || edges[i]->word[at[i]] >= next)
			continue;
		next = edges[i]->word[at[i]];
		*ret_list = i;
	}
	return next;
}

/* Applies all edges in order, and charges the time up to `until_ns`. */
static void process_sweep(struct step_process *process, uint64_t until_ns)
{
	const struct edges *const edges[EDGE_LISTS] = { &process->device, &process->calls,
							&process->scopes, &process->phases };
	size_t at[EDGE_LISTS] = { 0 }, reading = 0, request = 0;
	unsigned int list = 0;
	uint64_t word;

	while ((word = edges_next(edges, at, &list)) != UINT64_MAX) {
		enum step_category category = (enum step_category)EDGE_CATEGORY(word);

		at[list]++;
		process_read_until(process, &reading, word >> EDGE_TIME_SHIFT);
		process_ask_until(process, &request, word >> EDGE_TIME_SHIFT);
		process_charge(process, word >> EDGE_TIME_SHIFT);
		if (list == LIST_PHASES)
			process->phase = (enum step_phase)category;
		else
			counter_move(list ? &process->active[category]
					  : &process->on_device[category],
				     word & 1);
	}
	process_read_until(process, &reading, until_ns);
	process_ask_until(process, &request, UINT64_MAX);
	process->requests.count = 0;
	process->scopes.count = process->calls.count = process->readings.count = 0;
	process->device.count = process->phases.count = 0;
	process_charge(process, until_ns);
}

/* GPU work under way continues, although recording has stopped. */
static void process_leave_device(struct step_process *process)
{
	for (size_t i = 0; i < process->device.count; i++) {
		uint64_t word = process->device.word[i];

		counter_move(&process->on_device[EDGE_CATEGORY(word)], word & 1);
	}
	process->device.count = 0;
}

static void process_begin_step(struct step_process *process, uint64_t number,
			       struct nest_place place, const struct step_thread *owner)
{
	process->under_way = true;
	process->begun++;
	process->number = number;
	process->start_ns = place.time_ns;
	process->swept_ns = place.time_ns;
	memset(process->ns, 0, sizeof(process->ns));
	memset(process->helped_ns, 0, sizeof(process->helped_ns));
	process->phase_times = (struct step_phase_times){ .ns = { 0 } };
	process->phase = PHASE_other;
	process->gpu_ns = process->collections = 0;
	process->owner = place.thread;
	process->clock = owner->clock;
	process->began = cpu_clock_at(&owner->clock, place.time_ns);
	process->readings.count = 0;
	memset(process->read_ns, 0, sizeof(process->read_ns));
	process->cpu = (struct step_cpu){ .all = { 0 } };
}

static void process_put(struct steps *steps, struct nest_place place, enum step_category category,
			bool begins)
{
	struct step_process *process = steps_process_at(steps, place.process);

	if (!process->seen && !process->under_way)
		process_begin_step(process, 0, place, steps_thread_at(steps, place.thread));
	if (process->scopes.count >= STEP_EDGES_MAX)
		process_sweep(process, place.time_ns);
	edges_put(&process->scopes, place.time_ns, category, begins);
}

/* --- operations --- */

void steps_clock(struct steps *steps, struct nest_place place, uint64_t cpu_ns)
{
	struct step_process *process = steps_process_at(steps, place.process);
	struct step_readings *readings = &process->readings;

	steps_thread_at(steps, place.thread)->clock = (struct cpu_clock){ true, place.time_ns,
									  cpu_ns };
	if (!process->under_way || process->owner != place.thread)
		return;
	if (readings->count >= STEP_EDGES_MAX)
		process_sweep(process, place.time_ns);
	readings->reading = memory_room(readings->reading, readings->count, &readings->room,
					sizeof(*readings->reading));
	readings->reading[readings->count++] = (struct step_reading){ place.time_ns, cpu_ns };
}

void steps_open(struct steps *steps, struct nest_place place, enum step_category category)
{
	struct step_thread *thread = steps_thread_at(steps, place.thread);

	thread->process = place.process;
	(void)nest_begin(&steps->nest, place, category, false);
	if (category != STEP_NOTHING && thread->depth[category]++ == 0)
		process_put(steps, place, category, true);
}

static void steps_step_scope_ended(void *state, const struct nest_end *end)
{
	struct steps *steps = state;
	struct step_thread *thread = &steps->thread[end->thread];
	enum step_category category = (enum step_category)end->key;
	struct nest_place place = { .time_ns = end->time_ns,
				    .thread = end->thread,
				    .process = thread->process };

	if (end->how != NEST_RUNS_ON && category != STEP_NOTHING && --thread->depth[category] == 0)
		process_put(steps, place, category, false);
}

void steps_close(struct steps *steps, struct nest_place place)
{
	(void)nest_end(&steps->nest, place);
}

void steps_close_one(struct steps *steps, struct nest_place place, enum step_category category)
{
	(void)nest_end_key(&steps->nest, place, category);
}

void steps_cut(struct steps *steps, struct nest_place place, enum nest_ending how)
{
	nest_cut(&steps->nest, place, how);
}

void steps_span(struct steps *steps, struct nest_place place, enum step_category category,
		uint64_t duration_ns)
{
	struct step_process *process = steps_process_at(steps, place.process);
	uint64_t start_ns = place.time_ns > duration_ns ? place.time_ns - duration_ns : 0;

	if (!process->seen && !process->under_way)
		return;
	process->collections += category == STEP_gc;
	if (process->calls.count >= STEP_EDGES_MAX)
		process_sweep(process, place.time_ns);
	edges_put(&process->calls, start_ns, category, true);
	edges_put(&process->calls, place.time_ns, category, false);
}

void steps_phase(struct steps *steps, struct nest_place place, enum step_phase phase,
		 uint64_t duration_ns)
{
	struct step_process *process = steps_process_at(steps, place.process);
	uint64_t start_ns = place.time_ns > duration_ns ? place.time_ns - duration_ns : 0;

	if (!process->under_way || process->owner != place.thread ||
	    place.time_ns <= process->start_ns)
		return;
	if (start_ns < process->start_ns)
		start_ns = process->start_ns;
	edges_put(&process->phases, start_ns, (enum step_category)phase, false);
	edges_put(&process->phases, place.time_ns, (enum step_category)PHASE_other, false);
}

void steps_launches(struct steps *steps, struct nest_place place, enum step_phase phase,
		    uint64_t count)
{
	struct step_process *process = steps_process_at(steps, place.process);

	if (process->under_way && place.time_ns > process->start_ns)
		process->phase_times
			.launches[process->owner == place.thread ? phase : PHASE_other] += count;
}

void steps_waits(struct steps *steps, struct nest_place place, enum step_phase phase,
		 uint64_t waits_ns)
{
	struct step_process *process = steps_process_at(steps, place.process);

	if (process->under_way && process->owner == place.thread &&
	    place.time_ns > process->start_ns)
		process->phase_times.waits_ns[phase] += waits_ns;
}

void steps_asked(struct steps *steps, uint32_t of_process, uint64_t time_ns, enum step_phase phase,
		 uint64_t duration_ns)
{
	struct step_process *process = steps_process_at(steps, of_process);
	struct step_requests *requests = &process->requests;

	if (!process->under_way || time_ns < process->start_ns)
		return;
	if (requests->count >= STEP_EDGES_MAX)
		process_sweep(process, time_ns);
	requests->request = memory_room(requests->request, requests->count, &requests->room,
					sizeof(*requests->request));
	requests->request[requests->count++] = (struct step_request){ time_ns, duration_ns, phase };
}

void steps_helped(struct steps *steps, struct nest_place owner, uint64_t duration_ns)
{
	struct step_process *process = steps_process_at(steps, owner.process);

	if (process->under_way && process->owner == owner.thread)
		steps_span(steps, owner, STEP_other, duration_ns);
}

void steps_device(struct steps *steps, uint32_t of_process, uint64_t time_ns,
		  enum step_category category, bool begins)
{
	struct step_process *process = steps_process_at(steps, of_process);

	steps->has_gpu = true;
	if (!process->under_way) {
		counter_move(&process->on_device[category], begins);
		return;
	}
	if (process->device.count >= STEP_EDGES_MAX)
		process_sweep(process, time_ns);
	edges_put(&process->device, time_ns, category, begins);
}

/*
 * If a row says how long the thread ran, the total uses that value: otherwise bounds would be
 * rounded twice.
 */
static void span_settle(struct cpu_span *span, uint64_t all_ns)
{
	uint64_t running_ns;

	if (cpu_span_value(span, all_ns, &running_ns))
		span->low_ns = span->high_ns = running_ns;
}

static void steps_add_cpu(struct steps *steps, const struct step_row *row)
{
	struct step_cpu cpu = row->cpu;

	span_settle(&cpu.all, row->total_ns);
	span_settle(&cpu.operators, row->ns[STEP_operators]);
	span_settle(&cpu.other, row->ns[STEP_other]);
	step_cpu_add(&steps->cpu, &cpu);
}

static void steps_add_parts(struct steps *steps, const struct step_row *row)
{
	steps->detailed++;
	steps->detailed_ns += row->total_ns;
	for (int i = 0; i < STEP_CATEGORY_LIMIT; i++)
		steps->ns[i] += row->ns[i];
	steps->gpu_ns += row->gpu_ns;
	step_phase_times_add(&steps->phases, &row->phases);
}

bool steps_know(const struct steps *steps, enum step_category category, bool has_detail)
{
	if (steps->has_sums && category > STEP_communication && category != STEP_dataloader)
		return false;
	if (steps->has_gpu_windows && !has_detail)
		return false;
	if (steps->has_sums && category == STEP_dataloader)
		return has_detail && steps->has_gpu;
	return has_detail || (category != STEP_operators && category != STEP_other);
}

bool steps_know_phase(const struct steps *steps, enum step_phase phase)
{
	if (!steps->has_sample)
		return true;
	if (phase == PHASE_evaluation)
		return false;
	if (phase == PHASE_forward || phase == PHASE_backward)
		return !steps->lacks_passes && !steps->is_unsure;
	return !steps->is_unsure || (phase != PHASE_optimizer && phase != PHASE_other);
}

const char *steps_phase_name(const struct steps *steps, enum step_phase phase)
{
	return steps->has_sample && phase == PHASE_other ? "the rest" : step_phase_names[phase];
}

static void steps_add_row(struct steps *steps, const struct step_row *row,
			  struct step_process *process)
{
	if (!steps->time.count)
		steps->name = row->name;
	steps->is_mixed |= steps->name != row->name;
	steps->processes += !process->has_step;
	process->has_step = true;
	timing_add(&steps->time, row->total_ns);
	steps_add_cpu(steps, row);
	steps->collections += row->collections;
	if (row->has_detail)
		steps_add_parts(steps, row);
	if (row->has_operators)
		step_host_add(&steps->host, row);
	if (!steps->wants_rows)
		return;
	steps->row = memory_room(steps->row, steps->row_count, &steps->row_room,
				 sizeof(*steps->row));
	steps->row[steps->row_count++] = *row;
}

static void steps_add_rest(struct steps *steps, struct step_process *process)
{
	if (process->has_rest)
		steps_add_row(steps, &process->rest, process);
	process->has_rest = false;
}

static uint64_t *steps_spent_in(const struct step_process *process, struct step_thread *thread)
{
	if (thread->begun != process->begun)
		memset(thread->spent_ns, 0, sizeof(thread->spent_ns));
	thread->begun = process->begun;
	return thread->spent_ns;
}

void steps_spend(struct steps *steps, struct nest_place place, enum step_spending spending,
		 uint64_t duration_ns)
{
	const struct step_process *process = steps_process_at(steps, place.process);
	uint64_t since_ns = place.time_ns - process->start_ns;

	if (process->under_way && place.time_ns > process->start_ns)
		steps_spent_in(
			process,
			steps_thread_at(steps, place.thread))[spending] += duration_ns < since_ns
										   ? duration_ns
										   : since_ns;
}

void steps_mark(struct steps *steps, struct nest_place place, const struct step_mark *mark)
{
	struct step_process *process = steps_process_at(steps, place.process);
	struct step_thread *thread = steps_thread_at(steps, place.thread);
	struct step_row row = { .number = process->number,
				.start_ns = process->start_ns,
				.has_operators = true,
				.process = place.process,
				.name = mark->name };

	memcpy(row.spent_ns, steps_spent_in(process, thread), sizeof(row.spent_ns));
	process_sweep(process, place.time_ns);
	steps_add_rest(steps, process);
	steps->has_gpu_windows |= mark->lacks_gpu;
	if (process->under_way && mark->number == process->number + 1 && mark->counts) {
		row.total_ns = place.time_ns > row.start_ns ? place.time_ns - row.start_ns : 0;
		memcpy(row.ns, process->ns, sizeof(row.ns));
		row.gpu_ns = process->gpu_ns;
		row.collections = process->collections;
		row.phases = process->phase_times;
		row.cpu = steps_process_take_cpu(process, place,
						 cpu_clock_at(&thread->clock, place.time_ns));
		process->has_rest = mark->may_be_rest && !mark->lacks_operators &&
				    !mark->lacks_gpu && step_row_is_idle(&row);
		steps->has_collectives |= row.ns[STEP_communication] != 0;
		step_row_forget(&row, mark, steps->has_collectives);
		if (steps->has_sums)
			step_row_forget_host(&row);
		if (process->has_rest)
			process->rest = row;
		else
			steps_add_row(steps, &row, process);
	}
	steps->in_part += process->under_way && mark->number > process->number + 1 && mark->counts;
	process->seen = process->is_marked = true;
	process_begin_step(process, mark->number, place, thread);
}

uint64_t steps_next_number(struct steps *steps, uint32_t process)
{
	const struct step_process *at = steps_process_at(steps, process);

	return at->is_marked ? at->number + 1 : 0;
}

void steps_interrupt(struct steps *steps, struct nest_place place)
{
	struct step_process *process = steps_process_at(steps, place.process);

	process_leave_device(process);
	process->scopes.count = process->calls.count = process->readings.count = 0;
	process->phases.count = process->requests.count = 0;
	memset(process->active, 0, sizeof(process->active));
	process->swept_ns = place.time_ns;
	process->under_way = false;
	process->seen = true;
}
