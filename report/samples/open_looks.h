/* SPDX-License-Identifier: MIT */
/*
 * Samples of one thread during which a call may have been open. The event of a call comes at its
 * end, with its duration: the samples since its begin were inside of it. While a call of C is open,
 * the Python stack stays the same. So only samples with the same stack are kept, in OPEN_LOOKS
 * entries: when these are full, each two become one, with the time of the first.
 *
 * All zeros is empty. Owns no memory. Times are nanoseconds.
 */
#ifndef REPORT_SAMPLES_OPEN_LOOKS_H
#define REPORT_SAMPLES_OPEN_LOOKS_H

#include <stdint.h>

#define OPEN_LOOKS 64u

/*
 * The weight of a sample: CPU time and waits, and the part of the CPU time for which no operator
 * was open.
 */
struct open_look {
	uint64_t time_ns;
	uint64_t all_ns, python_ns;
};

struct open_looks {
	struct open_look look[OPEN_LOOKS];
	uint32_t count;
	uint32_t width;      /* number of samples in an entry, a power of two */
	uint32_t last;       /* samples in the last entry */
	uint64_t place, row; /* the place and row of all samples */
};

void open_looks_add(struct open_looks *looks, uint64_t place, uint64_t row,
		    const struct open_look *look);

/* Removes the samples from that time on, and returns their sum. */
struct open_look open_looks_take(struct open_looks *looks, uint64_t since_ns);

#endif
