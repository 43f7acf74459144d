/* SPDX-License-Identifier: MIT */
/* Events on their way to what advice rests on, and to what processes told of their environment. */
#ifndef REPORT_ADVICE_MODEL_EVIDENCE_H
#define REPORT_ADVICE_MODEL_EVIDENCE_H

#include "report/core/model.h"

/* Any program event. `counts`: the filters hold. */
void model_take_evidence(struct model *model, const struct source_event *event, bool counts);
/* The event `fact`, whatever the filters say. */
void model_take_fact(struct model *model, const struct source_event *event);

#endif
