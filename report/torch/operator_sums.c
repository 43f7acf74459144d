/* SPDX-License-Identifier: MIT */
/* Scopes come before those within them, so totals are made from the last scope to the first. */
#include "report/torch/operator_sums.h"

#include <stdlib.h>

#include "report/base/memory.h"

void operator_sums_init(struct operator_sums *sums)
{
	*sums = (struct operator_sums){ .scope = NULL };
	map_init(&sums->numbers);
}

void operator_sums_release(struct operator_sums *sums)
{
	free(sums->scope);
	map_release(&sums->numbers);
}

static uint64_t operator_sums_key(const struct source_event *event, uint64_t number)
{
	return (((uint64_t)event->file->index << 32) | (uint32_t)number) + 1;
}

/* 0: there is none of that number. */
static uint32_t operator_sums_find(const struct operator_sums *sums,
				   const struct source_event *event, uint64_t number)
{
	const struct map_entry *entry = number >> 32 ? NULL
						     : map_find(&sums->numbers,
								operator_sums_key(event, number));

	return entry ? (uint32_t)entry->value : 0;
}

/* Segments of a file repeat it. */
static void operator_sums_take_scope(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_scope *told = EVENT_AS(gpu_scope, &event->event);
	struct operator_sums *sums = state;
	uint32_t name = event_name(sums->source, event, told->name);
	struct operator_sum_scope scope = { .kind = told->kind ? told->kind - 1 : 0,
					    .is_known = told->kind != 0 };
	struct map_entry *entry;
	bool added;

	(void)counts;
	if (!told->scope || told->scope >> 32 || sums->scope_count >= UINT32_MAX - 1)
		return;
	scope.outer = operator_sums_find(sums, event, told->outer);
	scope.name = operator_name_of(sums->names, name,
				      operator_text_of(source_name_at(sums->source, name)),
				      &scope.is_hidden);
	entry = map_put(&sums->numbers, operator_sums_key(event, told->scope), &added);
	if (!added)
		return;
	sums->scope = memory_room(sums->scope, sums->scope_count, &sums->scope_room,
				  sizeof(*sums->scope));
	sums->scope[sums->scope_count++] = scope;
	entry->value = sums->scope_count;
}

static void operator_sums_add(struct operator_sums *sums, const struct source_event *event,
			      uint64_t number, uint64_t ns, uint64_t count)
{
	uint32_t scope = operator_sums_find(sums, event, number);

	if (scope) {
		sums->scope[scope - 1].own_ns += ns;
		sums->scope[scope - 1].count += count;
	} else if (number) {
		sums->left_out += count;
	}
}

static void operator_sums_take_kernels(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_kernel_sum *sum = EVENT_AS(gpu_kernel_sum, &event->event);

	(void)counts;
	operator_sums_add(state, event, sum->scope, sum->total_ns, sum->count);
}

static void operator_sums_take_copies(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_copy_sum *sum = EVENT_AS(gpu_copy_sum, &event->event);

	(void)counts;
	operator_sums_add(state, event, sum->scope, sum->total_ns, sum->count);
}

void operator_sums_want(struct operator_sums *sums, struct run *run, struct operator_naming *naming)
{
	sums->source = run_source(run);
	sums->names = &naming->names;
	run_reads(run, EVT_gpu_scope, FIELDS_ALL, operator_sums_take_scope, sums);
	run_reads(run, EVT_gpu_kernel_sum,
		  FIELD_BIT(gpu_kernel_sum, scope) | FIELD_BIT(gpu_kernel_sum, count) |
			  FIELD_BIT(gpu_kernel_sum, total_ns),
		  operator_sums_take_kernels, sums);
	run_reads(run, EVT_gpu_copy_sum,
		  FIELD_BIT(gpu_copy_sum, scope) | FIELD_BIT(gpu_copy_sum, count) |
			  FIELD_BIT(gpu_copy_sum, total_ns),
		  operator_sums_take_copies, sums);
}

static bool is_one_with(const struct operator_sum_scope *inner,
			const struct operator_sum_scope *outer)
{
	return inner->name == outer->name && inner->kind == outer->kind &&
	       inner->kind != EVT_SCOPE_USER;
}

/* Its work is that of the scope around it; a hidden one and one that is part of it have no row. */
static void operator_sums_settle_scope(struct operator_sums *sums, struct operators *operators,
				       struct operator_sum_scope *scope)
{
	struct operator_sum_scope *outer = scope->outer ? &sums->scope[scope->outer - 1] : NULL;

	scope->total_ns += scope->own_ns;
	if (outer && (scope->is_hidden || is_one_with(scope, outer))) {
		outer->own_ns += scope->own_ns;
		outer->total_ns += scope->total_ns - scope->own_ns;
		outer->count += scope->count;
		return;
	}
	if (outer)
		outer->total_ns += scope->total_ns;
	if (scope->is_hidden || !scope->total_ns)
		return;
	if (!scope->is_known ||
	    !operators_add_gpu(operators, scope->name, scope->kind, scope->total_ns, scope->own_ns))
		operators->gpu_left_out += scope->count;
}

void operator_sums_settle(struct operator_sums *sums, struct operators *operators, bool is_divided)
{
	operators->gpu_left_out += sums->left_out;
	for (size_t i = sums->scope_count; i--;) {
		struct operator_sum_scope *scope = &sums->scope[i];

		if (scope->outer > i)
			scope->outer = 0; /* damage: it came before the one around it */
		if (is_divided)
			operators->gpu_left_out += scope->count;
		else
			operator_sums_settle_scope(sums, operators, scope);
	}
}
