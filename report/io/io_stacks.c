/* SPDX-License-Identifier: MIT */
/* Makes stacks of input and output, for trees and flame graphs. */
#include "report/options/keys.h"
#include "report/io/io_events.h"
#include "report/stacks/stack_keys.h"
#include "report/stacks/stack_source.h"

static const void *io_stacks_want(struct run *run)
{
	return io_want(run, &(struct io_options){ BY_io_stack });
}

static uint64_t io_stacks_value_of(const struct io_row *row, enum stack_value value)
{
	switch (value) {
	case STACK_BYTES:
		return row->bytes_read + row->bytes_written;
	case STACK_CALLS:
		return row->calls;
	default:
		return row->total_ns;
	}
}

static void io_stacks_put(const void *state, struct source *source, enum stack_value value,
			  take_stack_use *take, void *context)
{
	const struct io_reading *reading = state;

	(void)source;
	for (size_t i = 0; i < reading->io.row_count; i++) {
		const struct io_row *row = &reading->io.row[i];

		stack_key_take(&reading->key, row->key, io_stacks_value_of(row, value), take,
			       context);
	}
}

const struct stack_source stack_source_io = {
	.name = "io",
	.family = EVT_FAMILY_io,
	.values = 1u << STACK_BYTES | 1u << STACK_CALLS | 1u << STACK_TIME,
	.first = STACK_TIME,
	.want = io_stacks_want,
	.put = io_stacks_put,
};
