/* SPDX-License-Identifier: MIT */
/* What the user has named inside of steps: see step_labels.h. */
#include "report/advice/step_labels.h"

#include "report/base/memory.h"

void step_labels_add(struct step_labels *labels, const struct step_label *label)
{
	struct step_label *least = &labels->label[0];

	for (unsigned int i = 0; i < labels->count; i++) {
		struct step_label *known = &labels->label[i];

		if (known->name == label->name && known->thread == label->thread) {
			known->ns += label->ns;
			return;
		}
		if (known->ns < least->ns)
			least = known;
	}
	if (labels->count < STEP_LABELS_MAX)
		labels->label[labels->count++] = *label;
	else if (least->ns < label->ns)
		*least = *label;
}

unsigned int step_labels_keep(struct step_labels_kept *kept, const struct step_labels *labels,
			      uint32_t thread)
{
	unsigned int added = 0;

	for (unsigned int i = 0; i < labels->count; i++) {
		if (labels->label[i].thread != thread)
			continue;
		kept->label = memory_room(kept->label, kept->count, &kept->room,
					  sizeof(*kept->label));
		kept->label[kept->count++] = labels->label[i];
		added++;
	}
	return added;
}
