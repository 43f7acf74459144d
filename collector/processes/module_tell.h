/* SPDX-License-Identifier: MIT */
/*
 * What the file is told of a module (modules.h): its name and build-id, and from when to when it is
 * mapped. Keeps nothing.
 */
#ifndef COLLECTOR_PROCESSES_MODULE_TELL_H
#define COLLECTOR_PROCESSES_MODULE_TELL_H

#include <stdint.h>

#include "collector/processes/modules.h"
#include "collector/processes/objects.h"
#include "collector/processes/start_map.h"

/* Sets path and build-id of a module that a reading has found. */
void module_describe(const struct modules_reading *reading, const struct object *object,
		     struct module *module);

/* Makes a module from what the process knew when its recording began. */
struct module module_of_start(const struct modules_reading *reading,
			      const struct start_module *start);

/* Add `module` and `module_end` to the journal. Anonymous code is not recorded. */
void module_tell(const struct modules_reading *reading, const struct module *module,
		 uint64_t from_ns);
void module_tell_end(const struct modules_reading *reading, const struct module *module,
		     uint64_t time_ns);

#endif
