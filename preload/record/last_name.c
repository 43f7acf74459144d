/* SPDX-License-Identifier: MIT */
/* Only rings that the thread has claimed since the recording's generation began are its own. */
#include "preload/record/last_name.h"

#include <errno.h>
#include <stdint.h>
#include <sys/prctl.h>

#include "preload/record/recorder.h"

void last_name_note(void)
{
	uint64_t name[REGION_NAME_WORDS] = { 0 };
	int saved = errno;

	if (prctl(PR_GET_NAME, name)) {
		errno = saved;
		return;
	}
	for (unsigned int i = 0; i < RECORDER_LEVELS; i++) {
		const struct recorder_lane *lane = &recorder_self.lane[i];

		if (!lane->bound || lane->bound != recorder_gates->generation + 1)
			continue;
		for (unsigned int j = 0; j < REGION_NAME_WORDS; j++)
			atomic_store(&lane->ring->name[j], name[j]);
	}
}
