/* SPDX-License-Identifier: MIT */
/*
 * SHA-256 digests of the page's style and script, in base64. Both are known when prof-report is
 * built, so the build computes them (scripts/gen-page-digests.sh).
 */
#ifndef REPORT_PAGE_PAGE_DIGESTS_H
#define REPORT_PAGE_PAGE_DIGESTS_H

extern const char page_digest_style[];
extern const char page_digest_script[];

#endif
