/* SPDX-License-Identifier: MIT */
/*
 * A sum of bytes and its maximum, if decreases may be reported late: a free that began before an
 * allocation returned is seen after it. The last HIGHWATER_STEPS values can still be corrected;
 * older ones are final.
 */
#ifndef REPORT_BASE_HIGHWATER_H
#define REPORT_BASE_HIGHWATER_H

#include <stdint.h>

#define HIGHWATER_STEPS 16

/* A highwater of zeros is new. */
struct highwater {
	uint64_t now, settled;
	struct {
		uint64_t time_ns, value;
	} step[HIGHWATER_STEPS];
	uint32_t next;
};

void highwater_raise(struct highwater *highwater, uint64_t time_ns, uint64_t bytes);
/* `bytes` are gone, and were already gone at `from_ns`. */
void highwater_lower(struct highwater *highwater, uint64_t from_ns, uint64_t bytes);
/* Bytes that were subtracted at `to_ns` were already gone since `from_ns`. */
void highwater_correct(struct highwater *highwater, uint64_t from_ns, uint64_t to_ns,
		       uint64_t bytes);
uint64_t highwater_peak(const struct highwater *highwater);

#endif
