/* SPDX-License-Identifier: MIT */
/*
 * Keeps live blocks in a map by identity, and those that a device reset frees in one list per
 * process and device.
 */
#include "report/cuda/device_memory.h"

#include <stdlib.h>

#include "report/base/memory.h"

#define BLOCK_NONE UINT32_MAX
#define ROW_OUTSIDE UINT32_MAX /* of a block whose allocation does not count */
#define TOLERANCE_NS 1000      /* the clocks of two threads may differ by so much */

struct device_block {
	uint64_t identity, list; /* hashes; list 0: no reset frees it */
	uint64_t time_ns, bytes;
	uint32_t row, holding;
	uint32_t previous, next; /* in its list; `next` also links unused entries */
};

void device_memory_init(struct device_memory *memory, enum device_rows by,
			const struct source *source)
{
	*memory = (struct device_memory){ .by = by, .unused = BLOCK_NONE };
	holdings_init(&memory->holdings, source);
	map_init(&memory->rows);
	map_init(&memory->blocks);
	map_init(&memory->lists);
}

void device_memory_release(struct device_memory *memory)
{
	free(memory->row);
	free(memory->block);
	ledger_release(&memory->ledger);
	holdings_release(&memory->holdings);
	map_release(&memory->rows);
	map_release(&memory->blocks);
	map_release(&memory->lists);
}

void device_memory_finish(struct device_memory *memory)
{
	ledger_finish(&memory->ledger);
}

uint64_t device_memory_at_peak(const struct device_memory *memory, uint32_t row)
{
	return ledger_at_peak(&memory->ledger, row);
}

/* Addresses, arrays and virtual memory have separate numbers. */
static uint64_t device_memory_identity_of(const struct device_memory *memory,
					  const struct device_op *op)
{
	bool is_apart = !memory->has_addresses_only &&
			(op->kind == EVT_CUDA_ARRAY || op->kind == EVT_CUDA_VIRTUAL);
	uint64_t words[] = { op->process, is_apart ? op->kind : EVT_CUDA_ANY, op->address };

	return map_hash_bytes(words, sizeof(words), 0);
}

static uint64_t list_of(const struct device_op *op)
{
	uint64_t words[] = { op->process, (uint64_t)op->device };

	return map_hash_bytes(words, sizeof(words), 0);
}

static uint32_t device_memory_row_of(struct device_memory *memory, const struct device_op *op)
{
	uint64_t kind = memory->by == DEVICE_BY_DEVICE ? device_kind_is_host(op->kind) : op->kind;
	uint64_t words[] = { kind, (uint64_t)op->device,
			     memory->by == DEVICE_BY_KEY ? op->key : 0 };
	struct map_entry *entry;
	bool added;

	entry = map_put(&memory->rows, map_hash_bytes(words, sizeof(words), 0), &added);
	if (!added)
		return (uint32_t)entry->value;
	entry->value = memory->row_count;
	memory->row = memory_room(memory->row, memory->row_count, &memory->row_room,
				  sizeof(*memory->row));
	memory->row[memory->row_count].device = op->device;
	memory->row[memory->row_count].kind = op->kind;
	memory->row[memory->row_count].key = op->key;
	return (uint32_t)memory->row_count++;
}

static struct highwater *device_memory_sum(struct device_memory *memory, uint32_t row)
{
	return device_kind_is_host(memory->row[row].kind) ? &memory->host : &memory->device;
}

static void device_memory_change(struct device_memory *memory, uint32_t row, uint64_t time_ns,
				 int64_t bytes)
{
	ledger_put(&memory->ledger,
		   &(struct ledger_change){ time_ns, bytes, row,
					    !device_kind_is_host(memory->row[row].kind) });
}

/* Notes what is not freed when a process ends. */
static bool device_memory_is_gone(const struct device_memory *memory, uint32_t holding)
{
	return holding != HOLDING_NONE && memory->holdings.holding[holding].is_gone;
}

static void device_memory_hold(struct device_memory *memory, uint32_t holding, uint64_t bytes)
{
	if (holding != HOLDING_NONE)
		memory->holdings.holding[holding].bytes += bytes;
}

