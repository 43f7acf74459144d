/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * Any bytes as the content of a data frame, or of a symbol frame, that is to be written without
 * folders, arguments and host. Must not crash, hang or read beyond them; what comes out can be gone
 * through again, and is the same the second time.
 *
 * Bytes that begin with SYMB get the checksum that they should have, since no fuzzer guesses one.
 */
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "report/base/memory.h"
#include "report/raw/redact_frame.h"

#define IDS 64u /* every second one is a path */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void texts_make(struct redact_texts *texts)
{
	bool added;

	redact_texts_init(texts, REDACT_ARGS | REDACT_PATHS | REDACT_HOST);
	memcpy(texts->host, "redacted-01234567", 18);
	memcpy(texts->session, "0123456789abcdef", 17);
	for (uint64_t id = 1; id < IDS; id++)
		map_put(&texts->roles, id + 1, &added)->value = id;
}

static void twice(const struct redact_texts *texts, const uint8_t *data, size_t size,
		  int (*redact)(const struct redact_texts *, const uint8_t *, size_t,
				struct redact_bytes *))
{
	struct redact_bytes once = { NULL, 0, 0 }, again = { NULL, 0, 0 };

	if (!redact(texts, data, size, &once) &&
	    (redact(texts, once.at, once.length, &again) || again.length != once.length ||
	     memcmp(again.at, once.at, once.length) != 0))
		abort();
	free(once.at);
	free(again.at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct redact_texts texts;
	uint8_t *bytes;
	uint64_t hash;

	texts_make(&texts);
	if (size < 4 || memcmp(data, "SYMB", 4) != 0) {
		twice(&texts, data, size, redact_frame);
	} else {
		bytes = memory_zero(size + sizeof(hash), 1);
		hash = XXH64(data, size, 0);
		memcpy(bytes, data, size);
		memcpy(bytes + size, &hash, sizeof(hash));
		twice(&texts, bytes, size + sizeof(hash), redact_symbols);
		free(bytes);
	}
	redact_texts_release(&texts);
	return 0;
}
