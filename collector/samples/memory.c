/* SPDX-License-Identifier: MIT */
/*
 * Keeps a list of parts (address, length, offset in one buffer). Parts in one page are joined. One
 * process_vm_readv() reads all of them; the part at which it stops becomes empty, and the read goes
 * on behind it.
 */
#include "collector/samples/memory.h"

#include <stdlib.h>
#include <string.h>

#include "collector/format/events.h"

/* Limits of the first read; the rest of the room is for what is asked for later. */
#define HINT_BYTES_MAX (48u * MEMORY_PAGE)
#define HINT_PARTS_MAX 480u
/* A joined part may have so many bytes: copying them costs less than a part of its own. */
#define JOINED_MAX 1024u
#define JOINED_AMONG 32u /* only the last parts are tried for joining */
#define AGED_MAX 24u     /* hints of a thread that its last look did not use */
#define AGE_MAX 48u
#define WATCHED_PARTS (2u * MEMORY_WATCHED)
#define WATCHED_BYTES (WATCHED_PARTS * (uint32_t)sizeof(uint64_t))

static ssize_t read_process(uint32_t pid, const struct iovec *local, size_t local_count,
			    const struct iovec *remote, size_t remote_count)
{
	return process_vm_readv((pid_t)pid, local, local_count, remote, remote_count, 0);
}

int memory_init(struct memory *memory)
{
	memset(memory, 0, sizeof(*memory));
	memory->read = read_process;
	memory->data = malloc(MEMORY_BYTES + WATCHED_BYTES);
	return memory->data ? 0 : -1;
}

void memory_release(struct memory *memory)
{
	free(memory->data);
	memory->data = NULL;
}

/* Reads the listed parts. A part that cannot be read becomes empty; those behind it are read. */
static void read_listed(struct memory *memory, struct memory_part *const *listed, uint32_t limit)
{
	struct iovec local[MEMORY_PARTS + WATCHED_PARTS], remote[MEMORY_PARTS + WATCHED_PARTS];
	uint32_t first = 0;

	while (first < limit) {
		uint32_t count = limit - first, i = 0;
		ssize_t got;

		for (i = 0; i < count; i++) {
			const struct memory_part *part = listed[first + i];

			local[i] = (struct iovec){ memory->data + part->offset, part->bytes };
			remote[i] = (struct iovec){ (void *)(uintptr_t)part->address, part->bytes };
		}
		memory->calls++;
		got = memory->read(memory->pid, local, count, remote, count);
		if (got < 0)
			memory->error = errno;
		for (i = 0; i < count && got >= (ssize_t)listed[first + i]->bytes; i++)
			got -= (ssize_t)listed[first + i]->bytes;
		first += i;
		if (i < count)
			listed[first++]->bytes = 0;
		if (memory_is_refused(memory))
			break;
	}
	for (; first < limit; first++)
		listed[first]->bytes = 0;
}

/* Reads all parts from `first` on. */
static void read_parts(struct memory *memory, uint32_t first)
{
	struct memory_part *listed[MEMORY_PARTS];
	uint32_t count = 0;

	for (; first < memory->count; first++)
		listed[count++] = &memory->part[first];
	read_listed(memory, listed, count);
}

/* Appends the moving parts of `from` to `to` bytes to the list; returns its new length. */
static uint32_t list_moving(struct memory *memory, uint32_t from, uint32_t to,
			    struct memory_part **listed, uint32_t count)
{
	for (uint32_t i = 0; i < memory->count; i++) {
		struct memory_part *part = &memory->part[i];

		if (part->moves && part->bytes >= from && part->bytes <= to)
			listed[count++] = part;
	}
	return count;
}

