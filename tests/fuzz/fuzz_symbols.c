/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * Any bytes as what functions and lines are read from: a file of code (ELF and DWARF), a symbol
 * frame or a file of the cache, a perf map, names that compilers have made. Must not crash, hang,
 * or take memory without bound.
 *
 * Bytes that begin with SYMB get the checksum that they should have, since no fuzzer guesses one.
 */
#define XXH_INLINE_ALL
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "report/base/demangle.h"
#include "report/symbols/answers.h"
#include "report/symbols/perf_map.h"

#define ADDRESSES 64u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* So that values are read, whatever the compiler thinks of it. */
static volatile uint64_t sum;

static void use_place(const struct object_place *place)
{
	if (place->frames > OBJECT_INLINED_MAX)
		abort();
	for (size_t i = 0; i < place->frames; i++) {
		const struct object_frame *frame = &place->frame[i];

		sum += frame->line + (frame->function ? strlen(frame->function) : 0) +
		       (frame->file ? strlen(frame->file) : 0);
	}
}

static void fuzz_object(const char *path)
{
	enum object_state state;
	struct object *object = object_open(path, "", &state);
	struct object_place place;

	if (!object)
		return;
	sum += strlen(object_debug_link(object));
	for (uint64_t i = 0; i < ADDRESSES; i++) {
		object_find(object, 0x1000 + i * 7, &place);
		use_place(&place);
	}
	object_find(object, UINT64_MAX, &place);
	use_place(&place);
	object_close(object);
}

static void fuzz_perf_map(const char *path)
{
	enum perf_map_state state;
	struct perf_map *map = perf_map_read(path, 0, UINT64_MAX, &state);
	struct object_place place = { .frames = 0 };

	for (uint64_t i = 0; map && i < ADDRESSES; i++)
		if (perf_map_find(map, 0x7f0000001000 + i * 0x40, &place))
			use_place(&place);
	perf_map_close(map);
}

/* What is read is written and read again: it has to be the same. */
static void fuzz_answers(const uint8_t *data, size_t size)
{
	uint8_t *bytes = memory_zero(size + 8, 1), *again;
	uint64_t hash = XXH64(data, size, 0);
	struct answers answers, same;
	struct object_place place;
	size_t length;

	memcpy(bytes, data, size);
	memcpy(bytes + size, &hash, sizeof(hash));
	answers_init(&answers);
	answers_init(&same);
	if (answers_read(&answers, bytes, size + 8)) {
		for (uint64_t i = 0; i < 0x3000; i += 16)
			if (answers_find(&answers, i, &place))
				use_place(&place);
		again = answers_write(&answers, &answers.subject, &length);
		if (again && (!answers_read(&same, again, length) || same.count != answers.count))
			abort();
		free(again);
	}
	answers_release(&answers);
	answers_release(&same);
	free(bytes);
}

static void fuzz_name(const uint8_t *data, size_t size)
{
	struct demangler demangler = { 0 };
	const char *name = demangle(&demangler, (const char *)data, size, true);

	sum += name ? strlen(name) : 0;
	name = demangle(&demangler, (const char *)data, size, false);
	sum += name ? strlen(name) : 0;
	demangler_release(&demangler);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char path[] = "/tmp/fuzz-symbols-XXXXXX";
	static int file = -1;

	if (size >= 4 && !memcmp(data, "SYMB", 4)) {
		fuzz_answers(data, size);
		return 0;
	}
	if (size && data[0] == '_') {
		fuzz_name(data, size);
		return 0;
	}
	if (file < 0) { /* a link would not be followed */
		file = mkstemp(path);
		if (file < 0)
			return 0;
	}
	if (ftruncate(file, 0) || pwrite(file, data, size, 0) != (ssize_t)size)
		return 0;
	if (size && data[0] == 0x7f)
		fuzz_object(path);
	else
		fuzz_perf_map(path);
	return 0;
}
