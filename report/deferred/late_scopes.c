/* SPDX-License-Identifier: MIT */
/* Scopes that calls were made in: see late_scopes.h. */
#include "report/deferred/late_scopes.h"

#include <stdlib.h>

#include "report/base/memory.h"

void late_scopes_init(struct late_scopes *scopes, late_scope_over *over, void *owner)
{
	*scopes = (struct late_scopes){ .over = over, .owner = owner };
}

void late_scopes_release(struct late_scopes *scopes)
{
	free(scopes->scope);
}

static struct late_scope *scope_at(struct late_scopes *scopes, uint32_t number)
{
	return &scopes->scope[number - 1];
}

static void sum_add(struct late_sum *into, const struct late_sum *more)
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

uint32_t late_scopes_open(struct late_scopes *scopes)
{
	uint32_t number = scopes->unused;

	if (number) {
		scopes->unused = scope_at(scopes, number)->parent;
	} else {
		scopes->scope = memory_room(scopes->scope, scopes->count, &scopes->room,
					    sizeof(*scopes->scope));
		number = (uint32_t)++scopes->count;
	}
	*scope_at(scopes, number) = (struct late_scope){ .refs = 1, .row = LATE_NO_ROW };
	return number;
}

void late_scopes_put_into(struct late_scopes *scopes, uint32_t scope, uint32_t parent)
{
	scope_at(scopes, scope)->parent = parent;
	late_scopes_hold(scopes, parent);
}

void late_scopes_hold(struct late_scopes *scopes, uint32_t scope)
{
	if (scope)
		scope_at(scopes, scope)->refs++;
}

/* Nothing more comes: the one around it gets what it had, and may be over, too. */
static uint32_t scope_end(struct late_scopes *scopes, uint32_t number)
{
	struct late_scope *scope = scope_at(scopes, number);
	uint32_t parent = scope->parent;

	if (parent) {
		sum_add(&scope_at(scopes, parent)->total, &scope->total);
		if (scope->is_folded)
			sum_add(&scope_at(scopes, parent)->own, &scope->own);
	}
	if (!scope->is_folded && scope->row != LATE_NO_ROW && scope->total.count)
		scopes->over(scopes->owner, scope->row, &scope->total, &scope->own);
	scope->parent = scopes->unused;
	scopes->unused = number;
	return parent;
}

void late_scopes_drop(struct late_scopes *scopes, uint32_t scope)
{
	while (scope && --scope_at(scopes, scope)->refs == 0)
		scope = scope_end(scopes, scope);
}

void late_scopes_settle(struct late_scopes *scopes, uint32_t scope, uint32_t row)
{
	if (!scope)
		return;
	scope_at(scopes, scope)->row = row;
	late_scopes_drop(scopes, scope);
}

void late_scopes_fold(struct late_scopes *scopes, uint32_t scope)
{
	if (!scope)
		return;
	scope_at(scopes, scope)->is_folded = true;
	late_scopes_drop(scopes, scope);
}

void late_scopes_add(struct late_scopes *scopes, uint32_t scope, const struct late_work *work)
{
	struct late_sum sum = { work->duration_ns, 1, work->start_ns, late_end_ns(work) };

	if (!scope || !late_is_on_device(work))
		return;
	sum_add(&scope_at(scopes, scope)->total, &sum);
	sum_add(&scope_at(scopes, scope)->own, &sum);
}

uint32_t late_scopes_of_thread(struct late_scopes *scopes, const struct nest *nest, uint32_t thread,
			       late_scope_at *at)
{
	uint32_t open = nest_innermost(nest, thread), inner = 0, first = 0;

	for (; open != NEST_NONE; open = nest_outer(nest, open)) {
		uint32_t *scope = at(scopes->owner, open);
		bool is_new = !*scope;

		if (is_new)
			*scope = late_scopes_open(scopes);
		if (inner)
			late_scopes_put_into(scopes, inner, *scope);
		else
			first = *scope;
		if (!is_new)
			break;
		inner = *scope;
	}
	return first;
}
