/* SPDX-License-Identifier: MIT */
/* The actions of Lightning's Trainer, as an analysis of a run. */
#ifndef REPORT_LIGHTNING_ACTION_EVENTS_H
#define REPORT_LIGHTNING_ACTION_EVENTS_H

#include "report/core/analysis.h"
#include "report/lightning/actions.h"

struct actions_options {
	uint32_t none;
};
ANALYSIS(actions, struct actions)

#endif
