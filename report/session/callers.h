/* SPDX-License-Identifier: MIT */
/*
 * Where an allocation was asked for, as text that is the same in every process: the file's name and
 * the offset for `addr2line -e FILE 0xOFFSET`. No symbols.
 */
#ifndef REPORT_SESSION_CALLERS_H
#define REPORT_SESSION_CALLERS_H

#include "report/base/map.h"
#include "report/base/memory.h"
#include "report/session/source.h"

struct caller {
	const char *text;  /* libc.so.6+0x1234, or 0x7f... when the module is unknown */
	uint64_t identity; /* hash of the module's path and the offset: the same in every process */
};

/* Text in memory of `texts`. `time_ns`: when it was used, as addresses are reused by dlclose(). */
struct caller caller_of(struct text_store *texts, const struct source_process *process,
			uint64_t address, uint64_t time_ns);

/*
 * Callers that were asked for, where many are the same: once all is read. Texts as those of caller_of(), of one `texts`.
 * Memory grows with distinct (process, address). One thread.
 */
struct caller_memo {
	struct map known; /* place in `caller` + 1; 0: what it is changes with time */
	struct caller *caller;
	size_t count, room;
};

void caller_memo_init(struct caller_memo *memo);
void caller_memo_release(struct caller_memo *memo);
/* What caller_of() says. */
struct caller caller_memo_of(struct caller_memo *memo, struct text_store *texts,
			     const struct source_process *process, uint64_t address,
			     uint64_t time_ns);

/* The module that the address belongs to at that time, NULL when none is known. */
const struct source_module *caller_module(const struct source_process *process, uint64_t address,
					  uint64_t time_ns);

#endif
