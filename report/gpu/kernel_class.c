/* SPDX-License-Identifier: MIT */
/*
 * Compares a kernel's name with the patterns of kernel_patterns.def. A mangled name is read from
 * its outermost function on.
 */
#include "report/gpu/kernel_class.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"

static const char *const tensor_cores[] = {
#define TENSOR_CORES(part) part,
#include "report/gpu/kernel_patterns.def"
};

static const char *const communication[] = {
#define COMMUNICATION(begin) begin,
#include "report/gpu/kernel_patterns.def"
};

static const char *const helpers[] = {
#define HELPER(part) part,
#include "report/gpu/kernel_patterns.def"
};

static const char *const simt[] = {
#define SIMT(part) part,
#include "report/gpu/kernel_patterns.def"
};

static const char *const doubles[] = {
#define DOUBLE(part) part,
#include "report/gpu/kernel_patterns.def"
};

static const char *const recent[] = {
#define RECENT(part) part,
#include "report/gpu/kernel_patterns.def"
};

void kernel_classes_init(struct kernel_classes *classes, struct source *source)
{
	*classes = (struct kernel_classes){ .source = source };
}

void kernel_classes_release(struct kernel_classes *classes)
{
	free(classes->bits);
}

/* Skips `_Z17`: the outermost name of a mangled function that is in no namespace follows. */
static const char *skip_mangling(const char *text, const char *end)
{
	if (end - text < 2 || text[0] != '_' || text[1] != 'Z')
		return text;
	for (text += 2; text < end && *text >= '0' && *text <= '9'; text++)
		continue;
	return text;
}

static bool is_communication(const char *text, size_t length)
{
	const char *end = text + length;

	text = skip_mangling(text, end);
	for (size_t i = 0; i < sizeof(communication) / sizeof(communication[0]); i++) {
		size_t wanted = strlen(communication[i]);

		if ((size_t)(end - text) >= wanted && !memcmp(text, communication[i], wanted))
			return true;
	}
	return memmem(text, (size_t)(end - text), "ncclKernel", strlen("ncclKernel")) != NULL;
}

static bool has_any(const char *text, size_t length, const char *const *part, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (memmem(text, length, part[i], strlen(part[i])))
			return true;
	return false;
}

#define HAS_ANY(text, length, parts) \
	has_any(text, length, parts, sizeof(parts) / sizeof((parts)[0]))

unsigned int kernel_class_of(const char *text, size_t length)
{
	unsigned int bits = KERNEL_IS_KNOWN;

	if (HAS_ANY(text, length, doubles))
		bits |= KERNEL_IS_DOUBLE;
	if (HAS_ANY(text, length, simt))
		bits |= KERNEL_IS_SIMT;
	else if (HAS_ANY(text, length, tensor_cores))
		bits |= KERNEL_USES_TENSOR_CORES;
	if (HAS_ANY(text, length, helpers))
		bits |= KERNEL_IS_HELPER;
	if (HAS_ANY(text, length, recent))
		bits |= KERNEL_IS_OF_RECENT_GPU;
	if (is_communication(text, length))
		bits |= KERNEL_IS_COMMUNICATION;
	return bits;
}

unsigned int kernel_classes_of(struct kernel_classes *classes, uint32_t name)
{
	const struct source_name *text;

	if (name >= classes->room)
		classes->bits = memory_room(classes->bits, name, &classes->room,
					    sizeof(*classes->bits));
	if (classes->bits[name])
		return classes->bits[name];
	text = source_name_at(classes->source, name);
	if (!text->text)
		return 0;
	return classes->bits[name] = (uint8_t)kernel_class_of(text->text, text->length);
}
