/* SPDX-License-Identifier: MIT */
/*
 * What is known of addresses of one file of code: the functions and lines of each. As bytes, this
 * is the content of a file of the cache (symbol_cache.h) and of a symbol frame of a recording
 * (docs/FORMAT.md).
 *
 * Texts are copied, each once. The bytes may come from anybody: incomplete ones are refused, and
 * memory is bounded by their length. One thread.
 */
#ifndef REPORT_SYMBOLS_ANSWERS_H
#define REPORT_SYMBOLS_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/base/map.h"
#include "report/base/memory.h"
#include "report/symbols/object.h"

#define ANSWERS_TAG 0x424d5953u          /* "SYMB", FILE_TAG_SYMBOLS */
#define ANSWERS_BYTES_MAX (16u << 20)    /* in bytes */
#define ANSWERS_ADDRESSES_MAX (1u << 20) /* per module; further ones are not kept */

/* What the answers are about. */
struct answers_subject {
	/*
	 * 0: a file of code; else the process's number in the recording: addresses are those of its
	 * memory
	 */
	uint64_t process;
	const char *path, *build_id; /* as recorded; "": unknown */
	const char *link;  /* name of its file of debug information, "": none; for the cache */
	const char *basis; /* the files that they were made from; for the cache */
};

struct answers {
	/* of the answers that were read; its texts belong to them */
	struct answers_subject subject;
	struct text_store store;
	struct map addresses; /* from address + 1 to `answer` */
	struct map texts;     /* from hash to `text` */
	struct answer *answer;
	size_t count, room;
	struct object_frame *frame; /* for all answers; texts are in the store */
	size_t frames, frame_room;
	const char **text;
	size_t text_count, text_room;
};

void answers_init(struct answers *answers);
void answers_release(struct answers *answers);

/* False: nothing is known of the address. */
bool answers_find(const struct answers *answers, uint64_t address, struct object_place *ret_place);
/* Replaces what was known. A place without frames means that nothing can be known. */
void answers_add(struct answers *answers, uint64_t address, const struct object_place *place);

/* Returns the bytes, to be freed; NULL if there are more than ANSWERS_BYTES_MAX. */
uint8_t *answers_write(const struct answers *answers, const struct answers_subject *subject,
		       size_t *ret_length);
/*
 * Reads into new answers. False: the bytes are damaged, or of another version; the answers are then
 * still new.
 */
bool answers_read(struct answers *answers, const uint8_t *bytes, size_t length);

#endif
