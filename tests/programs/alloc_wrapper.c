/* SPDX-License-Identifier: MIT */
/* build: -g -O1 -fno-inline -fno-optimize-sibling-calls */
/*
 * A program with its own front of malloc(): claim(), which asks for memory in claim_or_die(), and
 * enlarge() for realloc(). Six functions use it; titles_read() keeps what it gets. `plain` as the
 * first argument: no front. Each thing has one size and is made by item_new(), which six functions
 * call: that one is no wrapper of malloc().
 */
#include <stdlib.h>
#include <string.h>

static void *claim_or_die(size_t bytes)
{
	void *block = malloc(bytes);

	if (!block)
		abort();
	return memset(block, 1, bytes);
}

static void *claim(size_t bytes)
{
	void *block = claim_or_die(bytes ? bytes : 1);

	*(volatile char *)block = 2;
	return block;
}

static void *enlarge(void *block, size_t bytes)
{
	block = realloc(block, bytes);
	if (!block)
		abort();
	return block;
}

static char *title[1000];

static void titles_read(size_t i)
{
	title[i] = claim(3000 + i); /* kept */
}

#define FUNCTION(name, bytes)                           \
	static void name(size_t i)                      \
	{                                               \
		char *block = claim((bytes) + i % 10);  \
                                                        \
		block = enlarge(block, (bytes)*2 + 10); \
		free(block);                            \
	}
FUNCTION(names_read, 10)
FUNCTION(lines_read, 80)
FUNCTION(words_read, 30)
FUNCTION(marks_read, 50)
FUNCTION(dates_read, 20)

struct item {
	struct item *next;
	char text[56];
};

static struct item *item_new(struct item *next)
{
	struct item *item = malloc(sizeof(*item));

	if (!item)
		abort();
	item->next = next;
	return item;
}

static struct item *items;

#define MAKES(name)                        \
	static void name(void)             \
	{                                  \
		items = item_new(items);   \
		items->text[0] = #name[0]; \
	}
MAKES(item_of_name)
MAKES(item_of_line)
MAKES(item_of_word)
MAKES(item_of_mark)
MAKES(item_of_date)
MAKES(item_of_rest)

int main(int argc, char **argv)
{
	int is_plain = argc > 1 && !strcmp(argv[1], "plain");

	for (size_t i = 0; i < 1000 && is_plain; i++) {
		item_of_name();
		item_of_line();
		item_of_word();
		item_of_mark();
		item_of_date();
		item_of_rest();
	}
	for (size_t i = 0; i < 1000 && !is_plain; i++) {
		titles_read(i);
		names_read(i);
		lines_read(i);
		words_read(i);
		marks_read(i);
		dates_read(i);
	}
	return 0;
}
