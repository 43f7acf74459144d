/* SPDX-License-Identifier: MIT */
/* The events that make up steps, on their way from the source to the model's steps. */
#ifndef REPORT_STEPS_MODEL_STEPS_H
#define REPORT_STEPS_MODEL_STEPS_H

#include "report/core/model.h"

/* Any program event; those that say nothing of steps are passed over. `counts`: the filters hold. */
void model_take_steps(struct model *model, const struct source_event *event, bool counts);

#endif
