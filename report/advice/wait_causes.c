/* SPDX-License-Identifier: MIT */
/*
 * Rows of samples become causes by what their place says (wait_places.h). Pairs are added to the
 * cause of the waiting row.
 */
#include "report/advice/wait_causes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/format/calls.h"
#include "report/advice/bottleneck.h"
#include "report/base/memory.h"

#define NO_CAUSE UINT32_MAX

struct looking {
	struct wait_causes *causes;
	const struct wait_looks *looks;
	const struct source_process *process; /* its main thread counts without steps */
	const struct serving *serving;
	struct own own;
	uint32_t *cause_of; /* by row */
};

/* --- which cause --- */

/*
 * Returns whether causes of the kind are told apart by the kernel's state. Other kinds are one
 * cause, whatever it is.
 */
static bool is_by_state(enum wait_kind kind)
{
	return kind == WAIT_IN_C || kind == WAIT_LIBRARY;
}

/* Returns whether the thread was mostly within a call of CUDA while it waited there. */
static bool wait_is_of_gpu(const struct samples *samples, const struct wait_look *look)
{
	const struct sample_counts *counts = samples_at_place(samples, look->place);

	return counts && counts->cuda_ns > counts->wait_ns / 2 && counts->wait_ns;
}

/*
 * Waits in C at the user's line and in other libraries are classified by the kernel's state of the
 * thread.
 */
static enum wait_kind wait_causes_kind_of(const struct samples *samples,
					  const struct wait_look *look,
					  const struct wait_place *place)
{
	if (is_by_state(place->kind) && wait_is_of_gpu(samples, look))
		return WAIT_GPU;
	if (look->state == EVT_PYTHON_CHILD)
		return WAIT_CHILD;
	if (place->kind == WAIT_IN_C && look->state == EVT_PYTHON_LOCK)
		return WAIT_LOCK;
	return place->kind;
}

static bool is_by_call(const struct wait_look *look, enum wait_kind kind)
{
	return look->state == EVT_PYTHON_IO && (kind == WAIT_IN_C || kind == WAIT_LIBRARY);
}

static uint32_t cause_at(struct wait_causes *causes, const struct wait_look *look,
			 enum wait_kind kind)
{
	uint32_t call = is_by_call(look, kind) ? look->call : 0;
	struct wait_cause *cause;

	for (size_t i = 0; i < causes->count; i++)
		if (causes->cause[i].kind == kind && causes->cause[i].call == call &&
		    (!is_by_state(kind) || causes->cause[i].state == look->state))
			return (uint32_t)i;
	if (causes->count == WAIT_CAUSES_MAX)
		return NO_CAUSE;
	cause = &causes->cause[causes->count];
	*cause = (struct wait_cause){ .kind = kind, .state = look->state, .call = call };
	line_sums_init(&cause->lines);
	line_sums_init(&cause->owners);
	line_sums_init(&cause->others);
	line_sums_init(&cause->locked);
	return (uint32_t)causes->count++;
}

/* --- rows --- */

static bool is_in_scope(const struct looking *looking, const struct wait_row *row)
{
	const struct source_thread *thread = looking->looks->thread[row->look.thread];

	if (looking->causes->is_of_steps)
		return row->look.of != WAIT_OF_THREAD;
	return row->look.of == WAIT_OF_THREAD && thread->process == looking->process &&
	       thread->tid == thread->process->pid && !serving_leaves_out(looking->serving, row);
}

static void add_owner(struct looking *looking, struct wait_cause *cause, const struct wait_row *row)
{
	struct wait_place place;

	if (!row->look.owner)
		return;
	cause->owner = row->look.owner;
	wait_place_look(looking->looks->samples, &looking->own, row->look.owner_place, &place);
	if (!place.has_line)
		return;
	place.line.ns = row->ns;
	place.line.looks = row->looks;
	line_sums_add(&cause->owners, &place.line);
}