/* Small parts, which say where the frames are, are read before the pages of frames. */
bool memory_again(struct memory *memory, struct memory_watch *watch)
{
	struct memory_part *listed[MEMORY_PARTS + WATCHED_PARTS], word[WATCHED_PARTS];
	uint32_t count = 0, words = 0;
	bool is_read = true;

	memory->is_again = true;
	for (; words < 2 * watch->count; words++)
		word[words] = (struct memory_part){ .address = watch->address[words % watch->count],
						    .bytes = sizeof(uint64_t),
						    .offset = MEMORY_BYTES + 8 * words };
	for (uint32_t i = 0; i < watch->count; i++)
		listed[count++] = &word[i];
	count = list_moving(memory, 1, MEMORY_PAGE / 2, listed, count);
	count = list_moving(memory, MEMORY_PAGE / 2 + 1, MEMORY_PAGE, listed, count);
	memory->moment_from = 0;
	memory->moment_to = memory->count;
	for (uint32_t i = watch->count; i < words; i++)
		listed[count++] = &word[i];
	read_listed(memory, listed, count);
	for (uint32_t i = 0; i < words; i++)
		is_read &= word[i].bytes != 0;
	memcpy(watch->before, memory->data + MEMORY_BYTES, watch->count * sizeof(uint64_t));
	memcpy(watch->after, memory->data + MEMORY_BYTES + 8 * watch->count,
	       watch->count * sizeof(uint64_t));
	return is_read;
}

static bool part_add(struct memory *memory, uint64_t address, uint32_t bytes)
{
	if (memory->count == MEMORY_PARTS || bytes > MEMORY_BYTES - memory->filled)
		return false;
	memory->part[memory->count++] = (struct memory_part){ address, bytes, memory->filled, false,
							      false };
	memory->filled += bytes;
	return true;
}

void memory_begin(struct memory *memory, uint32_t pid)
{
	memory->pid = pid;
	memory->count = 0;
	memory->fetched = 0;
	memory->filled = 0;
	memory->recent = 0;
	memory->joins_from = memory->moment_from = memory->moment_to = 0;
	memory->error = 0;
	memory->moving = memory->is_again = false;
}

/* Joins bytes to a part in the same page: either both can be read or neither. */
static bool part_join(struct memory *memory, struct memory_part *part, uint64_t address,
		      uint32_t bytes)
{
	uint64_t begin = address < part->address ? address : part->address;
	uint64_t end = address + bytes, part_end = part->address + part->bytes;

	if (begin / MEMORY_PAGE != (end - 1) / MEMORY_PAGE ||
	    begin / MEMORY_PAGE != (part_end - 1) / MEMORY_PAGE)
		return false;
	end = end > part_end ? end : part_end;
	if (end - begin > JOINED_MAX && end - begin > part->bytes)
		return false;
	memory->filled += (uint32_t)(end - begin) - part->bytes;
	part->address = begin;
	part->bytes = (uint32_t)(end - begin);
	return true;
}

static bool can_be_wanted(const struct memory *memory, uint64_t address, uint32_t bytes)
{
	return bytes && bytes <= MEMORY_PAGE && address <= UINT64_MAX - MEMORY_PAGE &&
	       memory->count < HINT_PARTS_MAX && memory->filled + bytes <= HINT_BYTES_MAX;
}

void memory_want(struct memory *memory, uint64_t address, uint32_t bytes)
{
	uint32_t first = memory->count > memory->joins_from + JOINED_AMONG
				 ? memory->count - JOINED_AMONG
				 : memory->joins_from;

	if (!can_be_wanted(memory, address, bytes))
		return;
	for (uint32_t i = memory->count; i > first; i--)
		if (part_join(memory, &memory->part[i - 1], address, bytes))
			return;
	(void)part_add(memory, address, bytes);
}

void memory_want_hints(struct memory *memory, const struct memory_hints *hints)
{
	for (uint32_t i = 0; i < hints->count; i++)
		memory_want(memory, hints->hint[i].address, hints->hint[i].bytes);
}

