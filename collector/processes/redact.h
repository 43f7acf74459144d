/* SPDX-License-Identifier: MIT */
/*
 * Removes what the user wants left out (INTERCEPT_REDACT) before it is written to the file.
 * `redact` is 1 << enum region_redact, from view.redact. Nothing is kept here.
 */
#ifndef COLLECTOR_REDACT_H
#define COLLECTOR_REDACT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Changes a command line in place, words with spaces between them; returns its length. With args,
 * only the base name of the first word stays. With paths, each path becomes its base name, in each
 * word and after each of its = : , and quotes.
 */
size_t redact_command(uint32_t redact, char *text, size_t length);

/* Returns the path, or its base name; *length becomes its length. */
const char *redact_path(uint32_t redact, const char *path, size_t *length);

/*
 * Replaces a host's name by one that distinguishes hosts within a session but does not reveal the
 * name: "redacted-" and 8 hex digits of a hash of the name, the session and the kernel's random id
 * of this boot. `session` may lack its terminator, as in the region's header.
 */
void redact_host(uint32_t redact, char *host, size_t room, const char *session);

#define REDACT_TEXT_BYTES 64u

/* "args,host", or "" */
void redact_text(uint32_t redact, char text[REDACT_TEXT_BYTES]);

#endif
