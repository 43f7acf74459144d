/* SPDX-License-Identifier: MIT */
/*
 * An operator costs two stores. Its scope, the chain of names down to it, is looked up only when a
 * call is made in it, and remembered for the next call.
 */
#include "collector/gpu/contexts.h"

#include <stdlib.h>
#include <string.h>

#define SCOPE_SLOTS (SCOPES_MAX * 2)
#define SCOPE_PROBES 64u
#define MARKS_FIRST 1024u
#define SCOPE_BACKWARD 1u /* at::RecordScope */
#define KINDS 255u        /* of at::RecordScope; larger ones are damage */

int contexts_init(struct contexts *contexts, uint32_t rings)
{
	*contexts = (struct contexts){ 0 };
	contexts->threads = rings;
	contexts->thread = calloc(rings, sizeof(*contexts->thread));
	contexts->scope = calloc(SCOPE_SLOTS, sizeof(*contexts->scope));
	contexts->call = calloc(CONTEXT_CALLS, sizeof(*contexts->call));
	if (contexts->thread && contexts->scope && contexts->call)
		return 0;
	contexts_release(contexts);
	return -1;
}

void contexts_release(struct contexts *contexts)
{
	free(contexts->thread);
	free(contexts->scope);
	free(contexts->call);
	free(contexts->mark);
	*contexts = (struct contexts){ 0 };
}

static struct context_thread *context_thread_at(struct contexts *contexts, uint32_t ring,
						uint32_t stream)
{
	struct context_thread *thread = &contexts->thread[ring];

	if (thread->stream != stream)
		*thread = (struct context_thread){ .stream = stream };
	return thread;
}

/* --- what names tell --- */

static bool is_begin_of(const char *text, size_t length, const char *const *begins)
{
	for (; *begins; begins++)
		if (length >= strlen(*begins) && memcmp(text, *begins, strlen(*begins)) == 0)
			return true;
	return false;
}

/* As report/steps/step_phases.c and report/steps/steps.c have them. */
static enum context_mark mark_of_name(const char *text, size_t length)
{
	static const char *const optimizers[] = { "Optimizer.step#", "Optimizer.zero_grad#", NULL };
	static const char *const data[] = { "enumerate(DataLoader)#", NULL };
	static const char *const backward[] = { "autograd::engine::evaluate_", NULL };
	static const char *const collectives[] = { "nccl:",
						   "gloo:",
						   "mpi:",
						   "ucc:",
						   "xccl:",
						   "c10d::",
						   "c10d_functional::",
						   "_c10d_functional::",
						   "record_param_comms",
						   NULL };

	if (is_begin_of(text, length, optimizers))
		return CONTEXT_OPTIMIZER;
	if (is_begin_of(text, length, data))
		return CONTEXT_DATA;
	if (is_begin_of(text, length, backward))
		return CONTEXT_BACKWARD;
	return is_begin_of(text, length, collectives) ? CONTEXT_COLLECTIVE : CONTEXT_LABEL;
}

void contexts_note_name(struct contexts *contexts, uint32_t id, const char *text, size_t length)
{
	enum context_mark mark = mark_of_name(text, length);
	uint32_t larger = contexts->mark_room ? contexts->mark_room : MARKS_FIRST;
	uint8_t *moved;

	if (mark == CONTEXT_LABEL)
		return;
	while (larger <= id)
		larger *= 2;
	if (larger > contexts->mark_room) {
		moved = realloc(contexts->mark, larger);
		if (!moved)
			return;
		memset(moved + contexts->mark_room, 0, larger - contexts->mark_room);
		contexts->mark = moved;
		contexts->mark_room = larger;
	}
	contexts->mark[id] = (uint8_t)mark;
}

static enum context_mark mark_of(const struct contexts *contexts, uint64_t name, uint64_t scope,
				 bool is_graded)
{
	enum context_mark by_name = name < contexts->mark_room
					    ? (enum context_mark)contexts->mark[name]
					    : CONTEXT_LABEL;

	if (by_name != CONTEXT_LABEL)
		return by_name;
	if (scope == SCOPE_BACKWARD)
		return CONTEXT_BACKWARD;
	if (scope == EVT_SCOPE_USER)
		return CONTEXT_LABEL;
	return is_graded ? CONTEXT_GRADED : CONTEXT_OPERATOR;
}

/* --- cuts --- */

static void cut_at(struct context_cuts *cuts, uint64_t ns)
{
	if (cuts->count < CONTEXT_CUTS && (!cuts->count || cuts->ns[cuts->count - 1] != ns))
		cuts->ns[cuts->count++] = ns;
}

/* Returns true if a scope of backward goes on with the stretch of the one before it. */
static bool pause_ends(struct context_thread *thread, bool is_backward, uint64_t ns,
		       struct context_cuts *cuts)
{
	uint64_t since_ns = thread->pause_ns;

	thread->pause_ns = 0;
	if (!since_ns)
		return false;
	if (is_backward && ns - since_ns < CONTEXT_PAUSE_NS)
		return true;
	cut_at(cuts, since_ns);
	return false;
}