/* The words get parts of their own, because joined bytes would be read at another time. */
static bool want_words(struct memory *memory, const struct memory_watch *watch)
{
	bool is_wanted = true;

	for (uint32_t i = 0; i < watch->count; i++)
		is_wanted = is_wanted && can_be_wanted(memory, watch->address[i], 8) &&
			    part_add(memory, watch->address[i], 8);
	memory->joins_from = memory->count;
	return is_wanted;
}

/* And nothing of use beside it, as a page has. */
static bool has_watched(const struct memory_hint *hint, const struct memory_watch *watch)
{
	for (uint32_t i = 0; i < watch->count; i++)
		if (watch->address[i] - hint->address < hint->bytes && hint->bytes < MEMORY_PAGE)
			return true;
	return false;
}

void memory_want_moment(struct memory *memory, const struct memory_hints *hints,
			struct memory_moment *moment)
{
	const struct memory_watch *watch = &moment->watch;
	bool is_wanted = watch->count && want_words(memory, watch);

	moment->from = memory->count;
	for (uint32_t i = 0; i < hints->count; i++)
		if (hints->hint[i].moves && !has_watched(&hints->hint[i], watch))
			memory_want(memory, hints->hint[i].address, hints->hint[i].bytes);
	moment->to = memory->count;
	if (!is_wanted || !want_words(memory, watch))
		moment->to = moment->from;
}

void memory_want_still(struct memory *memory, const struct memory_hints *hints)
{
	for (uint32_t i = 0; i < hints->count; i++)
		if (!hints->hint[i].moves)
			memory_want(memory, hints->hint[i].address, hints->hint[i].bytes);
}

static bool take_words(const struct memory *memory, uint32_t first, uint32_t count, uint64_t *word)
{
	bool is_read = true;

	for (uint32_t i = 0; i < count; i++) {
		const struct memory_part *part = &memory->part[first + i];

		is_read &= part->bytes == sizeof(*word);
		memcpy(&word[i], memory->data + part->offset, sizeof(*word));
	}
	return is_read;
}

bool memory_take_moment(struct memory *memory, struct memory_moment *moment)
{
	struct memory_watch *watch = &moment->watch;

	if (moment->from == moment->to || moment->to + watch->count > memory->fetched ||
	    !take_words(memory, moment->from - watch->count, watch->count, watch->before) ||
	    !take_words(memory, moment->to, watch->count, watch->after))
		return false;
	memory->moment_from = moment->from;
	memory->moment_to = moment->to;
	return true;
}

bool memory_is_of_moment(const struct memory *memory)
{
	return memory->recent >= memory->moment_from && memory->recent < memory->moment_to;
}

void memory_fetch(struct memory *memory)
{
	uint32_t offset = memory->fetched < memory->count ? memory->part[memory->fetched].offset
							  : 0;

	for (uint32_t i = memory->fetched; i < memory->count; i++) { /* some were joined */
		memory->part[i].offset = offset;
		offset += memory->part[i].bytes;
	}
	if (memory->count > memory->fetched)
		read_parts(memory, memory->fetched);
	memory->fetched = memory->joins_from = memory->count;
}

void memory_begin_use(struct memory *memory)
{
	for (uint32_t i = 0; i < memory->count; i++)
		memory->part[i].is_used = memory->part[i].moves = false;
	memory->is_again = false;
	memory->moment_from = memory->moment_to = 0;
}

static struct memory_part *part_with(struct memory *memory, uint64_t address, uint32_t bytes)
{
	for (uint32_t i = 0, at = memory->recent; i < memory->count; i++, at++) {
		struct memory_part *part;

		if (at >= memory->count)
			at = 0;
		part = &memory->part[at];
		if (memory->moving && memory->is_again && !part->moves)
			continue;
		if (part->bytes >= bytes && address - part->address <= part->bytes - bytes) {
			memory->recent = at;
			return part;
		}
	}
	return NULL;
}

static bool part_get(struct memory *memory, uint64_t address, void *to, uint32_t bytes,
		     struct memory_hint wanted)
{
	struct memory_part *part = part_with(memory, address, bytes);

