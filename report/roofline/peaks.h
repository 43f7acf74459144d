/* SPDX-License-Identifier: MIT */
/*
 * The peaks of the GPUs of a recording, from what CUPTI told of them and published figures by
 * compute capability (peaks.def). Memory grows with devices. To be used by one thread.
 */
#ifndef REPORT_ROOFLINE_PEAKS_H
#define REPORT_ROOFLINE_PEAKS_H

#include "report/core/analysis.h"

/* What computes a kernel; the order is that of peaks.def. */
#define PEAK_UNITS(UNIT) \
	UNIT(fp64)       \
	UNIT(fp32)       \
	UNIT(tf32)       \
	UNIT(half)
enum peak_unit {
#define UNIT(name) PEAK_##name,
	PEAK_UNITS(UNIT)
#undef UNIT
		PEAK_UNIT_LIMIT, /* not known */
};
extern const char *const peak_unit_names[PEAK_UNIT_LIMIT];

struct peaks {
	struct peaks_device {
		uint32_t process, device;
		double flops[PEAK_UNIT_LIMIT]; /* a second; 0: not known */
		double bytes;                  /* a second; 0: not known */
		/* of MIG: what CUPTI tells of it may be of the whole GPU, so no peak is known */
		bool is_part;
	} * of;
	size_t count, room;
	struct source *source;
};

struct peaks_options {
	uint32_t none;
};
ANALYSIS(peaks, struct peaks)

/* True if the process of any of them has a part of a GPU (MIG). */
bool peaks_have_parts(const struct peaks *peaks);
/* Returns the peaks of the device of the process; NULL: it was not told. */
const struct peaks_device *peaks_find(const struct peaks *peaks, uint32_t process, uint32_t device);

#endif