static void row_lower(struct device_memory *memory, uint32_t row, uint64_t from_ns, uint64_t bytes)
{
	highwater_lower(&memory->row[row].live, from_ns, bytes);
	highwater_lower(device_memory_sum(memory, row), from_ns, bytes);
	device_memory_change(memory, row, from_ns, -(int64_t)bytes);
}

static void row_raise(struct device_memory *memory, uint32_t row, uint64_t time_ns, uint64_t bytes)
{
	highwater_raise(&memory->row[row].live, time_ns, bytes);
	highwater_raise(device_memory_sum(memory, row), time_ns, bytes);
	device_memory_change(memory, row, time_ns, (int64_t)bytes);
}

static void drop_of_ended(void *owner, const struct holding *gone)
{
	row_lower(owner, (uint32_t)gone->thing, gone->process->end_ns, gone->bytes);
}

static uint64_t *device_memory_left(struct device_memory *memory, uint32_t row)
{
	return device_kind_is_host(memory->row[row].kind) ? &memory->host_left
							  : &memory->device_left;
}

static void device_memory_lower(struct device_memory *memory, const struct device_block *block,
				uint64_t from_ns)
{
	if (block->row == ROW_OUTSIDE)
		return;
	memory->row[block->row].left -= block->bytes;
	*device_memory_left(memory, block->row) -= block->bytes;
	if (device_memory_is_gone(memory, block->holding))
		return;
	device_memory_hold(memory, block->holding, 0 - block->bytes);
	row_lower(memory, block->row, from_ns < block->time_ns ? block->time_ns : from_ns,
		  block->bytes);
}

static uint32_t device_memory_take_block(struct device_memory *memory)
{
	uint32_t at = memory->unused;

	if (at != BLOCK_NONE) {
		memory->unused = memory->block[at].next;
		return at;
	}
	memory->block = memory_room(memory->block, memory->block_count, &memory->block_room,
				    sizeof(*memory->block));
	return (uint32_t)memory->block_count++;
}

static void device_memory_link(struct device_memory *memory, uint32_t at)
{
	struct device_block *block = &memory->block[at];
	struct map_entry *list;
	bool added;

	block->previous = block->next = BLOCK_NONE;
	if (!block->list)
		return;
	list = map_put(&memory->lists, block->list, &added);
	if (!added) {
		block->next = (uint32_t)list->value;
		memory->block[block->next].previous = at;
	}
	list->value = at;
}

/* Removes a block from its list and from the map. */
static void device_memory_drop_block(struct device_memory *memory, uint32_t at)
{
	struct device_block *block = &memory->block[at];

	if (block->next != BLOCK_NONE)
		memory->block[block->next].previous = block->previous;
	if (block->previous != BLOCK_NONE) {
		memory->block[block->previous].next = block->next;
	} else if (block->list) {
		struct map_entry *list = map_find(&memory->lists, block->list);

		if (block->next != BLOCK_NONE)
			list->value = block->next;
		else
			map_remove(&memory->lists, list);
	}
	map_remove(&memory->blocks, map_find(&memory->blocks, block->identity));
	block->next = memory->unused;
	memory->unused = at;
}

/* The block's free has begun, and its event will come. */
static void device_memory_displace(struct device_memory *memory, uint32_t at, uint64_t time_ns)
{
	const struct device_block *block = &memory->block[at];

	memory->displaced[memory->displaced_next] = (struct device_displaced){
		.identity = block->identity,
		.born_ns = block->time_ns,
		.time_ns = time_ns,
		.bytes = block->bytes,
		.row = block->row,
		.holding = block->holding
	};
	memory->displaced_next = (memory->displaced_next + 1) % DISPLACED_MAX;
	memory->reused += block->row != ROW_OUTSIDE;
	device_memory_lower(memory, block, time_ns);
	device_memory_drop_block(memory, at);
}

