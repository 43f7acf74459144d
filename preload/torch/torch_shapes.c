/* SPDX-License-Identifier: MIT */
/*
 * Describing goes through the inputs once and appends tagged words (tensor, list, nothing, cut).
 * Texts are made of these words alone, and only if they are wanted.
 */
#include "preload/torch/torch_shapes.h"

#include <string.h>

#define DIMENSIONS_MAX 64u
#define LIST_INTEGERS_MAX 8u

/* A description is a row of these words. The sizes of a tensor follow its own word. */
#define WORD_NOTHING (1ull << 62)
#define WORD_TENSOR (2ull << 62) /* with the number of dimensions */
#define WORD_LIST (3ull << 62)   /* with the number of tensors, whose words follow */
#define WORD_CUT (WORD_LIST - 1)
#define WORD_KIND (3ull << 62)

enum input_type { TYPE_NONE = 0x80, TYPE_SCALAR, TYPE_TENSOR_LIST, TYPE_SCALAR_LIST };

static const char *const type_names[] = {
#define TYPE(name, bytes) name,
#include "preload/torch/torch_types.def"
#undef TYPE
};

/* --- describing --- */

static void describe_tensor(struct torch_shapes *s, const uint64_t *impl)
{
	const uint64_t *sizes = impl + torch_layout.sizes;
	uint64_t dimensions = *sizes++;

	if (dimensions > DIMENSIONS_MAX || s->words + dimensions + 1 >= TORCH_SHAPES_WORDS) {
		s->cut = true;
		return;
	}
	if (dimensions > TORCH_SIZES_INLINE)
		sizes = (const uint64_t *)(uintptr_t)sizes[0];
	s->word[s->words++] = WORD_TENSOR | dimensions;
	for (unsigned int i = 0; i < dimensions; i++)
		s->word[s->words++] = sizes[i];
}

static uint8_t tensor_type(const uint64_t *impl)
{
	uint16_t type;

	memcpy(&type, (const char *)impl + torch_layout.type_half * sizeof(type), sizeof(type));
	return type < sizeof(type_names) / sizeof(type_names[0]) ? (uint8_t)type : TYPE_NONE;
}

static bool tag_is_scalar(uint32_t tag)
{
	return tag == TORCH_TAG_INT || tag == TORCH_TAG_DOUBLE || tag == TORCH_TAG_COMPLEX ||
	       tag == torch_layout.tag_bool;
}

static const uint64_t *torch_shapes_object_of(const struct torch_value *value)
{
	return (const uint64_t *)(uintptr_t)value->payload;
}

static const struct torch_value *list_values(const struct torch_value *list, size_t *ret_count)
{
	const uint64_t *vector = torch_shapes_object_of(list) + torch_layout.list;

	*ret_count = (vector[1] - vector[0]) / sizeof(struct torch_value);
	return (const struct torch_value *)(uintptr_t)vector[0];
}

static uint8_t describe_list(struct torch_shapes *s, const struct torch_value *list)
{
	size_t count;
	const struct torch_value *value = list_values(list, &count);

	if (!count || value[0].tag != TORCH_TAG_TENSOR) {
		s->word[s->words++] = WORD_NOTHING;
		/* an empty list does not tell its type; lists of tensors are hardly ever empty */
		return !count || tag_is_scalar(value[0].tag) ? TYPE_SCALAR_LIST : TYPE_NONE;
	}
	s->word[s->words++] = WORD_LIST | count;
	for (size_t i = 0; i < count && !s->cut; i++) {
		if (value[i].tag == TORCH_TAG_TENSOR &&
		    torch_shapes_object_of(&value[i]) != torch_layout.undefined)
			describe_tensor(s, torch_shapes_object_of(&value[i]));
		else if (s->words + 1 < TORCH_SHAPES_WORDS)
			s->word[s->words++] = WORD_NOTHING;
		else
			s->cut = true;
	}
	return TYPE_TENSOR_LIST;
}

static uint8_t describe_value(struct torch_shapes *s, const struct torch_value *value)
{
	if (value->tag == TORCH_TAG_TENSOR &&
	    torch_shapes_object_of(value) != torch_layout.undefined) {
		describe_tensor(s, torch_shapes_object_of(value));
		return tensor_type(torch_shapes_object_of(value));
	}
	if (value->tag == torch_layout.tag_list)
		return describe_list(s, value);
	s->word[s->words++] = WORD_NOTHING;
	return tag_is_scalar(value->tag) ? TYPE_SCALAR : TYPE_NONE;
}

void torch_shapes_describe(struct torch_shapes *s, const struct torch_value *value, size_t count)
{
	s->words = 0;
	s->types = 0;
	s->cut = false;
	for (size_t i = 0; i < count && !s->cut; i++) {
		s->cut = s->types == TORCH_SHAPES_INPUTS || s->words + 1 >= TORCH_SHAPES_WORDS;
		if (!s->cut)
			s->type[s->types++] = describe_value(s, &value[i]);
	}
	if (s->cut)
		s->word[s->words++] = WORD_CUT;
}

