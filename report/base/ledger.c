/* SPDX-License-Identifier: MIT */
/*
 * Bytes of rows over time. Recent changes wait in the order of time; a row's value at the peak is
 * saved before its first change after the peak.
 */
#include "report/base/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"

void ledger_release(struct ledger *ledger)
{
	free(ledger->row);
}

/* Call before a row changes: saves its value at the last peak. */
static void ledger_keep(const struct ledger *ledger, struct ledger_row *row)
{
	if (row->seen == ledger->peak_number)
		return;
	row->seen = ledger->peak_number;
	row->at_peak = row->now;
}

/* Numbers of damaged files may overflow: they wrap. */
static int64_t ledger_sum_of(int64_t bytes, int64_t more)
{
	return (int64_t)((uint64_t)bytes + (uint64_t)more);
}

/*
 * Applies the changes of the earliest time together, so that a block that moves from row to row
 * makes no peak.
 */
static void ledger_settle(struct ledger *ledger)
{
	uint64_t time_ns = ledger->change[0].time_ns;
	size_t done = 0;

	while (done < ledger->count && ledger->change[done].time_ns == time_ns) {
		const struct ledger_change *change = &ledger->change[done++];
		struct ledger_row *row;

		ledger->row = memory_room(ledger->row, change->row, &ledger->row_room,
					  sizeof(*ledger->row));
		row = &ledger->row[change->row];
		ledger_keep(ledger, row);
		row->now = ledger_sum_of(row->now, change->bytes);
		ledger->now = ledger_sum_of(ledger->now, change->sums ? change->bytes : 0);
	}
	ledger->count -= done;
	memmove(ledger->change, ledger->change + done, ledger->count * sizeof(*ledger->change));
	if (ledger->now <= ledger->peak)
		return;
	ledger->peak = ledger->now;
	ledger->peak_number++;
}

void ledger_put(struct ledger *ledger, const struct ledger_change *change)
{
	size_t at;

	while (ledger->count == LEDGER_CHANGES)
		ledger_settle(ledger);
	for (at = ledger->count; at && ledger->change[at - 1].time_ns > change->time_ns; at--)
		ledger->change[at] = ledger->change[at - 1];
	ledger->change[at] = *change;
	ledger->count++;
}

void ledger_finish(struct ledger *ledger)
{
	while (ledger->count)
		ledger_settle(ledger);
	for (size_t i = 0; i < ledger->row_room; i++)
		ledger_keep(ledger, &ledger->row[i]);
}

uint64_t ledger_at_peak(const struct ledger *ledger, uint32_t row)
{
	int64_t bytes = row < ledger->row_room ? ledger->row[row].at_peak : 0;

	return bytes > 0 ? (uint64_t)bytes : 0;
}
