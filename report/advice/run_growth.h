/* SPDX-License-Identifier: MIT */
/*
 * Whether the memory of a program grows throughout a run without steps, as far as blocks of the
 * heap and Python's arenas tell: both over time, without the first quarter of the run, which counts
 * as the start of the program; of a server the time is that from the first request to the last.
 * Small objects of Python are in arenas alone. Of several processes each is judged by itself, over
 * its own life, by the collector's looks at it: processes that come and go look like growth if they
 * are added up. Where there are steps, only the processes beside the loop's are judged.
 */
#ifndef REPORT_ADVICE_RUN_GROWTH_H
#define REPORT_ADVICE_RUN_GROWTH_H

#include "report/advice/bottleneck.h"

/*
 * Says it, of a run without requests as a note, with the line that needed most arenas where they
 * are most of the growth.
 */
bool run_growth_say(const struct bottleneck *bottleneck, struct advice *advice);

#endif
