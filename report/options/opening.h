/* SPDX-License-Identifier: MIT */
/*
 * Makes the settings for opening the files of a command line, in one place for all reports that
 * open files themselves.
 */
#ifndef REPORT_OPTIONS_OPENING_H
#define REPORT_OPTIONS_OPENING_H

#include "report/options/options.h"
#include "report/session/source.h"

/* Fields that no option sets have their defaults; the caller may set others. */
struct source_options opening_of(const struct options *options);

#endif
