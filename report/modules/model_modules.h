/* SPDX-License-Identifier: MIT */
/*
 * Calls of PyTorch's modules on their way from the source to the model: ranges that nest per thread
 * (ranges.h), kept by their path, with what the thread did inside of them.
 */
#ifndef REPORT_MODULES_MODEL_MODULES_H
#define REPORT_MODULES_MODEL_MODULES_H

#include "report/core/model.h"

/* An event of family modules. */
void model_take_module(struct model *model, const struct source_event *event, bool counts);

#endif
