/* SPDX-License-Identifier: MIT */
/*
 * The formulas of collective_ops.def are computed in doubles. A result is known if it does not
 * depend on unknown operands. A nest of operators finds the operation that is open on a thread.
 */
#include "report/torch/collective_sizes.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/core/open_operators.h"

/* --- the definitions --- */

static double factor_of(enum collective_kind kind, double n)
{
	switch (kind) {
#define KIND(name, factor)      \
	case COLLECTIVE_##name: \
		return factor;
#include "report/torch/collective_ops.def"
	default:
		return 0;
	}
}

static bool factor_needs_ranks(enum collective_kind kind)
{
	return factor_of(kind, 2) != factor_of(kind, 3);
}

/* As real numbers, because sizes are products; a negative number is unknown. */
struct operands {
	double first, second, n;
};

static const struct {
	const char *name;
	enum collective_kind kind;
} operators[] = {
#define OPERATOR(kind, name, size) { name, COLLECTIVE_##kind },
#include "report/torch/collective_ops.def"
};

static double size_at(size_t index, struct operands o)
{
	const double first = o.first, second = o.second, n = o.n;
	const double size[] = {
#define OPERATOR(kind, name, size) size,
#include "report/torch/collective_ops.def"
	};

	(void)n;
	return size[index];
}

/* A size is known if it has the same value whatever the unknown operands are. */
static bool size_is_known(size_t index, struct operands o)
{
	struct operands others = o;

	others.first = o.first < 0 ? o.first - 1 : o.first;
	others.second = o.second < 0 ? o.second - 1 : o.second;
	others.n = o.n <= 0 ? o.n - 1 : o.n;
	return size_at(index, o) == size_at(index, others) && size_at(index, o) >= 0;
}

bool collective_size_of(const char *name, size_t length, int64_t first, int64_t second,
			uint64_t ranks, struct collective_size *ret_size)
{
	const struct operands o = { (double)first, (double)second, ranks ? (double)ranks : -1 };

	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		enum collective_kind kind = operators[i].kind;

		if (strlen(operators[i].name) != length || memcmp(operators[i].name, name, length))
			continue;
		*ret_size = (struct collective_size){ .kind = kind,
						      .bytes = COLLECTIVE_UNKNOWN,
						      .bus_bytes = -1 };
		if (!size_is_known(i, o) || size_at(i, o) > (double)INT64_MAX)
			return true;
		ret_size->bytes = (uint64_t)size_at(i, o);
		if (ranks || !factor_needs_ranks(kind))
			ret_size->bus_bytes = size_at(i, o) * factor_of(kind, o.n);
		return true;
	}
	return false;
}

enum collective_kind collective_kind_of(const char *op, size_t length)
{
	static const struct {
		const char *name;
		enum collective_kind kind;
	} labels[] = {
#define KIND(name, factor) { #name, COLLECTIVE_##name },
#include "report/torch/collective_ops.def"
#define LABEL(name, kind) { name, COLLECTIVE_##kind },
#include "report/torch/collective_ops.def"
	};

	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
		if (strlen(labels[i].name) == length && !memcmp(labels[i].name, op, length))
			return labels[i].kind;
	return COLLECTIVE_NO_KIND;
}

void collective_size_add(struct collective_size *to, const struct collective_size *more)
{
	if (to->bytes == COLLECTIVE_UNKNOWN || more->bytes == COLLECTIVE_UNKNOWN ||
	    __builtin_add_overflow(to->bytes, more->bytes, &to->bytes))
		to->bytes = COLLECTIVE_UNKNOWN;
	if (to->bus_bytes < 0 || more->bus_bytes < 0)
		to->bus_bytes = -1;
	else
		to->bus_bytes += more->bus_bytes;
}

/* --- the analysis --- */

struct sizes_state {
	struct collective_sizes sizes; /* must be first: others see only this part */
	struct source *source;
	const struct open_operators *ops;
	uint32_t *of_open; /* by scope of these: index in `size` + 1 */
	size_t of_open_room;
};

uint32_t collective_sizes_open(const struct collective_sizes *sizes, uint32_t thread)
{
	const struct sizes_state *mine = (const struct sizes_state *)sizes;
	uint32_t scope = nest_top(&mine->ops->nest, thread);

	for (unsigned int i = 0; scope != NEST_NONE && i < NEST_LOOKS_MAX; i++) {
		if (mine->of_open[scope])
			return mine->of_open[scope];
		scope = mine->ops->nest.scope[scope].below;
	}
	return 0;
}

static void collective_sizes_take_begin(void *state, const struct source_event *event, bool counts)
{
	struct sizes_state *mine = state;
	uint32_t scope = nest_top(&mine->ops->nest, event->thread->index);

	(void)counts;
	mine->of_open = memory_room(mine->of_open, scope, &mine->of_open_room,
				    sizeof(*mine->of_open));
	mine->of_open[scope] = 0;
}

static void take_collective(void *state, const struct source_event *event, bool counts)
{
	struct sizes_state *mine = state;
	const struct evt_torch_collective *op = EVENT_AS(torch_collective, &event->event);
	uint32_t top = nest_top(&mine->ops->nest, event->thread->index);
	const struct source_name *name = source_name_at(mine->source,
							event_name(mine->source, event, op->name));
	struct collective_sizes *sizes = &mine->sizes;
	struct collective_size size;

	if (!name->text || !collective_size_of(name->text, name->length, (int64_t)op->first_bytes,
					       (int64_t)op->second_bytes, op->ranks, &size))
		return;
	size.process = event->process->index;
	size.counts = counts;
	sizes->size = memory_room(sizes->size, sizes->count, &sizes->room, sizeof(size));
	sizes->size[sizes->count++] = size;
	if (top != NEST_NONE)
		mine->of_open[top] = (uint32_t)sizes->count;
}

static void collective_sizes_start(void *state, struct run *run, const void *options)
{
	struct sizes_state *mine = state;

	(void)options;
	mine->source = run_source(run);
	mine->ops = open_operators_want(run, NULL);
	run_reads_scopes(run, EVT_SCOPE_KIND_operator, 0, collective_sizes_take_begin, NULL, mine);
	run_reads(run, EVT_torch_collective, FIELDS_ALL, take_collective, mine);
	run_seeks(run, mine);
}

static void collective_sizes_release(void *state)
{
	struct sizes_state *mine = state;

	free(mine->sizes.size);
	free(mine->of_open);
}

const struct analysis_kind analysis_collective_sizes = {
	.name = "collective sizes",
	.state_bytes = sizeof(struct sizes_state),
	.options_bytes = sizeof(struct collective_sizes_options),
	.start = collective_sizes_start,
	.release = collective_sizes_release,
};
