/* SPDX-License-Identifier: MIT */
/* Memory of PyTorch's tensors: see tensors.h. */
#include "report/tensors/tensors.h"

#include <stdlib.h>

#include "report/base/size_class.h"
#include "report/base/memory.h"
#include "report/base/recents.h"

#define BLOCK_NONE UINT32_MAX
#define ROW_OUTSIDE UINT32_MAX /* of a block whose allocation does not count */

struct tensor_block {
	uint64_t bytes;
	uint32_t row;
	uint32_t next, previous; /* among those of its process; `next` among the unused */
};

struct tensor_process {
	struct recents frees, displaced;
	uint32_t first; /* of its blocks */
	bool is_gone;   /* it has ended: what is told of it late is held by nobody */
	uint64_t ended_ns;
};

void tensors_init(struct tensors *tensors, enum tensors_by by, const struct source *source)
{
	*tensors = (struct tensors){ .by = by,
				     .unused = BLOCK_NONE,
				     .layers_due_ns = LAYERS_NEVER };
	map_init(&tensors->rows);
	map_init(&tensors->devices);
	map_init(&tensors->blocks);
	holdings_init(&tensors->reserved, source);
}

void tensors_release(struct tensors *tensors)
{
	for (size_t i = 0; i < tensors->process_room; i++)
		free(tensors->process[i]);
	free(tensors->process);
	free(tensors->row);
	free(tensors->device);
	free(tensors->block);
	map_release(&tensors->rows);
	map_release(&tensors->devices);
	map_release(&tensors->blocks);
	holdings_release(&tensors->reserved);
	if (tensors->layers)
		layers_release(tensors->layers);
	free(tensors->layers);
}

/* --- what they consist of over time --- */

void tensors_keep_layers(struct tensors *tensors)
{
	if (tensors->layers)
		return;
	tensors->layers = memory_zero(1, sizeof(*tensors->layers));
	layers_init(tensors->layers);
	tensors->layers_due_ns = tensors->layers->due_ns;
}

static uint64_t tensors_row_held_bytes(const void *owner, size_t row)
{
	const struct tensor_row *of = &((const struct tensors *)owner)->row[row];

	return of->live_bytes - of->gone_bytes;
}

static uint64_t held_bytes(const struct tensor_live *live)
{
	return live->bytes - live->gone_bytes;
}

static void tensors_look_layers(struct tensors *tensors, uint64_t time_ns)
{
	layers_look(tensors->layers, time_ns, held_bytes(&tensors->live), tensors,
		    tensors->row_count, tensors_row_held_bytes);
	tensors->layers_due_ns = tensors->layers->due_ns;
}

static struct tensor_process *tensors_process_at(struct tensors *tensors, uint32_t index)
{
	tensors->process = memory_room(tensors->process, index, &tensors->process_room,
				       sizeof(struct tensor_process *));
	if (!tensors->process[index]) {
		tensors->process[index] = memory_zero(1, sizeof(**tensors->process));
		tensors->process[index]->first = BLOCK_NONE;
	}
	return tensors->process[index];
}

static uint32_t tensors_device_of(struct tensors *tensors, uint64_t device)
{
	struct map_entry *entry;
	bool added;

	entry = map_put(&tensors->devices, device + (device != UINT64_MAX), &added);
	if (!added)
		return (uint32_t)entry->value;
	entry->value = tensors->device_count;
	tensors->device = memory_room(tensors->device, tensors->device_count, &tensors->device_room,
				      sizeof(*tensors->device));
	tensors->device[tensors->device_count].device = device;
	curve_init(&tensors->device[tensors->device_count].curve);
	return (uint32_t)tensors->device_count++;
}

static uint32_t tensors_row_of(struct tensors *tensors, uint32_t device, uint64_t key)
{
	uint64_t words[] = { device, key };
	struct map_entry *entry;
	bool added;

	entry = map_put(&tensors->rows, map_hash_bytes(words, sizeof(words), 0), &added);
	if (!added)
		return (uint32_t)entry->value;
	entry->value = tensors->row_count;
	tensors->row = memory_room(tensors->row, tensors->row_count, &tensors->row_room,
				   sizeof(*tensors->row));
	tensors->row[tensors->row_count] = (struct tensor_row){ .key = key, .device = device };
	return (uint32_t)tensors->row_count++;
}

