/* SPDX-License-Identifier: MIT */
/*
 * Keeps a count of the calls, and of the open scopes inside, that may still add to a scope. When it
 * reaches 0 the sums go to the scope around it and to the owner.
 */
#include "report/deferred/deferred_scopes.h"

#include <stdlib.h>

#include "report/base/memory.h"

void deferred_scopes_init(struct deferred_scopes *scopes, deferred_scope_over *over, void *owner)
{
	*scopes = (struct deferred_scopes){ .over = over, .owner = owner };
}

void deferred_scopes_release(struct deferred_scopes *scopes)
{
	free(scopes->scope);
}

static struct deferred_scope *scope_at(struct deferred_scopes *scopes, uint32_t number)
{
	return &scopes->scope[number - 1];
}

static void deferred_scopes_sum_add(struct deferred_sum *into, const struct deferred_sum *more)
{
	if (!more->count)
		return;
	if (!into->count || more->first_ns < into->first_ns)
		into->first_ns = more->first_ns;
	if (more->last_ns > into->last_ns)
		into->last_ns = more->last_ns;
	into->ns += more->ns;
	into->count += more->count;
}

uint32_t deferred_scopes_open(struct deferred_scopes *scopes)
{
	uint32_t number = scopes->unused;

	if (number) {
		scopes->unused = scope_at(scopes, number)->parent;
	} else {
		scopes->scope = memory_room(scopes->scope, scopes->count, &scopes->room,
					    sizeof(*scopes->scope));
		number = (uint32_t)++scopes->count;
	}
	*scope_at(scopes, number) = (struct deferred_scope){ .refs = 1, .row = DEFERRED_NO_ROW };
	return number;
}

void deferred_scopes_hold(struct deferred_scopes *scopes, uint32_t scope)
{
	if (scope)
		scope_at(scopes, scope)->refs++;
}

/* Nothing more can be added: the enclosing scope gets the sums, and may be complete then, too. */
static uint32_t scope_end(struct deferred_scopes *scopes, uint32_t number)
{
	struct deferred_scope *scope = scope_at(scopes, number);
	uint32_t parent = scope->parent;

	if (parent) {
		deferred_scopes_sum_add(&scope_at(scopes, parent)->total, &scope->total);
		if (scope->is_folded)
			deferred_scopes_sum_add(&scope_at(scopes, parent)->own, &scope->own);
	}
	if (!scope->is_folded && scope->row != DEFERRED_NO_ROW && scope->total.count)
		scopes->over(scopes->owner, scope->row, &scope->total, &scope->own);
	scope->parent = scopes->unused;
	scopes->unused = number;
	return parent;
}

void deferred_scopes_drop(struct deferred_scopes *scopes, uint32_t scope)
{
	while (scope && --scope_at(scopes, scope)->refs == 0)
		scope = scope_end(scopes, scope);
}

void deferred_scopes_settle(struct deferred_scopes *scopes, uint32_t scope, uint32_t row)
{
	if (!scope)
		return;
	scope_at(scopes, scope)->row = row;
	deferred_scopes_drop(scopes, scope);
}

void deferred_scopes_fold(struct deferred_scopes *scopes, uint32_t scope)
{
	if (!scope)
		return;
	scope_at(scopes, scope)->is_folded = true;
	deferred_scopes_drop(scopes, scope);
}

void deferred_scopes_add(struct deferred_scopes *scopes, uint32_t scope,
			 const struct deferred_work *work)
{
	struct deferred_sum sum = { work->duration_ns, 1, work->start_ns, deferred_end_ns(work) };

	if (!scope || !work->is_on_device)
		return;
	deferred_scopes_sum_add(&scope_at(scopes, scope)->total, &sum);
	deferred_scopes_sum_add(&scope_at(scopes, scope)->own, &sum);
}

uint32_t deferred_scopes_of_thread(struct deferred_scopes *scopes, const struct nest *nest,
				   uint32_t thread, deferred_scope_at *at)
{
	uint32_t open = nest_innermost(nest, thread), inner = 0, first = 0;

	for (; open != NEST_NONE; open = nest_outer(nest, open)) {
		uint32_t *scope = at(scopes->owner, open);
		bool is_new = !*scope;

		if (is_new)
			*scope = deferred_scopes_open(scopes);
		if (inner) {
			scope_at(scopes, inner)->parent = *scope;
			deferred_scopes_hold(scopes, *scope);
		} else {
			first = *scope;
		}
		if (!is_new)
			break;
		inner = *scope;
	}
	return first;
}
