/* SPDX-License-Identifier: MIT */
/*
 * What Python knows of the program's environment (versions, threads), as events. bootstrap.py tells it once
 * torch is imported; what is told while the gates are shut waits for them to open.
 */
#ifndef PRELOAD_PYTHON_FACTS_H
#define PRELOAD_PYTHON_FACTS_H

#include "preload/record/strings.h"

/* Later ones than that which have to wait are forgotten. */
#define FACTS_WAITING_MAX 16u

/* Records it, now or when recording begins. */
void facts_put(const struct string *key, const struct string *value);

/* Recording has just begun: what waits is recorded. Any thread. */
void facts_tell(void);

#endif
