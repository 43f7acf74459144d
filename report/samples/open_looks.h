/* SPDX-License-Identifier: MIT */
/*
 * Looks at one thread that a call may have been open at. A call is known at its end, with the time that it took: the looks
 * since its begin were in it. While a call of C is open the stack stays the same, so only the looks at the same
 * stack are kept, at OPEN_LOOKS places: when they are full each two become one, with the time of the first.
 *
 * Zeroed: none. Owns nothing. Times are nanoseconds.
 */
#ifndef REPORT_SAMPLES_OPEN_LOOKS_H
#define REPORT_SAMPLES_OPEN_LOOKS_H

#include <stdint.h>

#define OPEN_LOOKS 64u

/* What a look is worth: CPU time and waits, and of them CPU time that no operator was open for. */
struct open_look {
	uint64_t time_ns;
	uint64_t all_ns, python_ns;
};

struct open_looks {
	struct open_look look[OPEN_LOOKS];
	uint32_t count;
	uint32_t width;      /* looks that a place is for, a power of two */
	uint32_t last;       /* looks in the last place */
	uint64_t place, row; /* all of them are at */
};

void open_looks_add(struct open_looks *looks, uint64_t place, uint64_t row,
		    const struct open_look *look);

/* Returns the sum of the looks from that time on and removes them. */
struct open_look open_looks_take(struct open_looks *looks, uint64_t since_ns);

#endif
