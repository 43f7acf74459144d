/* SPDX-License-Identifier: MIT */
/*
 * Scribbles on the calling thread's Python frames, code objects and names, asks for memory while
 * they are so, and puts back what was there. For tests/cases/python_hostile.sh, which calls it by
 * ctypes with the GIL.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "collector/region/python_offsets.h"

#define BLOCK_BYTES 3000001u
#define PAGE 4096u
#define LEVELS 3u
#define VALUES 14u
#define RANDOM_ROUNDS 4000u

static uint64_t value[VALUES];
static unsigned long rounds, unknown;
static void *volatile block;

static uint64_t load(uint64_t at)
{
	uint64_t word;

	memcpy(&word, (void *)(uintptr_t)at, sizeof(word));
	return word;
}

static void store(uint64_t at, uint64_t word)
{
	memcpy((void *)(uintptr_t)at, &word, sizeof(word));
}

/* One word is another one while memory is asked for. */
static void with_word(uint64_t at, uint64_t word)
{
	uint64_t was = load(at);

	store(at, word);
	__asm__ volatile("" ::: "memory"); /* compilers know that malloc() does not look at it */
	block = malloc(BLOCK_BYTES);
	__asm__ volatile("" ::: "memory");
	store(at, was);
	free(block);
	rounds++;
}

static void with_all(uint64_t at)
{
	for (unsigned int i = 0; i < VALUES; i++)
		with_word(at, value[i]);
}

static uint64_t frame_innermost(const struct python_layout *layout, uint64_t thread)
{
	uint64_t at = load(thread + layout->thread_frame);

	return layout->has_cframe ? load(at + layout->cframe_frame) : at;
}

/* What can be no code object, nor be read as one: the record has no stack, which is counted. */
static void scribble_code_address(uint64_t at)
{
	with_all(at);
	unknown += VALUES;
}

static void scribble_text(const struct python_layout *layout, uint64_t text)
{
	with_all(text + layout->text_length);
	for (uint64_t state = 0; state < 256; state++)
		with_word(text + layout->text_state, state);
}

/* The code is one that no stack had before: what is known of a code object is not read again. */
static void scribble_code(const struct python_layout *layout, uint64_t code)
{
	with_all(code + layout->object_type);
	with_all(code + layout->code_name);
	with_all(code + layout->code_file);
	with_all(code + layout->code_table);
	with_all(code + layout->code_line);
	scribble_text(layout, load(code + layout->code_name));
	scribble_text(layout, load(code + layout->code_file));
	with_all(load(code + layout->code_table) + layout->bytes_size);
}

/* Each instruction is another line to be looked up: nothing of the code is known by it. */
static void scribble_fresh_code(const struct python_layout *layout, uint64_t frame)
{
	uint64_t at = frame + layout->frame_at, was = load(at);

	for (uint64_t i = 1; i < 4; i++) {
		store(at, was + 2 * i);
		scribble_code(layout,
			      load(frame + layout->frame_code) & ~(uint64_t)layout->frame_tag);
	}
	store(at, was);
}

static void scribble_frame(const struct python_layout *layout, uint64_t frame, uint64_t innermost)
{
	scribble_code_address(frame + layout->frame_code);
	with_all(frame + layout->frame_back);
	with_word(frame + layout->frame_back, frame); /* circles */
	with_word(frame + layout->frame_back, innermost);
	with_all(frame + layout->frame_at);
	scribble_fresh_code(layout, frame);
}

static void scribble_thread(const struct python_layout *layout, uint64_t thread)
{
	with_all(thread + layout->thread_frame);
	with_all(thread + layout->thread_id);
	if (layout->has_cframe)
		with_all(load(thread + layout->thread_frame) + layout->cframe_frame);
	if (layout->entry_chain)
		with_all(thread + layout->entry_chain);
}

static void scribble_at_random(const struct python_layout *layout, uint64_t frame)
{
	uint64_t seed = 88172645463325252u;

	for (unsigned int i = 0; i < RANDOM_ROUNDS; i++) {
		uint64_t word;

		seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
		word = load(frame + seed % (layout->frame_bytes / 8u) * 8u);
		word ^= 1ull << (seed >> 32) % 64;
		with_word(frame + seed % (layout->frame_bytes / 8u) * 8u, word);
	}
}

/* Memory with a page behind it that nobody may read. */
static uint64_t hole_make(void)
{
	char *pages = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			   0);

	if (pages == MAP_FAILED || mprotect(pages + PAGE, PAGE, PROT_NONE))
		abort();
	return (uint64_t)(uintptr_t)pages + PAGE;
}

static void values_make(void)
{
	uint64_t hole = hole_make();
	const uint64_t values[VALUES] = { 0,           1,
					  8,           PAGE,
					  hole,        hole + 8,
					  hole - 8,    hole - 64,
					  hole - PAGE, UINT64_MAX,
					  1ull << 47,  (1ull << 47) - 8,
					  1ull << 63,  (uint64_t)INT64_MAX };

	memcpy(value, values, sizeof(value));
}

/* How often memory was asked for; *ret_unknown: of them, times that the code was none. */
unsigned long scribble(void *thread_state, unsigned int minor, const void *runtime,
		       unsigned long *ret_unknown)
{
	static struct python_layout said;
	const struct python_layout *layout = python_layout_of(minor);
	uint64_t thread = (uint64_t)(uintptr_t)thread_state, innermost, frame;

	if (!layout && python_offsets_take(runtime, minor, &said))
		layout = &said;
	if (!layout)
		return 0;
	values_make();
	innermost = frame = frame_innermost(layout, thread);
	for (unsigned int i = 0; i < LEVELS && frame; i++) {
		scribble_frame(layout, frame, innermost);
		frame = load(frame + layout->frame_back);
	}
	scribble_thread(layout, thread);
	scribble_at_random(layout, innermost);
	*ret_unknown = unknown;
	return rounds;
}
