/* SPDX-License-Identifier: MIT */
/* links: collector format */
/*
 * A program that scribbles over its own interpreter: the input is laid, word by word, over the
 * memory of a made-up CPython, with a look at it after each word.
 *
 * Input: the first byte chooses the version, then 11 bytes a word: what it means, where it goes (2
 * bytes), its value (8 bytes).
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/unit/collector/samples/made_process.h"

#define WORD_BYTES 11u
#define WORDS_MAX 64u
#define THREADS 3u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Bit 0: an address in the memory, bit 1: another word follows before the next look. */
static void lay_word(const uint8_t *from)
{
	uint16_t offset;
	uint64_t value;

	memcpy(&offset, from + 1, sizeof(offset));
	memcpy(&value, from + 3, sizeof(value));
	if (offset > MADE_BYTES - sizeof(value))
		return;
	made_put(offset, from[0] & 1 ? made_address((uint32_t)value % MADE_BYTES) : value);
}

/* Each thread's stack is read, whether or not it has run. */
static void look(void)
{
	for (uint32_t i = 0; i < looked.samples.thread_count; i++)
		looked.samples.thread[i].last.place = 0;
	made_process_look(1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned int minor = size ? 8 + data[0] % 6 : 11;

	made_python_init(minor, THREADS, (uint32_t)syscall(SYS_gettid));
	made_process_init(minor);
	made_process_look(2);
	for (size_t at = 1, words = 0; at + WORD_BYTES <= size && words < WORDS_MAX;
	     at += WORD_BYTES, words++) {
		lay_word(data + at);
		if (!(data[at] & 2))
			look();
	}
	look();
	samples_settle(&looked.samples, 1);
	made_process_release();
	return 0;
}