/* --- what lives --- */

static void live_add(struct tensor_live *live, uint64_t bytes, uint64_t time_ns)
{
	live->allocations++;
	live->bytes += bytes;
	if (held_bytes(live) <= live->peak_bytes)
		return;
	live->peak_bytes = held_bytes(live);
	live->peak_time_ns = time_ns;
	live->peak_number++;
}

/* Must come before a row's live bytes change: keeps what they were at the last peak. */
static void row_keep_peak(const struct tensors *tensors, struct tensor_row *row)
{
	uint64_t number = tensors->device[row->device].live.peak_number;

	if (row->peak_seen == number)
		return;
	row->peak_seen = number;
	row->peak_bytes = row->live_bytes - row->gone_bytes;
}

/* By the sign: the row's process has gone with them, or they were told to be freed after all. */
static void tensors_let_go(struct tensors *tensors, uint32_t row_number, uint64_t bytes)
{
	struct tensor_row *row = &tensors->row[row_number];

	row_keep_peak(tensors, row);
	row->gone_bytes += bytes;
	tensors->device[row->device].live.gone_bytes += bytes;
	tensors->live.gone_bytes += bytes;
}

static void tensors_live_add(struct tensors *tensors, const struct tensor_process *process,
			     uint32_t row_number, uint64_t bytes, uint64_t time_ns)
{
	struct tensor_row *row = &tensors->row[row_number];
	struct tensor_device *device = &tensors->device[row->device];

	row_keep_peak(tensors, row);
	if (process->is_gone)
		tensors_let_go(tensors, row_number, bytes);
	row->live_allocations++;
	row->live_bytes += bytes;
	live_add(&device->live, bytes, time_ns);
	live_add(&tensors->live, bytes, time_ns);
	curve_put(&device->curve, time_ns, held_bytes(&device->live));
}

static void tensors_live_drop(struct tensors *tensors, const struct tensor_process *process,
			      uint32_t row_number, uint64_t bytes, uint64_t time_ns)
{
	struct tensor_row *row = &tensors->row[row_number];
	struct tensor_device *device = &tensors->device[row->device];

	row_keep_peak(tensors, row);
	if (process->is_gone)
		tensors_let_go(tensors, row_number, 0 - bytes);
	row->live_allocations--;
	row->live_bytes -= bytes;
	device->live.allocations--;
	device->live.bytes -= bytes;
	tensors->live.allocations--;
	tensors->live.bytes -= bytes;
	curve_put(&device->curve, time_ns, held_bytes(&device->live));
}

void tensors_end_process(struct tensors *tensors, uint32_t index, uint64_t time_ns)
{
	struct tensor_process *process = tensors_process_at(tensors, index);

	if (process->is_gone)
		return;
	process->is_gone = true;
	process->ended_ns = time_ns;
	if (time_ns >= tensors->layers_due_ns)
		tensors_look_layers(tensors, time_ns);
	for (uint32_t at = process->first; at != BLOCK_NONE; at = tensors->block[at].next)
		if (tensors->block[at].row != ROW_OUTSIDE)
			tensors_let_go(tensors, tensors->block[at].row, tensors->block[at].bytes);
	for (size_t i = 0; i < tensors->device_count && process->first != BLOCK_NONE; i++)
		curve_put(&tensors->device[i].curve, time_ns, held_bytes(&tensors->device[i].live));
}

/* --- the end --- */

/* 0: some process has not ended. */
static uint64_t last_end(const struct tensors *tensors)
{
	uint64_t last = 0;

	for (size_t i = 0; i < tensors->process_room; i++) {
		const struct tensor_process *process = tensors->process[i];

		if (process && !process->is_gone)
			return 0;
		if (process && process->ended_ns > last)
			last = process->ended_ns;
	}
	return last;
}

/* The end of the last one that ran is the end of the recording. */
static void tensors_take_back_last(struct tensors *tensors)
{
	uint64_t last = last_end(tensors);

	for (size_t i = 0; last && i < tensors->process_room; i++) {
		const struct tensor_process *process = tensors->process[i];

		if (!process || process->ended_ns != last)
			continue;
		for (uint32_t at = process->first; at != BLOCK_NONE; at = tensors->block[at].next)
			if (tensors->block[at].row != ROW_OUTSIDE)
				tensors_let_go(tensors, tensors->block[at].row,
					       0 - tensors->block[at].bytes);
	}
}

