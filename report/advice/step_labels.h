/* SPDX-License-Identifier: MIT */
/*
 * What the user has named inside of steps (scopes of record_function(), NVTX ranges, Lightning's
 * actions): for each step, the STEP_LABELS_MAX names with the most time on the thread that ends it,
 * and that time. A scope that began before the step counts from the step's begin. Names are indices
 * of the source.
 */
#ifndef REPORT_ADVICE_STEP_LABELS_H
#define REPORT_ADVICE_STEP_LABELS_H

#include <stddef.h>
#include <stdint.h>

#define STEP_LABELS_MAX 8u

struct step_label {
	uint64_t ns;
	uint32_t name, thread;
};

/* Of the step that is under way, on all threads; all zeros: none. */
struct step_labels {
	struct step_label label[STEP_LABELS_MAX];
	unsigned int count;
};

void step_labels_add(struct step_labels *labels, const struct step_label *label);

/* Those of all steps. */
struct step_labels_kept {
	struct step_label *label;
	size_t count, room;
};
/* Keeps the labels of that thread; returns how many were appended. */
unsigned int step_labels_keep(struct step_labels_kept *kept, const struct step_labels *labels,
			      uint32_t thread);

#endif
