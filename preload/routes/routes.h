/* SPDX-License-Identifier: MIT */
/*
 * Routes of requests, as the program's framework names them: `/items/{id}` of FastAPI. Functions of
 * the framework get a vectorcall of ours, as nn.Module.__call__ does (python/vectorcall.h).
 */
#ifndef PRELOAD_ROUTES_ROUTES_H
#define PRELOAD_ROUTES_ROUTES_H

#include <stdbool.h>

/* For python/listeners.def; with the GIL. A module is about to be imported. */
bool routes_see_import(void *arguments);

#endif
