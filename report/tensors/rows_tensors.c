/* SPDX-License-Identifier: MIT */
/* Memory of tensors as a table: see rows_tensors.h. */
#include "report/tensors/rows_tensors.h"

#include <stdio.h>
#include <string.h>

#include "report/base/size_class.h"
#include "report/core/keys.h"
#include "report/torch/rows_ops.h"
#include "report/nvtx/rows_ranges.h"
#include "report/process/rows_threads.h"

_Static_assert(BY_tensors_device - BY_tensors_op == (int)TENSORS_BY_DEVICE &&
		       BY_tensors_range - BY_tensors_op == (int)TENSORS_BY_RANGE &&
		       BY_tensors_thread - BY_tensors_op == (int)TENSORS_BY_THREAD &&
		       BY_tensors_size - BY_tensors_op == (int)TENSORS_BY_SIZE,
	       "the tensors' keys are those of family.def");

const char *tensor_device_text(uint64_t device, char ret_text[TENSOR_DEVICE_BYTES])
{
	/* c10::DeviceTypeName() */
	static const char *const types[] = {
		"cpu",  "cuda", "mkldnn", "opengl", "opencl", "ideep", "hip",
		"fpga", "maia", "xla",    "vulkan", "metal",  "xpu",   "mps",
		"meta", "hpu",  "ve",     "lazy",   "ipu",    "mtia",  "privateuseone",
	};
	uint64_t type = device >> 8, number = device & 0xff;
	int used;

	if (type < sizeof(types) / sizeof(types[0]))
		used = snprintf(ret_text, TENSOR_DEVICE_BYTES, "%s", types[type]);
	else
		used = snprintf(ret_text, TENSOR_DEVICE_BYTES, "device %llu",
				(unsigned long long)type);
	if (number)
		snprintf(ret_text + used, TENSOR_DEVICE_BYTES - (size_t)used, ":%u",
			 (unsigned int)number - 1);
	return ret_text;
}

static struct operator_text name_shown(const struct model *model, uint64_t name)
{
	struct operator_text text;

	text.text = name_text(source_name_at(model->source, name - 1), &text.length);
	return operator_text_shown(text);
}

/* The name of an operator, "parent (aten::empty)" of one that only allocates. */
static struct operator_text op_text(const struct model *model, struct table *table, uint64_t key)
{
	uint64_t name = key & UINT32_MAX, around = key >> 32;
	struct operator_text inner, outer;

	if (!name)
		return (struct operator_text){ NO_OPERATOR, strlen(NO_OPERATOR) };
	inner = name_shown(model, name);
	if (!around)
		return inner;
	outer = name_shown(model, around);
	inner.text = text_store_format(&table->texts, "%.*s (%.*s)", (int)outer.length, outer.text,
				       (int)inner.length, inner.text);
	return (struct operator_text){ inner.text, strlen(inner.text) };
}

static void put_thread(const struct model *model, struct table *table, uint64_t index)
{
	struct source_thread *const *thread;

	if (index >= source_threads(model->source, &thread))
		return;
	table_set_number(table, COLUMN_tensors_thread, thread[index]->tid);
	table_set_number(table, COLUMN_tensors_pid, thread[index]->process->pid);
	thread_put_name(thread[index], table, COLUMN_tensors_name);
}

static void put_key(const struct model *model, struct table *table, const struct tensor_row *row)
{
	struct device_place place = { .in_range = row->key != 0,
				      .domain = (uint32_t)((row->key >> 32) - 1),
				      .name = (uint32_t)(row->key - 1) };
	struct operator_text op;

	switch (model->tensors.by) {
	case TENSORS_BY_OP:
		op = op_text(model, table, row->key);
		table_set_text(table, COLUMN_tensors_op, op.text, op.length);
		break;
	case TENSORS_BY_RANGE:
		range_put_place(
			table, model, &place,
			(struct place_columns){ COLUMN_tensors_range, COLUMN_tensors_domain });
		break;
	case TENSORS_BY_THREAD:
		put_thread(model, table, row->key);
		break;
	case TENSORS_BY_SIZE:
		table_set_number(table, COLUMN_tensors_size,
				 size_class_top((unsigned int)row->key));
		break;
	case TENSORS_BY_DEVICE:
		break;
	}
}

static void put_flows(struct table *table, const struct tensor_row *row)
{
	table_set_signed(table, COLUMN_tensors_size_increase,
			 (int64_t)(row->total.bytes_allocated - row->total.bytes_freed));
	table_set_signed(table, COLUMN_tensors_self_size_increase,
			 (int64_t)(row->self.bytes_allocated - row->self.bytes_freed));
	table_set_number(table, COLUMN_tensors_allocations, row->total.allocations);
	table_set_number(table, COLUMN_tensors_self_allocations, row->self.allocations);
	table_set_number(table, COLUMN_tensors_bytes_allocated, row->total.bytes_allocated);
	table_set_number(table, COLUMN_tensors_self_bytes_allocated, row->self.bytes_allocated);
	table_set_number(table, COLUMN_tensors_frees, row->total.frees);
}

static void put_row(const struct model *model, struct table *table, const struct tensor_row *row)
{
	const struct tensor_device *device = &model->tensors.device[row->device];
	char text[TENSOR_DEVICE_BYTES];

	table_add_row(table);
	put_key(model, table, row);
	tensor_device_text(device->device, text);
	table_set_text(table, COLUMN_tensors_device,
		       text_store_put(&table->texts, text, strlen(text)), strlen(text));
	put_flows(table, row);
	table_set_number(table, COLUMN_tensors_peak_bytes, row->peak_bytes);
	if (device->live.peak_bytes)
		table_set_real(table, COLUMN_tensors_peak_percent,
			       100.0 * (double)row->peak_bytes / (double)device->live.peak_bytes);
	table_set_number(table, COLUMN_tensors_live_allocations, row->live_allocations);
	table_set_number(table, COLUMN_tensors_live_bytes, row->live_bytes);
	if (model->tensors.by != TENSORS_BY_DEVICE)
		return;
	table_set_number(table, COLUMN_tensors_ooms, device->ooms);
	if (device->reserved_peak)
		table_set_number(table, COLUMN_tensors_reserved_peak_bytes, device->reserved_peak);
}

void tensors_fill_table(struct model *model, struct table *table)
{
	for (size_t i = 0; i < model->tensors.row_count; i++)
		put_row(model, table, &model->tensors.row[i]);
}
