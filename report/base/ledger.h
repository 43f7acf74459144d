/* SPDX-License-Identifier: MIT */
/*
 * Bytes of rows over time: the value of each row when the sum of all was greatest, if changes may
 * be reported late. The last LEDGER_CHANGES changes are kept in the order of time; older ones are
 * final.
 */
#ifndef REPORT_BASE_LEDGER_H
#define REPORT_BASE_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEDGER_CHANGES 64

struct ledger_row {
	int64_t now, at_peak;
	uint64_t seen; /* number of the peak that at_peak belongs to */
};

struct ledger_change {
	uint64_t time_ns;
	int64_t bytes;
	uint32_t row;
	bool sums; /* counts towards the sum whose peak is wanted */
};

/* All zeros is new. */
struct ledger {
	struct ledger_change change[LEDGER_CHANGES];
	size_t count;
	struct ledger_row *row;
	size_t row_room;
	int64_t now, peak;
	uint64_t peak_number; /* how many times the peak was raised */
};

void ledger_release(struct ledger *ledger);
void ledger_put(struct ledger *ledger, const struct ledger_change *change);
/* Call after the last change, before rows are read. */
void ledger_finish(struct ledger *ledger);
uint64_t ledger_at_peak(const struct ledger *ledger, uint32_t row);

#endif
