/* SPDX-License-Identifier: MIT */
/*
 * The place where memory was allocated, as text that is the same in every process: the file's name
 * and the offset for `addr2line -e FILE 0xOFFSET`. No symbols.
 */
#ifndef REPORT_SESSION_CALLERS_H
#define REPORT_SESSION_CALLERS_H

#include "report/base/map.h"
#include "report/base/memory.h"
#include "report/session/source.h"

struct caller {
	const char *text;  /* libc.so.6+0x1234, or 0x7f... if the module is unknown */
	uint64_t identity; /* hash of the module's path and the offset: the same in every process */
};

/*
 * The text is in memory of `texts`. `time_ns` is when the address was used, because dlclose()
 * allows addresses to be reused.
 */
struct caller caller_of(struct text_store *texts, const struct source_process *process,
			uint64_t address, uint64_t time_ns);

/*
 * Remembers callers that were asked for, for tables in which many are the same. Use it after
 * everything is read. Texts are those of caller_of(), in one `texts`. Memory grows with distinct
 * (process, address). One thread.
 */
struct caller_memo {
	struct map known; /* index in `caller` + 1; 0: the result depends on the time */
	struct caller *caller;
	size_t count, room;
};

void caller_memo_init(struct caller_memo *memo);
void caller_memo_release(struct caller_memo *memo);
/* Returns what caller_of() returns. */
struct caller caller_memo_of(struct caller_memo *memo, struct text_store *texts,
			     const struct source_process *process, uint64_t address,
			     uint64_t time_ns);

/* Returns the module that the address belongs to at that time, NULL if none is known. */
const struct source_module *caller_module(const struct source_process *process, uint64_t address,
					  uint64_t time_ns);

#endif