void wait_works_put(struct wait_works *works, const struct known_work *work, uint64_t ns,
		    uint64_t looks)
{
	size_t at = 0;

	while (at < works->count && strcmp(works->work[at].work->id, work->id) != 0)
		at++;
	if (at == WAIT_WORKS_MAX)
		return;
	if (at == works->count)
		works->work[works->count++] = (struct wait_work){ .work = work };
	works->work[at].ns += ns;
	works->work[at].looks += looks;
}

static void works_add(struct wait_works *works, const struct wait_row *row,
		      const struct wait_place *place)
{
	/* whoever waits for bytes of another process does not turn them into objects yet */
	bool is_idle = place->work && wait_is_one(row->look.state) &&
		       !strcmp(place->work->id, "PICKLE");

	if (place->work && !is_idle && place->has_line && place->line.is_users)
		wait_works_put(works, place->work, row->ns, row->looks);
}

const struct wait_work *wait_works_most(const struct wait_works *works)
{
	const struct wait_work *most = NULL;

	for (size_t i = 0; i < works->count; i++)
		if (!most || works->work[i].ns > most->ns)
			most = &works->work[i];
	return most;
}

/* Files of modules are read then; imports have advice of their own. */
static bool is_in_import(struct looking *looking, const struct wait_look *look)
{
	const struct samples *samples = looking->looks->samples;

	return look->of == WAIT_OF_THREAD &&
	       own_place_is_import(samples, &looking->own, samples_place(samples, look->place),
				   own_place_of(samples, &looking->own, look->place));
}

static void add_row(struct looking *looking, size_t number)
{
	const struct wait_row *row = &looking->looks->row[number];
	struct wait_causes *causes = looking->causes;
	struct wait_cause *cause;
	struct wait_place place;
	uint32_t at;

	looking->cause_of[number] = NO_CAUSE;
	if (!is_in_scope(looking, row))
		return;
	causes->all_ns += row->ns;
	causes->all_looks += row->looks;
	if (row->look.state == EVT_PYTHON_READY)
		causes->ready_ns += row->ns;
	if (row->look.of == WAIT_OF_STEPS)
		causes->outside_ns += row->ns;
	if (row->look.of == WAIT_OF_STEPS && row->look.state == EVT_PYTHON_READY)
		causes->outside_ready_ns += row->ns;
	if (row->look.of == WAIT_OF_OPERATORS || is_in_import(looking, &row->look))
		return;
	wait_place_look(looking->looks->samples, &looking->own, row->look.place, &place);
	if (row->look.of == WAIT_OF_LOADER) {
		causes->loader_ns += row->ns;
		works_add(&causes->loader, row, &place);
		return;
	}
	works_add(&causes->works, row, &place);
	if (!wait_is_one(row->look.state))
		return;
	at = cause_at(causes, &row->look,
		      wait_causes_kind_of(looking->looks->samples, &row->look, &place));
	if (at == NO_CAUSE)
		return;
	looking->cause_of[number] = at;
	cause = &causes->cause[at];
	cause->ns += row->ns;
	cause->looks += row->looks;
	add_owner(looking, cause, row);
	if (!place.has_line || !place.line.is_users)
		return;
	place.line.ns = row->ns;
	place.line.looks = row->looks;
	line_sums_add(&cause->lines, &place.line);
}

/* --- pairs --- */

/* A thread that waits for work does not delay others. */
static bool is_at_work(const struct wait_pair *pair, const struct wait_place *place)
{
	if (!place->has_line || !place->line.is_users || (place->is_worker && !place->is_in_sample))
		return false;
	return !wait_is_one(pair->state) || place->kind == WAIT_IN_C ||
	       place->kind == WAIT_LIBRARY || place->kind == WAIT_CHILD ||
	       place->kind == WAIT_CHECKPOINT;
}

