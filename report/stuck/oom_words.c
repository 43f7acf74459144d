/* SPDX-License-Identifier: MIT */
/* See oom_words.h. A process whose end was not recorded may have been killed, too. */
#include "report/stuck/oom_words.h"

#include <signal.h>
#include <stdio.h>

#include "report/base/units.h"

#define MUCH_PERCENT 80u /* of the limit */

static bool oom_may_be(const struct source_process *process)
{
	bool is_killed = process->how == EVT_END_KILLED && process->exit_status == 128 + SIGKILL;
	bool is_unknown = process->how == EVT_END_UNKNOWN && process->exit_status < 0;

	return process->ended && process->oom_kills &&
	       (is_killed || (is_unknown && process->oom_kills > 1));
}

static void oom_put_memory(const struct source_process *process, char *text, size_t room)
{
	char peak[UNIT_TEXT_BYTES], limit[UNIT_TEXT_BYTES];
	uint64_t limit_bytes = process->memory_limit_bytes, peak_bytes = process->memory_peak_bytes;

	if (!limit_bytes || !peak_bytes ||
	    (process->oom_kills < 2 && peak_bytes / MUCH_PERCENT < limit_bytes / 100))
		return;
	snprintf(text, room, " The most resident memory seen of it is %s; its limit is %s.",
		 unit_format_bytes(peak, peak_bytes), unit_format_bytes(limit, limit_bytes));
}

const char *oom_words(const struct source_process *process, char text[OOM_WORDS_BYTES])
{
	const char *where = process->oom_is_machine ? "on its machine" : "of its memory cgroup";
	char count[UNIT_TEXT_BYTES], within[UNIT_TEXT_BYTES];
	uint64_t kills = process->oom_kills - 1;
	int length;

	if (!oom_may_be(process))
		return NULL;
	length = snprintf(text, OOM_WORDS_BYTES,
			  "The kernel's OOM killer ended %s process%s %s in the last %s of its "
			  "life.",
			  kills ? unit_format_count(count, kills) : "no", kills < 2 ? "" : "es",
			  where, unit_format_ns(within, process->oom_within_ns));
	oom_put_memory(process, text + length, OOM_WORDS_BYTES - (size_t)length);
	return text;
}