/*
 * In a closure, forward begins with an operator that records gradients, and ends with the next one
 * that does not. Products need not end it, which is of no account: these are cuts, not phases.
 */
static bool closure_moves(struct context_thread *thread, enum context_mark mark)
{
	if (!thread->opened[CONTEXT_OPTIMIZER] || mark == CONTEXT_OPTIMIZER) {
		bool was_in_closure = thread->in_closure;

		thread->in_closure = false;
		return was_in_closure;
	}
	if (mark == CONTEXT_OPERATOR)
		return thread->in_closure && !thread->opened[CONTEXT_GRADED] &&
		       !thread->opened[CONTEXT_BACKWARD];
	if (mark != CONTEXT_GRADED && mark != CONTEXT_BACKWARD)
		return false;
	thread->in_closure = true;
	return !thread->opened[mark];
}

static bool scope_is_backward(struct context_thread *thread, enum context_mark mark)
{
	if (!thread->depth && mark == CONTEXT_BACKWARD && !thread->runs_own)
		thread->helps = true;
	if (!thread->depth && !thread->helps)
		thread->runs_own = true;
	return mark == CONTEXT_BACKWARD || (!thread->depth && thread->helps);
}

static void cuts_begin(struct context_thread *thread, const struct context_open *open, uint64_t ns,
		       struct context_cuts *cuts)
{
	enum context_mark mark = (enum context_mark)open->mark;
	bool goes_on = pause_ends(thread, open->is_backward, ns, cuts);

	if (closure_moves(thread, mark))
		cut_at(cuts, ns);
	if (open->is_backward && !thread->backward++ && !goes_on)
		cut_at(cuts, ns);
	if (!thread->opened[mark]++ && mark > CONTEXT_BACKWARD)
		cut_at(cuts, ns);
}

static void cuts_end(struct context_thread *thread, const struct context_open *open, uint64_t ns,
		     struct context_cuts *cuts)
{
	if (open->is_backward && !--thread->backward)
		thread->pause_ns = ns;
	/* where zero_grad() ends in an optimizer's step, a closure's forward may begin */
	if ((!--thread->opened[open->mark] || open->mark == CONTEXT_OPTIMIZER) &&
	    open->mark > CONTEXT_BACKWARD)
		cut_at(cuts, ns);
}

uint64_t contexts_take_pause(struct contexts *contexts, uint32_t process, uint64_t upto_ns)
{
	for (uint32_t i = 0; i < contexts->threads; i++) {
		struct context_thread *thread = &contexts->thread[i];
		uint64_t since_ns = thread->pause_ns;

		if (!since_ns || thread->process != process || since_ns >= upto_ns)
			continue;
		thread->pause_ns = 0;
		return since_ns;
	}
	return 0;
}

/* --- what is open --- */

static void context_begin(struct context_thread *thread, const struct context_open *open)
{
	if (thread->depth < CONTEXT_DEPTH)
		thread->open[thread->depth] = *open;
	if (thread->depth < UINT32_MAX)
		thread->depth++;
}

/* Scopes of those within it change. */
static void context_remove(struct context_thread *thread, uint32_t at)
{
	uint32_t last = thread->depth < CONTEXT_DEPTH ? thread->depth : CONTEXT_DEPTH;

	memmove(&thread->open[at], &thread->open[at + 1],
		(last - at - 1) * sizeof(thread->open[0]));
	for (uint32_t i = at; i + 1 < last; i++)
		thread->open[i].has_scope = false;
	thread->depth--;
}

/* The innermost of that function ends, after passing over `inside` others of function 0. */
static void context_end(struct context_thread *thread, uint64_t function, uint64_t inside,
			uint64_t ns, struct context_cuts *cuts)
{
	if (thread->depth > CONTEXT_DEPTH && !function && !inside) {
		thread->depth--;
		return;
	}
	for (uint32_t at = thread->depth < CONTEXT_DEPTH ? thread->depth : CONTEXT_DEPTH; at--;) {
		if (thread->open[at].function != function)
			continue;
		if (inside--)
			continue;
		cuts_end(thread, &thread->open[at], ns, cuts);
		context_remove(thread, at);
		return;
	}
}

static void contexts_begin(const struct contexts *contexts, struct context_thread *thread,
			   uint32_t id, uint64_t ns, const uint64_t *value,
			   struct context_cuts *cuts)
{
	const struct evt_torch_begin_id *begin = (const void *)value; /* as torch_begin_ex */
	bool is_ex = id != EVT_torch_begin;
	uint64_t kind = is_ex ? begin->scope : 0;
	struct context_open open = {
		.function = id == EVT_torch_begin_id ? begin->function : 0,
		.name = (uint32_t)begin->name,
		.kind = (uint8_t)(kind < KINDS ? kind : KINDS - 1),
		.mark = (uint8_t)mark_of(contexts, begin->name, kind,
					 is_ex && (int64_t)begin->sequence >= 0),
	};

	/* deeper ones are not kept, so their ends could not be counted */
	if (thread->depth < CONTEXT_DEPTH) {
		open.is_backward = scope_is_backward(thread, (enum context_mark)open.mark);
		cuts_begin(thread, &open, ns, cuts);
	}
	context_begin(thread, &open);
}

