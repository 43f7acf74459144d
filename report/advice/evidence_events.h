/* SPDX-License-Identifier: MIT */
/* The evidence for advice, as an analysis of a run. */
#ifndef REPORT_ADVICE_EVIDENCE_EVENTS_H
#define REPORT_ADVICE_EVIDENCE_EVENTS_H

#include "report/advice/evidence.h"
#include "report/core/analysis.h"

struct evidence_options {
	uint32_t none;
};
ANALYSIS(evidence, struct evidence)

#endif