void device_memory_allocate(struct device_memory *memory, const struct device_op *op)
{
	uint64_t identity = device_memory_identity_of(memory, op);
	struct map_entry *known = map_find(&memory->blocks, identity);
	uint32_t row = op->counts ? device_memory_row_of(memory, op) : ROW_OUTSIDE, at;
	uint32_t holding = HOLDING_NONE;
	bool added;

	holdings_drop_ended(&memory->holdings, op->time_ns, drop_of_ended, memory);
	if (row != ROW_OUTSIDE)
		holding = holdings_place(&memory->holdings, op->holder, row);
	if (known)
		device_memory_displace(memory, (uint32_t)known->value, op->time_ns);
	at = device_memory_take_block(memory);
	memory->block[at] = (struct device_block){
		.identity = identity,
		.list = device_kind_is_host(op->kind) ? 0 : list_of(op),
		.time_ns = op->time_ns,
		.bytes = op->bytes,
		.row = row,
		.holding = holding,
	};
	device_memory_link(memory, at);
	map_put(&memory->blocks, identity, &added)->value = at;
	if (row == ROW_OUTSIDE)
		return;
	memory->row[row].allocations++;
	memory->row[row].bytes_allocated += op->bytes;
	memory->row[row].left += op->bytes;
	*device_memory_left(memory, row) += op->bytes;
	if (device_memory_is_gone(memory, holding))
		return;
	device_memory_hold(memory, holding, op->bytes);
	row_raise(memory, row, op->time_ns, op->bytes);
}

/* Takes the free of a block whose address was allocated again meanwhile. */
static bool device_memory_free_displaced(struct device_memory *memory, uint64_t identity,
					 uint64_t begin_ns)
{
	struct device_displaced *first = NULL;

	for (unsigned int i = 0; i < DISPLACED_MAX; i++) {
		struct device_displaced *displaced = &memory->displaced[i];

		if (displaced->identity == identity && displaced->time_ns >= begin_ns &&
		    (!first || displaced->time_ns < first->time_ns))
			first = displaced;
	}
	if (!first)
		return false;
	first->identity = 0;
	if (first->row == ROW_OUTSIDE)
		return true;
	if (begin_ns < first->born_ns)
		begin_ns = first->born_ns;
	memory->reused--;
	memory->row[first->row].frees++;
	if (device_memory_is_gone(memory, first->holding))
		return true;
	highwater_correct(&memory->row[first->row].live, begin_ns, first->time_ns, first->bytes);
	highwater_correct(device_memory_sum(memory, first->row), begin_ns, first->time_ns,
			  first->bytes);
	if (begin_ns >= first->time_ns)
		return true;
	device_memory_change(memory, first->row, begin_ns, -(int64_t)first->bytes);
	device_memory_change(memory, first->row, first->time_ns, (int64_t)first->bytes);
	return true;
}

static void device_memory_end(struct device_memory *memory, uint32_t at, uint64_t begin_ns)
{
	const struct device_block *block = &memory->block[at];

	device_memory_lower(memory, block, begin_ns);
	if (block->row != ROW_OUTSIDE)
		memory->row[block->row].frees++;
	device_memory_drop_block(memory, at);
}

static void device_memory_reset(struct device_memory *memory, const struct device_op *op)
{
	const struct map_entry *list;
	uint64_t key = list_of(op);

	while ((list = map_find(&memory->lists, key)))
		device_memory_end(memory, (uint32_t)list->value, op->begin_ns);
}

void device_memory_free(struct device_memory *memory, const struct device_op *op)
{
	const struct map_entry *known;
	uint64_t identity;

	if (op->kind == EVT_CUDA_ALL) {
		device_memory_reset(memory, op);
		return;
	}
	identity = device_memory_identity_of(memory, op);
	if (device_memory_free_displaced(memory, identity, op->begin_ns))
		return;
	known = map_find(&memory->blocks, identity);
	/* a block that was allocated after the call began is not the one that the call frees */
	if (!known || memory->block[known->value].time_ns > op->begin_ns + TOLERANCE_NS)
		memory->frees_unmatched += op->counts;
	else
		device_memory_end(memory, (uint32_t)known->value, op->begin_ns);
}
