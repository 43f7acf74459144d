/* SPDX-License-Identifier: MIT */
/*
 * Makes the table of report tensors from the rows of tensors.h; names of devices are those of
 * PyTorch.
 */
#include "report/tensors/rows_tensors.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "report/base/size_class.h"
#include "report/tensors/tensor_events.h"

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

/* "parent (aten::empty)" for an operator that only allocates on behalf of the enclosing one. */
static const char *nested_text(const struct run_key *key, uint64_t value, struct text_store *texts)
{
	uint64_t around = tensor_key_around(value);
	const char *inner, *outer;
	size_t inner_length, outer_length;

	inner = key->kind->text(key->state, tensor_key_inner(value), &inner_length);
	if (!around)
		return text_store_format(texts, "%.*s", (int)inner_length, inner);
	outer = key->kind->text(key->state, around, &outer_length);
	return text_store_format(texts, "%.*s (%.*s)", (int)outer_length, outer, (int)inner_length,
				 inner);
}

static void put_nested_key(const struct run_key *key, struct table *table, uint64_t value)
{
	const char *text;

	if (!tensor_key_around(value)) {
		key_put(key, value, table);
		return;
	}
	text = nested_text(key, value, &table->texts);
	table_set_text(table, key->column[0], text, strlen(text));
}

const char *tensors_row_text(const struct tensors *tensors, const struct tensor_row *row,
			     struct text_store *texts)
{
	const struct run_key *key = tensors_key(tensors);

	if (!row->key || !key->kind || !key->kind->text)
		return "(no operator)";
	return nested_text(key, row->key, texts);
}

static void put_key(const struct tensors *tensors, struct table *table,
		    const struct tensor_row *row)
{
	const struct run_key *key = tensors_key(tensors);

	if (tensors->by == TENSORS_BY_SIZE)
		table_set_number(table, COLUMN_tensors_size,
				 size_class_top((unsigned int)row->key));
	else if (key->kind && key->kind->around)
		put_nested_key(key, table, row->key);
	else
		key_put(key, row->key, table);
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

static void rows_tensors_put_row(const struct tensors *tensors, struct table *table,
				 const struct tensor_row *row)
{
	const struct tensor_device *device = &tensors->device[row->device];
	char text[TENSOR_DEVICE_BYTES];

	table_add_row(table);
	put_key(tensors, table, row);
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
	table_set_number(table, COLUMN_tensors_ooms, device->ooms);
	if (device->reserved_peak)
		table_set_number(table, COLUMN_tensors_reserved_peak_bytes, device->reserved_peak);
}

static void flow_join(struct tensor_flow *into, const struct tensor_flow *from)
{
	into->allocations += from->allocations;
	into->frees += from->frees;
	into->bytes_allocated += from->bytes_allocated;
	into->bytes_freed += from->bytes_freed;
}

static void row_join(struct tensor_row *into, const struct tensor_row *from)
{
	flow_join(&into->self, &from->self);
	flow_join(&into->total, &from->total);
	into->live_allocations += from->live_allocations;
	into->live_bytes += from->live_bytes;
	into->peak_bytes += from->peak_bytes;
}

/* Joins rows of a device whose keys mean the same into the first of them. */
static void put_settled(struct tensors *tensors, struct table *table)
{
	const struct run_key *key = tensors_key(tensors);
	struct map rows;
	bool added, *is_row = memory_zero(tensors->row_count + 1, sizeof(*is_row));

	map_init(&rows);
	for (size_t i = 0; i < tensors->row_count; i++) {
		struct tensor_row *row = &tensors->row[i];
		uint64_t words[2] = { row->device, key_settle(key, row->key) };
		struct map_entry *first;

		row->key = words[1];
		if (row->key == KEY_LEFT_OUT)
			continue;
		first = map_put(&rows, map_hash_bytes(words, sizeof(words), 0), &added);
		is_row[i] = added;
		if (added)
			first->value = i;
		else
			row_join(&tensors->row[first->value], row);
	}
	for (size_t i = 0; i < tensors->row_count; i++)
		if (is_row[i])
			rows_tensors_put_row(tensors, table, &tensors->row[i]);
	map_release(&rows);
	free(is_row);
}

void tensors_fill_table(struct tensors *tensors, struct table *table)
{
	const struct run_key *key = tensors_key(tensors);

	if (key->kind && key->kind->settle) {
		put_settled(tensors, table);
		return;
	}
	for (size_t i = 0; i < tensors->row_count; i++)
		rows_tensors_put_row(tensors, table, &tensors->row[i]);
}
