/* SPDX-License-Identifier: MIT */
/*
 * The bytes are those of the argument's tensors, and of the tensors in its lists. The group is the
 * first argument that is no tensor. The place of rank and size in it is searched for once and kept.
 */
#include "preload/torch/torch_collective.h"

#include <stdatomic.h>
#include <string.h>

#define LISTS_MAX 2u /* a list of lists of tensors is the deepest case */
/* words of a c10::ivalue::Object that are searched: they include the end of its slots */
#define OBJECT_WORDS 14u
/*
 * 32-bit words of a c10d::ProcessGroup that are searched: class, reference count, store, rank, size
 */
#define GROUP_NUMBERS 24u
#define GROUP_NUMBERS_FROM 4u /* after class and reference count */

static const uint8_t type_bytes[] = {
#define TYPE(name, bytes) bytes,
#include "preload/torch/torch_types.def"
#undef TYPE
};

/* --- bytes --- */

static const uint64_t *torch_collective_object_of(const struct torch_value *value)
{
	return (const uint64_t *)(uintptr_t)value->payload;
}

static bool tensor_bytes_add(const uint64_t *impl, uint64_t *bytes)
{
	const uint64_t *sizes = impl + torch_layout.sizes;
	uint64_t dimensions = *sizes++, all;
	uint16_t type;

	memcpy(&type, (const char *)impl + torch_layout.type_half * sizeof(type), sizeof(type));
	if (type >= sizeof(type_bytes) || dimensions > 64)
		return false;
	all = type_bytes[type];
	if (dimensions > TORCH_SIZES_INLINE)
		sizes = (const uint64_t *)(uintptr_t)sizes[0];
	for (uint64_t i = 0; i < dimensions; i++)
		if (__builtin_mul_overflow(all, sizes[i], &all))
			return false;
	return !__builtin_add_overflow(*bytes, all, bytes) && *bytes <= INT64_MAX;
}

static bool value_bytes_add(const struct torch_value *value, unsigned int lists, uint64_t *bytes)
{
	const uint64_t *vector;
	const struct torch_value *item, *end;

	if (value->tag == TORCH_TAG_TENSOR)
		return torch_collective_object_of(value) == torch_layout.undefined ||
		       tensor_bytes_add(torch_collective_object_of(value), bytes);
	if (value->tag != torch_layout.tag_list || !lists)
		return true;
	vector = torch_collective_object_of(value) + torch_layout.list;
	item = (const struct torch_value *)(uintptr_t)vector[0];
	end = (const struct torch_value *)(uintptr_t)vector[1];
	for (; item < end; item++)
		if (!value_bytes_add(item, lists - 1, bytes))
			return false;
	return true;
}

int64_t torch_collective_bytes(const struct torch_value *value)
{
	uint64_t bytes = 0;

	return value_bytes_add(value, LISTS_MAX, &bytes) ? (int64_t)bytes
							 : TORCH_COLLECTIVE_UNKNOWN;
}

/* --- ranks --- */

static _Atomic unsigned int
	/* index of the word in a group that is the rank, followed by the size; 0: not known */
	rank_at;

/* Finds rank and size side by side, if they occur in one place only. */
static unsigned int rank_look(const uint32_t *group, uint64_t rank, uint64_t ranks)
{
	unsigned int found = 0;

	for (unsigned int i = GROUP_NUMBERS_FROM; i + 1 < GROUP_NUMBERS; i++) {
		if (group[i] != rank || group[i + 1] != ranks)
			continue;
		if (found)
			return 0;
		found = i;
	}
	return found;
}

/*
 * Returns the only slot of the object that stands for a C++ class: a vector with one value, which
 * owns the group.
 */
static const uint32_t *group_of(const uint64_t *object, uint64_t group_class)
{
	for (unsigned int i = 2; i + 2 < OBJECT_WORDS; i++) {
		const struct torch_value *slot;
		const uint64_t *group;

		if (object[i + 1] - object[i] != sizeof(*slot) || object[i] < 4096 ||
		    object[i] % sizeof(uint64_t) || object[i + 2] < object[i + 1] ||
		    object[i + 2] - object[i + 1] > 64 * sizeof(*slot))
			continue;
		slot = (const struct torch_value *)(uintptr_t)object[i];
		group = torch_collective_object_of(slot);
		if (slot->payload < 4096 || slot->payload % sizeof(uint64_t))
			continue;
		return group[0] == group_class ? (const uint32_t *)group : NULL;
	}
	return NULL;
}

/* The group is the first argument after the tensors. */
static const struct torch_value *group_value(const struct torch_value *inputs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (inputs[i].tag == TORCH_TAG_TENSOR || inputs[i].tag == torch_layout.tag_list)
			continue;
		return inputs[i].tag > TORCH_TAG_INT && inputs[i].tag != torch_layout.tag_bool &&
				       inputs[i].payload >= 4096 &&
				       inputs[i].payload % sizeof(uint64_t) == 0
			       ? &inputs[i]
			       : NULL;
	}
	return NULL;
}

uint64_t torch_collective_ranks(const struct torch_value *inputs, size_t count,
				uint64_t group_class, uint64_t rank, uint64_t ranks)
{
	const struct torch_value *value = group_class && ranks ? group_value(inputs, count) : NULL;
	const uint32_t *group = value ? group_of(torch_collective_object_of(value), group_class)
				      : NULL;
	unsigned int at = atomic_load_explicit(&rank_at, memory_order_relaxed);

	if (!group)
		return 0;
	if (!at) {
		at = rank_look(group, rank, ranks);
		if (!at)
			return 0;
		atomic_store_explicit(&rank_at, at, memory_order_relaxed);
	}
	return group[at] < group[at + 1] && group[at + 1] <= ranks ? group[at + 1] : 0;
}
