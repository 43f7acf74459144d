/* SPDX-License-Identifier: MIT */
/*
 * Names of PyTorch's modules that modules.py has found, by the module's address and the tree that
 * it is called in, so that Python code runs only for a module that is not known there. A cache:
 * what has no room is asked for again.
 *
 * Owns a reference to each name. The caller holds the GIL; not for free-threaded builds.
 */
#ifndef PRELOAD_MODULES_MODULE_NAMES_H
#define PRELOAD_MODULES_MODULE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/record/strings.h"

#define MODULE_ALONE UINT64_MAX /* in place of a tree: called inside of no other module */

struct module_name {
	uint64_t module; /* its address; 0: the place is free */
	uint64_t tree;
	uint64_t named_in; /* `tree`; called alone: the tree that its name is of */
	void *text;        /* the str that `name` points into */
	struct string name;
};

/* Maps the table, once. Returns false if there is no memory. */
bool module_names_begin(void);

/* NULL: not known. Valid until the next call of one of the functions below. */
const struct module_name *module_names_find(const void *module, uint64_t tree);

/* Takes a reference to `text`; does nothing if it is no str. */
void module_names_put(const void *module, uint64_t tree, uint64_t named_in, void *text);

/* All names of the module. */
void module_names_forget(uint64_t module);

#endif
