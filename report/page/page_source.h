/* SPDX-License-Identifier: MIT */
/*
 * The page without its data: style, markup and script from the files of this folder
 * (page_source.def), and the policy by which a browser runs that script and no other.
 */
#ifndef REPORT_PAGE_PAGE_SOURCE_H
#define REPORT_PAGE_PAGE_SOURCE_H

#include "report/export/sink.h"

/* Writes everything up to the data, which are followed by page_source_end(). */
void page_source_begin(struct sink *sink);
void page_source_end(struct sink *sink);

#endif