const struct layers *tensors_end_layers(struct tensors *tensors, uint64_t end_ns)
{
	if (tensors->layers_due_ns == LAYERS_NEVER)
		return tensors->layers;
	tensors_take_back_last(tensors);
	layers_end(tensors->layers, end_ns, held_bytes(&tensors->live), tensors, tensors->row_count,
		   tensors_row_held_bytes);
	tensors->layers_due_ns = LAYERS_NEVER;
	return tensors->layers;
}

/* --- what happens --- */

static void flow_add(struct tensor_flow *flow, uint64_t bytes, bool is_free)
{
	if (is_free) {
		flow->frees++;
		flow->bytes_freed += bytes;
	} else {
		flow->allocations++;
		flow->bytes_allocated += bytes;
	}
}

/* At the key, and once in each thing around it. */
static uint32_t tensors_count(struct tensors *tensors, const struct tensor_op *op, uint64_t bytes,
			      bool is_free)
{
	uint32_t device = tensors_device_of(tensors, op->device);
	uint64_t key = tensors->by == TENSORS_BY_SIZE ? size_class(bytes) : op->key;
	uint32_t row = tensors_row_of(tensors, device, key);

	flow_add(&tensors->row[row].self, bytes, is_free);
	flow_add(&tensors->row[row].total, bytes, is_free);
	for (unsigned int i = 0; i < op->outer_count; i++) {
		bool again = op->outer[i] == op->key;
		uint32_t around;

		for (unsigned int j = 0; j < i && !again; j++)
			again = op->outer[j] == op->outer[i];
		if (again)
			continue;
		around = tensors_row_of(tensors, device, op->outer[i]);
		flow_add(&tensors->row[around].total, bytes, is_free);
	}
	return row;
}

static uint64_t tensors_identity_of(const struct tensor_op *op)
{
	uint64_t words[] = { op->process, op->device == 0, op->address };

	return map_hash_bytes(words, sizeof(words), 0);
}

static uint32_t tensors_take_block(struct tensors *tensors)
{
	uint32_t at = tensors->unused;

	if (at != BLOCK_NONE) {
		tensors->unused = tensors->block[at].next;
		return at;
	}
	tensors->block = memory_room(tensors->block, tensors->block_count, &tensors->block_room,
				     sizeof(*tensors->block));
	return (uint32_t)tensors->block_count++;
}

static void tensors_add_block(struct tensors *tensors, struct tensor_process *process,
			      uint64_t identity, uint64_t bytes, uint32_t row)
{
	uint32_t at = tensors_take_block(tensors);
	bool added;

	tensors->block[at] = (struct tensor_block){
		.bytes = bytes, .row = row, .next = process->first, .previous = BLOCK_NONE
	};
	if (process->first != BLOCK_NONE)
		tensors->block[process->first].previous = at;
	process->first = at;
	map_put(&tensors->blocks, identity, &added)->value = at;
}

static struct tensor_block tensors_drop_block(struct tensors *tensors,
					      struct tensor_process *process,
					      struct map_entry *known)
{
	uint32_t at = (uint32_t)known->value;
	struct tensor_block block = tensors->block[at];

	if (block.next != BLOCK_NONE)
		tensors->block[block.next].previous = block.previous;
	if (block.previous != BLOCK_NONE)
		tensors->block[block.previous].next = block.next;
	else
		process->first = block.next;
	tensors->block[at].next = tensors->unused;
	tensors->unused = at;
	map_remove(&tensors->blocks, known);
	return block;
}

/* The block has been freed: of the totals, and of what lives when it still did. */
static void tensors_end_block(struct tensors *tensors, uint32_t row, uint64_t bytes)
{
	if (row == ROW_OUTSIDE)
		return;
	flow_add(&tensors->flow, bytes, true);
	flow_add(&tensors->device[tensors->row[row].device].flow, bytes, true);
}

/* An allocation of an address that is live: its free was lost, or comes within the tolerance. */
static void tensors_displace(struct tensors *tensors, const struct tensor_op *op,
			     struct map_entry *known)
{
	struct tensor_process *process = tensors_process_at(tensors, op->process);
	struct tensor_block block = tensors_drop_block(tensors, process, known);

