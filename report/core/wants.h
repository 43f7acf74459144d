/* SPDX-License-Identifier: MIT */
/*
 * What of a file a model reads: the rest is passed over undecoded, and only counted.
 */
#ifndef REPORT_CORE_WANTS_H
#define REPORT_CORE_WANTS_H

#include "report/core/model.h"

/* With filters more is read than without: whether an event counts is told from the event itself. */
void wants_of_model(struct frame_wants *ret_wants, const struct model_options *options);

#endif
