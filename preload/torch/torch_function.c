/* SPDX-License-Identifier: MIT */
/*
 * Copies of TORCH_SHOWN RecordFunctions are compared word by word. The word that equals the known
 * sequence number in all of them is its place. The other words are verified by their distance from
 * it.
 */
#include "preload/torch/torch_function.h"

#include <string.h>

#define SAMPLE_WORDS 43u /* words of a RecordFunction that are examined: all of it in torch 2.15 */
/* greatest distance from the sequence number to the number of the forward thread */
#define FORWARD_WORDS 13u
#define NEW_STRING_DISTANCE 14u /* words from the thread's number to the sequence number */

struct torch_function torch_function;

/* The operators that were run, and the sequence numbers that they must have. */
static uint64_t sample[TORCH_SHOWN][SAMPLE_WORDS];
static int64_t sample_sequence[TORCH_SHOWN];
static const char *sample_name;
static unsigned int samples;

void torch_function_look(const uint64_t *function, const char *name, int64_t sequence)
{
	if (samples == TORCH_SHOWN || strcmp(name, TORCH_SHOWN_NAME) != 0)
		return;
	sample_sequence[samples] = sequence;
	memcpy(sample[samples++], function, sizeof(sample[0]));
	sample_name = name;
}

static bool word_is(unsigned int word, const int64_t *value)
{
	for (unsigned int i = 0; i < TORCH_SHOWN; i++)
		if (sample[i][word] != (uint64_t)value[i])
			return false;
	return true;
}

/*
 * Finds the number of the forward thread, which is 0 outside the backward pass. Inputs, keyword
 * inputs (not in 2.1) and outputs are before it. Three words after it is a handle that is -1 here.
 * Returns 0 if it is not found.
 */
static unsigned int find_forward(unsigned int sequence)
{
	int64_t none[TORCH_SHOWN] = { 0 }, handle[TORCH_SHOWN] = { -1, -1, -1, -1 };

	for (unsigned int word = sequence + 1;
	     word <= sequence + FORWARD_WORDS && word + 3 < SAMPLE_WORDS; word++)
		if (word_is(word + 3, handle))
			return word_is(word, none) ? word : 0;
	return 0;
}

/* All four were aten::mul, so the name must be where torch says that it is. */
static unsigned int find_schema(unsigned int sequence)
{
	unsigned int word = sequence - TORCH_FUNCTION_KIND - 1;
	const uint64_t *schema = (const uint64_t *)(uintptr_t)sample[0][word];

	for (unsigned int i = 0; i < TORCH_SHOWN; i++)
		if ((sample[i][word + TORCH_FUNCTION_KIND] & 0xff) != TORCH_FUNCTION_HAS_SCHEMA ||
		    sample[i][word] != (uintptr_t)schema)
			return 0;
	if ((uintptr_t)schema % sizeof(*schema) != 0 || (uintptr_t)schema >> 12 == 0 ||
	    schema[0] != (uintptr_t)sample_name || schema[1] != strlen(TORCH_SHOWN_NAME))
		return 0;
	return word;
}

/*
 * The sequence numbers rise by our own steps, which nothing else does. The thread's number is 1 or
 * 2, as many words are. So its distance is taken as known (a flag, the contexts and the name are in
 * between; the name is a std::string, which is shorter in the old ABI of libstdc++), and it is only
 * verified.
 */
static void find_words(uint64_t this_thread)
{
	static const unsigned int distances[] = { NEW_STRING_DISTANCE, 11 };
	int64_t thread[TORCH_SHOWN];
	unsigned int found = SAMPLE_WORDS - 1, forward;

	while (found > 0 && !word_is(found, sample_sequence))
		found--;
	for (unsigned int i = 0; i < TORCH_SHOWN; i++)
		thread[i] = (int64_t)this_thread;
	forward = find_forward(found);
	for (unsigned int d = 0; d < sizeof(distances) / sizeof(distances[0]); d++) {
		unsigned int word = found - distances[d];

		if (!forward || found <= distances[d] || !word_is(word, thread) ||
		    (sample[0][word + 1] & 0xff) != 0)
			continue;
		torch_function = (struct torch_function){ .sequence = found,
							  .thread = word,
							  .forward = forward };
		if (distances[d] == NEW_STRING_DISTANCE)
			torch_function.schema = find_schema(found);
		return;
	}
}

bool torch_function_find(uint64_t thread, bool with_inputs)
{
	size_t inputs = 0;

	if (samples != TORCH_SHOWN)
		return false;
	if (sample_sequence[0] != TORCH_FUNCTION_NO_SEQUENCE)
		find_words(thread);
	if (torch_function.sequence)
		(void)torch_function_inputs(sample[0], &inputs);
	return with_inputs || inputs == 0;
}
