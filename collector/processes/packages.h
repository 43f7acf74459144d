/* SPDX-License-Identifier: MIT */
/*
 * Which Python files an installer has put where they are, outside of site-packages: `pip install
 * --target FOLDER` leaves a folder NAME-VERSION.dist-info beside what it installs. Its RECORD
 * lists the files. What is found is told as `meta`, key "installed", value FOLDER/NAME, before the
 * code that has the file's name.
 *
 * One thread. Each folder is read once. Bounded: PACKAGES_KNOWN_MAX folders and names, and
 * PACKAGES_ENTRIES_MAX entries of a folder; what lies beyond is not told.
 */
#ifndef COLLECTOR_PROCESSES_PACKAGES_H
#define COLLECTOR_PROCESSES_PACKAGES_H

#include <stddef.h>
#include <stdint.h>

#include "collector/core/common.h"

#define PACKAGES_KNOWN_MAX 8192u
#define PACKAGES_ENTRIES_MAX 8192u

struct packages {
	struct common *common;
	struct packages_known {
		uint64_t hash; /* 0: empty slot */
		uint32_t is_so;
	} * known; /* NULL before the first file */
	uint32_t known_count;
};

void packages_init(struct packages *packages, struct common *common);
void packages_release(struct packages *packages);

/* `process` runs code of that file. */
void packages_note(struct packages *packages, uint64_t process, const char *file, size_t length);

#endif
