/* SPDX-License-Identifier: MIT */
/* links: preload:torch/torch_collective.c,torch/torch_layout.c */
/*
 * preload/torch/torch_collective.c: bytes of tensors made by hand, and the size of groups whose
 * layout is looked for.
 */
#include "tests/unit/unit.h"
#include "preload/torch/torch_collective.h"

#define TAG_LIST 14
#define TAG_OBJECT 16
#define FLOAT 6
#define GROUP_CLASS 0x1234560u

struct tensor {
	uint64_t word[24];
};

static struct tensor tensor(uint64_t count, const uint64_t *size, uint16_t type)
{
	struct tensor t;

	memset(&t, 0xa5, sizeof(t));
	t.word[8] = count;
	if (count > TORCH_SIZES_INLINE)
		t.word[9] = (uintptr_t)size;
	else
		memcpy(&t.word[9], size, count * sizeof(*size));
	memcpy((char *)&t + 2 * 80, &type, sizeof(type));
	return t;
}

static struct torch_value value_of(const void *object, uint32_t tag)
{
	return (struct torch_value){ .payload = (uintptr_t)object, .tag = tag };
}

struct list {
	uint64_t word[4];
};

static struct list list(const struct torch_value *item, size_t count)
{
	return (struct list){ { 1, 1, (uintptr_t)item, (uintptr_t)(item + count) } };
}

static int64_t bytes_of(const void *object, uint32_t tag)
{
	struct torch_value value = value_of(object, tag);

	return torch_collective_bytes(&value);
}

static int setup(void **state)
{
	torch_layout = (struct torch_layout){
		.sizes = 8, .type_half = 80, .list = 2, .tag_list = TAG_LIST, .tag_bool = 9
	};
	return 0;
}

TEST(bytes_are_counted)
{
	static const uint64_t size[7] = { 10, 1, 1, 2, 1, 1, 3 };
	struct tensor flat = tensor(1, size, FLOAT), deep = tensor(7, size, 7),
		      none = tensor(0, size, 5), strange = tensor(1, size, 999);
	struct torch_value inner[2] = { value_of(&flat, TORCH_TAG_TENSOR),
					value_of(&deep, TORCH_TAG_TENSOR) };
	struct list tensors = list(inner, 2);
	struct torch_value outer[2] = { value_of(&tensors, TAG_LIST),
					value_of(&tensors, TAG_LIST) };
	struct list lists = list(outer, 2);
	struct torch_value deeper[1] = { value_of(&lists, TAG_LIST) };
	struct list too_deep = list(deeper, 1), empty = list(deeper, 0);

	assert_int_equal(bytes_of(&flat, TORCH_TAG_TENSOR), 40);
	assert_int_equal(bytes_of(&deep, TORCH_TAG_TENSOR), 480);
	assert_int_equal(bytes_of(&none, TORCH_TAG_TENSOR), 2);
	assert_int_equal(bytes_of(&tensors, TAG_LIST), 520);
	assert_int_equal(bytes_of(&lists, TAG_LIST), 1040);
	assert_int_equal(bytes_of(&too_deep, TAG_LIST), 0);
	assert_int_equal(bytes_of(&empty, TAG_LIST), 0);
	assert_int_equal(bytes_of((void *)(uintptr_t)7, TORCH_TAG_INT), 0);
	assert_int_equal(bytes_of(&strange, TORCH_TAG_TENSOR), TORCH_COLLECTIVE_UNKNOWN);
}

TEST(what_is_too_much_is_not_known)
{
	static const uint64_t size[4] = { 1u << 31, 1u << 31, 4, 1 };
	struct tensor huge = tensor(4, size, FLOAT), many = tensor(1, size, FLOAT);

	many.word[8] = 65;
	assert_int_equal(bytes_of(&huge, TORCH_TAG_TENSOR), TORCH_COLLECTIVE_UNKNOWN);
	assert_int_equal(bytes_of(&many, TORCH_TAG_TENSOR), TORCH_COLLECTIVE_UNKNOWN);
}

/* A group inside of an object inside of the second argument. */
struct group_argument {
	uint32_t group[32] __attribute__((aligned(8)));
	struct torch_value slot;
	uint64_t object[16];
	struct tensor tensor;
	struct torch_value input[3];
};

static uint64_t ranks_of(struct group_argument *a, uint64_t rank, uint64_t ranks)
{
	static const uint64_t size[1] = { 3 };
	uint64_t class_word = GROUP_CLASS;

	memcpy(a->group, &class_word, sizeof(class_word));
	a->slot = value_of(a->group, 20);
	memset(a->object, 0, sizeof(a->object));
	a->object[6] = (uintptr_t)&a->slot;
	a->object[7] = a->object[8] = (uintptr_t)(&a->slot + 1);
	a->tensor = tensor(1, size, FLOAT);
	a->input[0] = value_of(&a->tensor, TORCH_TAG_TENSOR);
	a->input[1] = value_of(a->object, TAG_OBJECT);
	a->input[2] = (struct torch_value){ 5, TORCH_TAG_INT, 0 };
	return torch_collective_ranks(a->input, 3, GROUP_CLASS, rank, ranks);
}

/* One test, as what was found stays. */
TEST(the_size_of_a_group_is_found)
{
	struct group_argument a = { 0 };

	assert_int_equal(ranks_of(&a, 3, 8), 0); /* nowhere */
	a.group[10] = 3;
	a.group[11] = 8;
	a.group[20] = 3;
	a.group[21] = 8;
	assert_int_equal(ranks_of(&a, 3, 8), 0); /* in two places */
	assert_int_equal(ranks_of(&a, 3, 0), 0); /* nobody said how many there are */
	a.group[21] = 9;
	assert_int_equal(ranks_of(&a, 3, 8), 8);
	a.group[10] = 1; /* another group */
	a.group[11] = 2;
	assert_int_equal(ranks_of(&a, 3, 8), 2);
	a.group[11] = 9; /* more than there are */
	assert_int_equal(ranks_of(&a, 3, 8), 0);
	a.group[11] = 2;
	assert_int_equal(ranks_of(&a, 3, 8), 2);
	assert_int_equal(torch_collective_ranks(a.input, 3, GROUP_CLASS + 8, 3, 8),
			 0); /* another class */
	assert_int_equal(torch_collective_ranks(a.input, 3, 0, 3, 8), 0);
	a.input[1] = (struct torch_value){ 16, TAG_OBJECT, 0 };
	assert_int_equal(torch_collective_ranks(a.input, 3, GROUP_CLASS, 3, 8), 0);
	assert_int_equal(torch_collective_ranks(a.input, 1, GROUP_CLASS, 3, 8), 0);
	assert_int_equal(torch_collective_ranks(&a.input[2], 1, GROUP_CLASS, 3, 8), 0);
}

TEST_GROUP(setup, NULL)
