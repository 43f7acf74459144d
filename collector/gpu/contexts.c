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

int contexts_init(struct contexts *contexts, uint32_t rings)
{
	*contexts = (struct contexts){ 0 };
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
	*contexts = (struct contexts){ 0 };
}

bool contexts_wants(uint32_t id)
{
	switch (id) {
	case EVT_torch_begin:
	case EVT_torch_begin_ex:
	case EVT_torch_begin_id:
	case EVT_torch_end:
	case EVT_torch_end_id:
	case EVT_torch_end_outer:
	case EVT_capture_stop:
		return true;
	default:
		return false;
	}
}

static struct context_thread *context_thread_at(struct contexts *contexts, uint32_t ring,
						uint32_t stream)
{
	struct context_thread *thread = &contexts->thread[ring];

	if (thread->stream != stream) {
		thread->stream = stream;
		thread->depth = 0;
	}
	return thread;
}

static void context_begin(struct context_thread *thread, uint64_t name, uint64_t function)
{
	if (thread->depth < CONTEXT_DEPTH)
		thread->open[thread->depth] = (struct context_open){ .function = function,
								     .name = (uint32_t)name };
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
static void context_end(struct context_thread *thread, uint64_t function, uint64_t inside)
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
		context_remove(thread, at);
		return;
	}
}

void contexts_take(struct contexts *contexts, uint32_t ring, uint32_t stream, uint32_t id,
		   const uint64_t *value)
{
	struct context_thread *thread = context_thread_at(contexts, ring, stream);

	switch (id) {
	case EVT_torch_begin:
	case EVT_torch_begin_ex:
		context_begin(thread, value[0], 0);
		break;
	case EVT_torch_begin_id:
		context_begin(thread, value[0],
			      ((const struct evt_torch_begin_id *)(const void *)value)->function);
		break;
	case EVT_torch_end:
		context_end(thread, 0, 0);
		break;
	case EVT_torch_end_outer:
		context_end(thread, 0, value[0]);
		break;
	case EVT_torch_end_id:
		context_end(thread,
			    ((const struct evt_torch_end_id *)(const void *)value)->function, 0);
		break;
	default:
		thread->depth = 0;
	}
}

/* --- scopes --- */

static uint32_t scope_of(struct contexts *contexts, struct journal *journal, uint32_t outer,
			 uint32_t name)
{
	uint64_t hash = (((uint64_t)outer << 32 | name) + 1) * 0x9e3779b97f4a7c15ull;
	uint32_t at = (uint32_t)(hash >> 40) % SCOPE_SLOTS;

	for (unsigned int i = 0; i < SCOPE_PROBES; i++) {
		struct context_scope *scope = &contexts->scope[(at + i) % SCOPE_SLOTS];

		if (scope->scope && (scope->outer != outer || scope->name != name))
			continue;
		if (scope->scope)
			return scope->scope;
		if (contexts->scopes >= SCOPES_MAX)
			return 0;
		*scope = (struct context_scope){ outer, name, ++contexts->scopes };
		JOURNAL_ADD(journal, journal->string_ns, gpu_scope, .scope = scope->scope,
			    .outer = outer, .name = name);
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
			open->scope = scope_of(contexts, journal, scope, open->name);
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
	return &contexts->call[(key * 0x9e3779b97f4a7c15ull) >> 48 & (CONTEXT_CALLS - 1)];
}

static uint64_t call_key(uint32_t process, uint64_t correlation)
{
	return (uint64_t)process << 32 | (uint32_t)correlation;
}

void contexts_note_call(struct contexts *contexts, struct journal *journal, uint32_t ring,
			uint32_t stream, uint32_t process, uint64_t correlation)
{
	uint64_t key = call_key(process, correlation);

	*call_place(contexts, key) = (struct context_call){
		.key = key,
		.scope = scope_now(contexts, journal, context_thread_at(contexts, ring, stream))
	};
}

bool contexts_find(const struct contexts *contexts, uint32_t process, uint64_t correlation,
		   uint32_t *ret_scope)
{
	uint64_t key = call_key(process, correlation);
	const struct context_call *call = call_place(contexts, key);

	if (call->key != key)
		return false;
	*ret_scope = call->scope;
	return true;
}