/* It waits as the first one does, for whoever has the lock. */
static bool is_locked(const struct wait_pair *pair, const struct wait_place *place)
{
	return pair->state == EVT_PYTHON_LOCK && place->kind == WAIT_IN_C;
}

static struct wait_beside *beside_at(struct wait_cause *cause, uint32_t thread)
{
	for (size_t i = 0; i < cause->beside_count; i++)
		if (cause->beside[i].thread == thread)
			return &cause->beside[i];
	cause->beside = memory_room(cause->beside, cause->beside_count, &cause->beside_room,
				    sizeof(*cause->beside));
	cause->beside[cause->beside_count].thread = thread;
	line_sums_init(&cause->beside[cause->beside_count].lines);
	return &cause->beside[cause->beside_count++];
}

/*
 * Of threads on a CPU, whatever code called the library: adds its work that is known. One that is
 * ready to run may have been woken up there.
 */
static void add_pair_work(struct wait_cause *cause, const struct wait_pair *pair,
			  const struct wait_place *place)
{
	if (pair->state != EVT_PYTHON_RUNS)
		return;
	cause->computed_ns += pair->ns;
	if (place->work)
		wait_works_put(&cause->meanwhile, place->work, pair->ns, pair->looks);
}

/* Whether threads that compute get in each other's way: one has the GIL, the others wait for it. */
static void add_pair_gil(struct wait_cause *cause, const struct wait_pair *pair)
{
	if (pair->state == EVT_PYTHON_GIL)
		cause->gil_ns += pair->ns;
	else if (pair->state == EVT_PYTHON_RUNS)
		cause->running_ns += pair->ns;
}

/* A thread without a CPU is where it lost that, which is no line to look at. */
static void add_at_work(struct line_sums *sums, const struct wait_pair *pair,
			const struct step_line *line)
{
	if (pair->state == EVT_PYTHON_READY)
		line_sums_add_queued(sums, pair->ns);
	else
		line_sums_add(sums, line);
}

static void add_pair(struct looking *looking, const struct wait_pair *pair)
{
	uint32_t at = looking->cause_of[pair->row];
	struct wait_cause *cause;
	struct wait_place place;

	if (at == NO_CAUSE)
		return;
	wait_place_look(looking->looks->samples, &looking->own, pair->place, &place);
	cause = &looking->causes->cause[at];
	add_pair_work(cause, pair, &place);
	if (!is_at_work(pair, &place))
		return;
	add_pair_gil(cause, pair);
	place.line.ns = pair->ns;
	place.line.looks = pair->looks;
	if (cause->kind != WAIT_LOADER && is_locked(pair, &place)) {
		line_sums_add(&cause->locked, &place.line);
		return;
	}
	add_at_work(&beside_at(cause, pair->thread)->lines, pair, &place.line);
	if (place.is_worker || cause->kind != WAIT_LOADER)
		add_at_work(&cause->others, pair, &place.line);
}

/* --- the whole --- */

void wait_causes_look(struct wait_causes *causes, const struct bottleneck *bottleneck)
{
	const struct wait_looks *looks = bottleneck->waits;
	struct looking looking = { .causes = causes,
				   .looks = looks,
				   .process = bottleneck->process,
				   .serving = &bottleneck->serving };

	*causes = (struct wait_causes){ .is_of_steps = bottleneck->steps->time.count != 0 };
	own_places_init(&looking.own, looks->samples, bottleneck->source,
			run_options(bottleneck->run));
	looking.cause_of = memory_zero(looks->row_count + 1, sizeof(*looking.cause_of));
	for (size_t i = 0; i < looks->row_count; i++)
		add_row(&looking, i);
	for (size_t i = 0; i < looks->pair_count; i++)
		add_pair(&looking, &looks->pair[i]);
	free(looking.cause_of);
	own_release(&looking.own);
}

