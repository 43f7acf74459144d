/* SPDX-License-Identifier: MIT */
/* links: preload:requests/h2.c preload:requests/hpack.c */
/*
 * Any bytes as a connection of HTTP/2, which clients choose: pieces of the input go to one side or
 * the other. What is recorded lies in readable memory, a request ends once and after its begin,
 * and none is open after the close.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "preload/record/limitation.h"
#include "preload/requests/h2.h"
#include "preload/requests/requests.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t begun, ended;

static void must(int holds)
{
	if (!holds)
		abort();
}

void requests_record_begin(const struct request_begun *begin)
{
	must(begin->number == begun++);
	must(begin->line.method_length && begin->line.target_length);
}

void requests_record_end(const struct request_ended *end)
{
	must(end->number < begun && end->status < 1000);
	ended++;
}

void limitation_note(enum limitation what, const char *subject)
{
	must(what == LIMITATION_requests_streams && !subject);
}

/* The first byte of a piece says to which side it goes, and how long it is. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct h2_call call = { .connection = 1, .fd = -1, .started = 1 };
	struct h2 *h2 = h2_make();
	bool followed[2] = { true, true };

	if (!h2)
		return 0;
	begun = ended = 0;
	h2_begin(h2);
	while (size > 1) {
		enum h2_side_of side = data[0] & 1 ? H2_OUT : H2_IN;
		size_t length = data[0] / 2 + 1u < size - 1 ? data[0] / 2 + 1u : size - 1;
		char *piece = malloc(length); /* of its exact length */

		must(piece != NULL);
		memcpy(piece, data + 1, length);
		followed[side] = followed[side] && h2_take(h2, side, &call, piece, length);
		free(piece);
		data += length + 1;
		size -= length + 1;
	}
	h2_close(h2, &call, false);
	must(begun == ended);
	h2_free(h2);
	return 0;
}
