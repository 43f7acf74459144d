/* SPDX-License-Identifier: MIT */
/* A clone is judged at the next operator of its thread, when the sequence number tells. */
#include "report/tensors/copies.h"

#include <stdlib.h>

#include "report/base/memory.h"

void copies_init(struct copies *copies)
{
	map_init(&copies->sizes);
}

void copies_release(struct copies *copies)
{
	map_release(&copies->sizes);
	free(copies->thread);
}

static struct copy_thread *copy_thread_of(struct copies *copies, uint32_t thread)
{
	copies->thread = memory_room(copies->thread, thread, &copies->thread_room,
				     sizeof(*copies->thread));
	return &copies->thread[thread];
}

uint32_t copies_take_operator(struct copies *copies, uint32_t thread, uint64_t pass,
			      uint64_t sequence)
{
	struct copy_thread *mine = copy_thread_of(copies, thread);
	uint32_t block = sequence == mine->sequence ? mine->block - 1 : COPY_NONE;

	if (mine->pass != pass + 1) {
		mine->pass = pass + 1;
		mine->first = sequence;
	}
	mine->sequence = sequence;
	mine->block = 0;
	return block;
}

bool copies_take_clone(struct copies *copies, uint32_t thread, bool has_sequence, uint32_t block)
{
	struct copy_thread *mine = copy_thread_of(copies, thread);

	if (has_sequence && mine->sequence == mine->first)
		mine->block = block + 1;
	return !has_sequence;
}

static uint64_t copy_size_key(uint32_t process, uint32_t device, uint64_t bytes)
{
	const uint64_t words[3] = { process, device, bytes };
	uint64_t key = map_hash_bytes(words, sizeof(words), 0);

	return key ? key : 1;
}

void copies_add_size(struct copies *copies, uint32_t process, uint32_t device, uint64_t bytes)
{
	bool added;

	map_put(&copies->sizes, copy_size_key(process, device, bytes), &added);
}

bool copies_have_size(const struct copies *copies, uint32_t process, uint32_t device,
		      uint64_t bytes)
{
	return map_find(&copies->sizes, copy_size_key(process, device, bytes)) != NULL;
}