void wait_causes_release(struct wait_causes *causes)
{
	for (size_t i = 0; i < causes->count; i++) {
		struct wait_cause *cause = &causes->cause[i];

		for (size_t j = 0; j < cause->beside_count; j++)
			line_sums_release(&cause->beside[j].lines);
		free(cause->beside);
		line_sums_release(&cause->lines);
		line_sums_release(&cause->owners);
		line_sums_release(&cause->others);
		line_sums_release(&cause->locked);
	}
	causes->count = 0;
}

const struct wait_cause *wait_causes_of(const struct wait_causes *causes, enum wait_kind kind)
{
	const struct wait_cause *most = NULL;

	for (size_t i = 0; i < causes->count; i++)
		if (causes->cause[i].kind == kind && (!most || causes->cause[i].ns > most->ns))
			most = &causes->cause[i];
	return most;
}

const struct wait_beside *wait_cause_beside(const struct wait_cause *cause)
{
	const struct wait_beside *most = NULL;

	for (size_t i = 0; i < cause->beside_count; i++)
		if (!most || cause->beside[i].lines.ns > most->lines.ns)
			most = &cause->beside[i];
	return most;
}

/* --- in words --- */

static const char *call_name(uint32_t call)
{
	switch (call ? call - 1 : UINT32_MAX) {
#define WAIT(call, state) \
	case CALL_##call: \
		return #call;
#include "collector/format/waits.def"
	default:
		return NULL;
	}
}

bool wait_cause_is_idle(const struct wait_cause *cause)
{
	return wait_is_idle(cause->kind, cause->call);
}

bool wait_is_idle(enum wait_kind kind, uint32_t call)
{
	static const long calls[] = { CALL_accept, CALL_accept4, CALL_epoll_wait, CALL_epoll_pwait,
				      CALL_poll,   CALL_ppoll,   CALL_select,     CALL_pselect6 };

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (call == (uint32_t)calls[i] + 1)
			return true;
	return kind == WAIT_IDLE || kind == WAIT_SELECT;
}

bool wait_is_accept(uint32_t call)
{
	return call == CALL_accept + 1 || call == CALL_accept4 + 1;
}

bool wait_cause_is_sync(const struct wait_cause *cause)
{
	return cause->call == CALL_fsync + 1 || cause->call == CALL_fdatasync + 1;
}

static const char *state_text(enum evt_python_state state)
{
	switch (state) {
	case EVT_PYTHON_SLEEP:
		return "a sleep";
	case EVT_PYTHON_IO:
		return "a file, a socket or a pipe";
	case EVT_PYTHON_LOCK:
		return "a lock or another thread, in a library";
	default:
		return "something that was not recorded";
	}
}

const char *wait_cause_text(const struct wait_cause *cause, char text[64])
{
	return wait_words(cause->kind, cause->state, cause->call, text);
}

const char *wait_words(enum wait_kind kind, enum evt_python_state state, uint32_t call,
		       char text[64])
{
	static const char *const texts[WAIT_KINDS] = {
		[WAIT_LOCK] = "a lock, or what another thread brings",
		[WAIT_QUEUE] = "a queue",
		[WAIT_PROCESS_QUEUE] = "a queue that another process fills",
		[WAIT_PIPE] = "another process, at a pipe",
		[WAIT_LOADER] = "a batch of the DataLoader",
		[WAIT_FUTURE] = "the result of a pool's task",
		[WAIT_EVENT] = "an event or a condition that another thread sets",
		[WAIT_THREAD] = "the end of another thread",
		[WAIT_CHILD] = "a child process",
		[WAIT_RANKS] = "other ranks, in a collective",
		[WAIT_CHECKPOINT] = "a checkpoint's file",
		[WAIT_GPU] = "the GPU",
		[WAIT_SELECT] = "sockets or pipes, in select()",
		[WAIT_IDLE] = "requests or tasks",
	};
	const char *name = call_name(call);

	if (texts[kind])
		return texts[kind];
	if (!name)
		return state_text(state);
	snprintf(text, 64, "%s()", name);
	return text;
}
