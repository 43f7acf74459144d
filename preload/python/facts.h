/* SPDX-License-Identifier: MIT */
/*
 * Facts about the program's environment that Python knows (versions, threads), as events.
 * bootstrap.py reports them once torch is imported; facts reported while the gates are shut wait
 * until they open.
 */
#ifndef PRELOAD_PYTHON_FACTS_H
#define PRELOAD_PYTHON_FACTS_H

#include "preload/record/strings.h"

/* If more facts have to wait, the later ones are dropped. */
#define FACTS_WAITING_MAX 16u

/* Records the fact now, or when recording begins. */
void facts_put(const struct string *key, const struct string *value);

/* Recording has just begun: records the facts that wait. Any thread. */
void facts_tell(void);

#endif