	if (!part) {
		memory->recent = MEMORY_PARTS;
		if (!part_add(memory, wanted.address, wanted.bytes))
			return memory_copy(memory, address, to, bytes) == bytes;
		memory_fetch(memory);
		part = &memory->part[memory->count - 1];
		if (!part->bytes)
			return false;
	}
	part->is_used = true;
	part->moves |= memory->moving;
	memcpy(to, memory->data + part->offset + (address - part->address), bytes);
	return true;
}

bool memory_get(struct memory *memory, uint64_t address, void *to, uint32_t bytes)
{
	return address && bytes <= MEMORY_PAGE && address <= UINT64_MAX - bytes &&
	       part_get(memory, address, to, bytes,
			(struct memory_hint){ address, bytes, false, 0 });
}

bool memory_get_around(struct memory *memory, uint64_t address, void *to, uint32_t bytes)
{
	uint64_t page = address & ~(uint64_t)(MEMORY_PAGE - 1);
	struct memory_hint whole = { page, MEMORY_PAGE, false, 0 };

	if (address - page + bytes > MEMORY_PAGE)
		return memory_get(memory, address, to, bytes);
	return address && part_get(memory, address, to, bytes, whole);
}

static bool part_is_used_for(const struct memory *memory, const struct memory_hint *hint)
{
	for (uint32_t i = 0; i < memory->count; i++) {
		const struct memory_part *part = &memory->part[i];

		if (part->is_used && hint->address >= part->address &&
		    hint->address + hint->bytes <= part->address + part->bytes)
			return true;
	}
	return false;
}

/* Moves the hints that are worth keeping to the front; returns how many. */
static uint32_t hints_age(const struct memory *memory, struct memory_hints *hints)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < hints->count && count < AGED_MAX; i++) {
		struct memory_hint *hint = &hints->hint[i];

		if (!hint->moves || hint->age >= AGE_MAX || part_is_used_for(memory, hint))
			continue;
		hint->age++;
		hints->hint[count++] = *hint;
	}
	return count;
}

void memory_keep_hints(const struct memory *memory, struct memory_hints *hints)
{
	uint32_t used = 0, aged;
	struct memory_hint *moved;

	for (uint32_t i = 0; i < memory->count; i++)
		used += memory->part[i].is_used;
	if (used + AGED_MAX > hints->room) {
		moved = realloc(hints->hint, (used + AGED_MAX) * sizeof(*moved));
		if (!moved)
			return;
		hints->hint = moved;
		hints->room = used + AGED_MAX;
	}
	aged = hints_age(memory, hints);
	hints->count = aged;
	for (uint32_t i = 0; i < memory->count; i++) {
		const struct memory_part *part = &memory->part[i];

		if (part->is_used)
			hints->hint[hints->count++] = (struct memory_hint){ part->address,
									    part->bytes,
									    part->moves, 0 };
	}
}

void memory_hints_release(struct memory_hints *hints)
{
	free(hints->hint);
	*hints = (struct memory_hints){ 0 };
}

size_t memory_copy(struct memory *memory, uint64_t address, void *to, size_t bytes)
{
	struct iovec local = { to, bytes }, remote = { (void *)(uintptr_t)address, bytes };
	ssize_t got;

	memory->calls++;
	got = address ? memory->read(memory->pid, &local, 1, &remote, 1) : 0;
	if (got < 0)
		memory->error = errno;
	return got > 0 ? (size_t)got : 0;
}

bool memory_has_open_gate(struct memory *memory, uint64_t gates)
{
	uint64_t gate[EVT_FAMILY_LIMIT];

	if (!memory_get(memory, gates, gate, sizeof(gate)))
		return false;
	for (uint32_t i = 0; i < EVT_FAMILY_LIMIT; i++)
		if (gate[i])
			return true;
	return false;
}