	recents_put(&process->displaced, (struct recent){ op->address, op->time_ns, block.bytes,
							  op->thread, block.row });
	if (block.row == ROW_OUTSIDE)
		return;
	tensors->reused++;
	tensors_live_drop(tensors, process, block.row, block.bytes, op->time_ns);
}

void tensors_allocate(struct tensors *tensors, const struct tensor_op *op)
{
	struct tensor_process *process = tensors_process_at(tensors, op->process);
	uint64_t identity = tensors_identity_of(op);
	struct map_entry *known = map_find(&tensors->blocks, identity);
	uint32_t row = ROW_OUTSIDE;
	struct recent early;

	if (op->time_ns >= tensors->layers_due_ns)
		tensors_look_layers(tensors, op->time_ns);
	if (op->counts) {
		row = tensors_count(tensors, op, op->bytes, false);
		flow_add(&tensors->flow, op->bytes, false);
		flow_add(&tensors->device[tensors->row[row].device].flow, op->bytes, false);
	}
	if (process->frees.count &&
	    recents_take(&process->frees, op->address, op->time_ns, op->thread, &early)) {
		tensors->frees_unmatched -= early.row;
		tensors_end_block(tensors, row, op->bytes);
		return;
	}
	if (known)
		tensors_displace(tensors, op, known);
	tensors_add_block(tensors, process, identity, op->bytes, row);
	if (row != ROW_OUTSIDE)
		tensors_live_add(tensors, process, row, op->bytes, op->time_ns);
}

/* Of a block never seen. `row` of its entry: what it added to frees_unmatched. */
static uint64_t tensors_free_unmatched(struct tensors *tensors, const struct tensor_op *op)
{
	tensors->frees_unmatched += op->counts;
	recents_put(&tensors_process_at(tensors, op->process)->frees,
		    (struct recent){ op->address, op->time_ns, 0, op->thread, op->counts });
	return op->bytes;
}

uint64_t tensors_free(struct tensors *tensors, const struct tensor_op *op)
{
	struct tensor_process *process = tensors_process_at(tensors, op->process);
	struct map_entry *known = map_find(&tensors->blocks, tensors_identity_of(op));
	struct tensor_block block = { .row = ROW_OUTSIDE };
	struct recent old;

	if (op->time_ns >= tensors->layers_due_ns)
		tensors_look_layers(tensors, op->time_ns);
	if (process->displaced.count &&
	    recents_take(&process->displaced, op->address, op->time_ns, op->thread, &old)) {
		tensors->reused -= old.row != ROW_OUTSIDE;
		block.bytes = old.size;
		block.row = old.row;
	} else if (known) {
		block = tensors_drop_block(tensors, process, known);
		if (block.row != ROW_OUTSIDE)
			tensors_live_drop(tensors, process, block.row, block.bytes, op->time_ns);
	} else {
		return tensors_free_unmatched(tensors, op);
	}
	tensors_end_block(tensors, block.row, block.bytes);
	if (op->counts)
		(void)tensors_count(tensors, op, block.bytes, true);
	return block.bytes;
}

static void drop_reserved(void *owner, const struct holding *gone)
{
	struct tensors *tensors = owner;
	uint32_t index = tensors_device_of(tensors, gone->thing);

	tensors->device[index].reserved -= gone->bytes;
}

void tensors_reserve(struct tensors *tensors, const struct source_process *process,
		     uint64_t time_ns, uint64_t device, uint64_t bytes)
{
	uint32_t index = tensors_device_of(tensors, device), place;
	struct tensor_device *of = &tensors->device[index];
	struct holding *holding;

	holdings_drop_ended(&tensors->reserved, time_ns, drop_reserved, tensors);
	place = holdings_place(&tensors->reserved, process, device);
	holding = &tensors->reserved.holding[place];
	if (holding->is_gone)
		return;
	of->reserved += bytes - holding->bytes;
	holding->bytes = bytes;
	if (of->reserved > of->reserved_peak)
		of->reserved_peak = of->reserved;
}

void tensors_fail(struct tensors *tensors, uint64_t device)
{
	uint32_t index = tensors_device_of(tensors, device);

	tensors->ooms++;
	tensors->device[index].ooms++;
}

void tensors_finish(struct tensors *tensors)
{
	for (size_t i = 0; i < tensors->row_count; i++)
		row_keep_peak(tensors, &tensors->row[i]);
}
