/* SPDX-License-Identifier: MIT */
/* Creates and fills the region that collector/region/region.h describes. */
#ifndef PRELOAD_LIFE_REGION_CREATE_H
#define PRELOAD_LIFE_REGION_CREATE_H

#include "collector/region/region.h"

struct region_wish {
	/* wanted size of the buffers; reduced to what the program's limits allow */
	uint64_t buffer_bytes;
	uint64_t max_file_bytes;
	uint64_t keep_last_ns, keep_last_bytes, keep_last_steps; /* at most one is not 0 */
	uint32_t keep;
	uint32_t redact;        /* 1 << enum region_redact */
	uint32_t place;         /* 1 << enum region_place */
	const uint64_t *family; /* settings_family_words() */
	uint32_t families;
	const char *metrics; /* a path, or "" */
	const char *session;
	const char *output;
	const char *preset; /* "" if it is the default */
	const char *trace;
	const char *capture; /* "" if everything is recorded */
	const char *budget;  /* INTERCEPT_BUDGET, "" if it is off */
	const char *step;    /* INTERCEPT_STEP, "" if it is auto */
	const char *own;     /* INTERCEPT_OWN, "" if it is not set */
	const char *trigger; /* INTERCEPT_TRIGGER, "" if it is not set */
};

/*
 * Creates the region, mapped MAP_SHARED and inherited by fork. Returns 0 or -errno. ret_fd is the
 * memfd, close-on-exec; the caller closes it when the collector has it. The mapping stays for ever.
 */
int region_create(const struct region_wish *wish, struct region_header **ret_header,
		  struct region_shape *ret_shape, int *ret_fd);

#endif
