/* SPDX-License-Identifier: MIT */
/*
 * The page without its data: style, markup and script, out of the files of this folder (page_source.def), and the
 * policy that lets a browser run that script and no other.
 */
#ifndef REPORT_PAGE_PAGE_SOURCE_H
#define REPORT_PAGE_PAGE_SOURCE_H

#include "report/export/sink.h"

/* All up to the data; after it come the data and page_source_end(). */
void page_source_begin(struct sink *sink);
void page_source_end(struct sink *sink);

#endif
