/* SPDX-License-Identifier: MIT */
/*
 * Bytes that live, by category, over time: exact at CATEGORY_MOMENTS moments at most, which are
 * equally far apart. A block's category is known when it ends, so what is kept is the change from
 * moment to moment; it may be given in any order. The distance doubles when time goes on.
 */
#ifndef REPORT_TENSORS_CATEGORY_TIMES_H
#define REPORT_TENSORS_CATEGORY_TIMES_H

#include <stddef.h>
#include <stdint.h>

#include "report/tensors/category.h"

#define CATEGORY_MOMENTS 192u
#define CATEGORY_FOR_EVER UINT64_MAX

/* All zeros is empty. */
struct category_times {
	uint64_t width_ns;
	int64_t (*change)[CATEGORIES]; /* [i]: from moment i to moment i + 1 */
	size_t used;
};

void category_times_release(struct category_times *times);
/* A block lived from one time to the other. */
void category_times_put(struct category_times *times, uint64_t from_ns, uint64_t to_ns,
			enum tensor_category category, uint64_t bytes);
/*
 * Adds up the changes: `ret_bytes` [i] is what lived at the moment (i + 1) * width_ns. Returns how
 * many moments there are up to end_ns, at most CATEGORY_MOMENTS.
 */
size_t category_times_make(const struct category_times *times, uint64_t end_ns,
			   uint64_t ret_bytes[CATEGORY_MOMENTS][CATEGORIES]);

#endif