static uint64_t torch_shapes_type_bit(const struct torch_value *value)
{
	const uint64_t *impl = torch_shapes_object_of(value);
	uint8_t type;

	if (value->tag != TORCH_TAG_TENSOR || impl == torch_layout.undefined ||
	    !impl[torch_layout.sizes])
		return 0;
	type = tensor_type(impl);
	return type < 64 ? 1ull << type : 0;
}

uint64_t torch_shapes_types(const struct torch_value *value, size_t count)
{
	uint64_t types = 0;

	for (size_t i = 0; i < count; i++) {
		const struct torch_value *item = &value[i];
		size_t items = 1;

		if (item->tag == torch_layout.tag_list)
			item = list_values(item, &items);
		for (size_t k = 0; k < items && item[0].tag == TORCH_TAG_TENSOR; k++)
			types |= torch_shapes_type_bit(&item[k]);
	}
	return types;
}

/* Booleans are 0 or 1. What is neither is 0. */
static uint64_t integer_of(const struct torch_value *value)
{
	if (value->tag == TORCH_TAG_INT)
		return value->payload;
	return value->tag == torch_layout.tag_bool ? value->payload & 1 : 0;
}

void torch_shapes_describe_integers(struct torch_shapes *s, const struct torch_value *value,
				    size_t count)
{
	s->words = 0;
	s->types = 0;
	s->cut = false;
	for (size_t i = 0; i < count && s->words + LIST_INTEGERS_MAX < TORCH_SHAPES_WORDS; i++) {
		const struct torch_value *item = &value[i];
		size_t items = 1;

		if (item->tag == torch_layout.tag_list)
			item = list_values(item, &items);
		for (size_t k = 0; k < items && k < LIST_INTEGERS_MAX; k++)
			s->word[s->words++] = integer_of(&item[k]);
	}
}

/* --- texts --- */

static void text_add(struct torch_text *t, const char *bytes)
{
	size_t length = strlen(bytes);

	if (length > sizeof(t->bytes) - t->length)
		length = sizeof(t->bytes) - t->length;
	memcpy(t->bytes + t->length, bytes, length);
	t->length += (unsigned int)length;
}

static void text_add_number(struct torch_text *t, uint64_t number)
{
	char digits[24];
	char *at = digits + sizeof(digits) - 1;
	uint64_t rest = (int64_t)number < 0 ? 0 - number : number;

	for (*at = '\0'; rest || !*at; rest /= 10)
		*--at = (char)('0' + rest % 10);
	if ((int64_t)number < 0)
		*--at = '-';
	text_add(t, at);
}

static void text_add_numbers(struct torch_text *t, const uint64_t *number, size_t count)
{
	text_add(t, "[");
	for (size_t i = 0; i < count; i++) {
		if (i)
			text_add(t, ", ");
		text_add_number(t, number[i]);
	}
	text_add(t, "]");
}

/* Returns how many words the shape had. */
static unsigned int text_add_shape(struct torch_text *t, const uint64_t *word)
{
	if (*word == WORD_CUT) {
		text_add(t, "...");
		return 1;
	}
	if ((*word & WORD_KIND) != WORD_TENSOR) {
		text_add(t, "[]");
		return 1;
	}
	text_add_numbers(t, word + 1, *word & ~WORD_KIND);
	return 1 + (unsigned int)(*word & ~WORD_KIND);
}

void torch_shapes_text(const struct torch_shapes *s, struct torch_text *t)
{
	uint64_t in_list = 0;

	t->length = 0;
	text_add(t, "[");
	for (unsigned int at = 0; at < s->words;) {
		bool opens = (s->word[at] & WORD_KIND) == WORD_LIST;

		if (at && t->bytes[t->length - 1] != '[')
			text_add(t, ", ");
		if (opens) {
			in_list = s->word[at++] & ~WORD_KIND;
			text_add(t, "[");
			continue;
		}
		at += text_add_shape(t, s->word + at);
		if (in_list && --in_list == 0)
			text_add(t, "]");
	}
	text_add(t, in_list ? "]]" : "]");
}

static const char *type_name(uint8_t type)
{
	switch (type) {
	case TYPE_NONE:
		return "";
	case TYPE_SCALAR:
		return "Scalar";
	case TYPE_TENSOR_LIST:
		return "TensorList";
	case TYPE_SCALAR_LIST:
		return "ScalarList";
	default:
		return type_names[type];
	}
}

void torch_shapes_types_text(const struct torch_shapes *s, struct torch_text *t)
{
	t->length = 0;
	text_add(t, "[");
	for (unsigned int i = 0; i < s->types; i++) {
		text_add(t, i ? ", '" : "'");
		text_add(t, type_name(s->type[i]));
		text_add(t, "'");
	}
	text_add(t, s->cut ? ", ...]" : "]");
}

void torch_shapes_integers_text(const struct torch_shapes *s, struct torch_text *t)
{
	t->length = 0;
	text_add_numbers(t, s->word, s->words);
}