/* The rest of the thread is not recorded. */
static void context_stop(struct context_thread *thread, uint64_t ns, struct context_cuts *cuts)
{
	(void)pause_ends(thread, false, ns, cuts);
	*thread = (struct context_thread){ .stream = thread->stream,
					   .process = thread->process,
					   .helps = thread->helps,
					   .runs_own = thread->runs_own };
	cut_at(cuts, ns);
}

struct context_cuts contexts_take(struct contexts *contexts, const struct context_place *place,
				  uint32_t id, uint64_t ns, const uint64_t *value)
{
	struct context_thread *thread = context_thread_at(contexts, place->ring, place->stream);
	const struct evt_torch_end_id *end = (const void *)value;
	struct context_cuts cuts = { .count = 0 };

	thread->process = place->process;
	switch (id) {
	case EVT_torch_begin:
	case EVT_torch_begin_ex:
	case EVT_torch_begin_id:
		contexts_begin(contexts, thread, id, ns, value, &cuts);
		break;
	case EVT_torch_end:
		context_end(thread, 0, 0, ns, &cuts);
		break;
	case EVT_torch_end_outer:
		context_end(thread, 0, value[0], ns, &cuts);
		break;
	case EVT_torch_end_id:
		context_end(thread, end->function, 0, ns, &cuts);
		break;
	case EVT_step:
		(void)pause_ends(thread, false, ns, &cuts);
		cut_at(&cuts, ns);
		break;
	case EVT_torch_async_begin:
	case EVT_torch_async_end:
	case EVT_autograd_begin:
	case EVT_autograd_end:
		cut_at(&cuts, ns); /* a collective may be one */
		break;
	default:
		context_stop(thread, ns, &cuts);
	}
	return cuts;
}

/* --- scopes --- */

static uint32_t scope_of(struct contexts *contexts, struct journal *journal, uint32_t outer,
			 const struct context_open *open)
{
	uint32_t name = open->name, kind = open->kind;
	uint64_t hash = (((uint64_t)outer << 32 | name) + 1 + ((uint64_t)kind << 24)) *
			0x9e3779b97f4a7c15ull;
	uint32_t at = (uint32_t)(hash >> 40) % SCOPE_SLOTS;

	for (unsigned int i = 0; i < SCOPE_PROBES; i++) {
		struct context_scope *scope = &contexts->scope[(at + i) % SCOPE_SLOTS];

		if (scope->scope &&
		    (scope->outer != outer || scope->name != name || scope->kind != kind))
			continue;
		if (scope->scope)
			return scope->scope;
		if (contexts->scopes >= SCOPES_MAX)
			return 0;
		*scope = (struct context_scope){ outer, name, kind, ++contexts->scopes };
		JOURNAL_ADD(journal, journal->string_ns, gpu_scope, .scope = scope->scope,
			    .outer = outer, .name = name, .kind = kind + 1);
		return scope->scope;
	}
	return 0;
}

/* The scope of what is open; 0 if nothing is, or there is no room for it. */
static uint32_t scope_now(struct contexts *contexts, struct journal *journal,
			  struct context_thread *thread)
{
	uint32_t last = thread->depth < CONTEXT_DEPTH ? thread->depth : CONTEXT_DEPTH;
	uint32_t scope = 0;

	for (uint32_t i = 0; i < last; i++) {
		struct context_open *open = &thread->open[i];

		if (!open->has_scope) {
			open->scope = scope_of(contexts, journal, scope, open);
			open->has_scope = open->scope != 0;
		}
		if (!open->scope)
			return 0;
		scope = open->scope;
	}
	return scope;
}

/* --- calls --- */

static struct context_call *call_place(const struct contexts *contexts, uint64_t key)
{
	return &contexts->call[(key * 0x9e3779b97f4a7c15ull) >> 40 & (CONTEXT_CALLS - 1)];
}

static uint64_t call_key(uint32_t process, uint64_t correlation)
{
	return (uint64_t)process << 32 | (uint32_t)correlation;
}

void contexts_note_call(struct contexts *contexts, struct journal *journal,
			const struct context_place *place, uint64_t ns, uint64_t correlation)
{
	uint64_t key = call_key(place->process, correlation);

	*call_place(contexts, key) = (struct context_call){
		.key = key,
		.scope = journal ? scope_now(
					   contexts, journal,
					   context_thread_at(contexts, place->ring, place->stream))
				 : 0,
		.ns = ns,
	};
}

void contexts_renumber(struct contexts *contexts, uint32_t process)
{
	for (size_t i = 0; i < CONTEXT_CALLS; i++)
		if (contexts->call[i].key >> 32 == process)
			contexts->call[i] = (struct context_call){ .key = 0 };
}

const struct context_call *contexts_find(const struct contexts *contexts, uint32_t process,
					 uint64_t correlation)
{
	uint64_t key = call_key(process, correlation);
	const struct context_call *call = call_place(contexts, key);

	return call->key == key ? call : NULL;
}
