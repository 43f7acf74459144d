/* build: -g -O1 -fno-ipa-icf */
/* SPDX-License-Identifier: MIT */
/*
 * Blocks that are asked for through known functions: some leak, some are freed; one line on stdin
 * lets it go on.
 */
#include <stdio.h>
#include <stdlib.h>

#define APART __attribute__((noinline))

static void *volatile kept[64];
static volatile int count;

APART static void *load(size_t size)
{
	void *volatile block = malloc(size);

	return block;
}

APART static void leaky(void)
{
	kept[count++ % 64] = load(1000);
	count += 0;
}

APART static void fine(void)
{
	void *volatile block = load(5000);

	free(block);
	count += 0;
}

APART static void train(void)
{
	leaky();
	fine();
	count += 0;
}

APART static int recurse(int depth)
{
	int below;

	if (!depth) {
		train();
		return 0;
	}
	below = recurse(depth - 1);
	return below + 1 + count * 0;
}

int main(void)
{
	char line[8];
	int total = 0;

	setvbuf(stdin, NULL, _IONBF, 0);
	for (int i = 0; i < 10; i++)
		train();
	total += recurse(20);
	if (!fgets(line, sizeof(line), stdin))
		return total == 20 ? 0 : 1;
	return 0;
}
