/* SPDX-License-Identifier: MIT */
/*
 * Requests on connections that the program encrypts by OpenSSL: what passes through SSL_read() and
 * SSL_write() in the clear is followed (exchange.h), whatever carries the encrypted bytes; asyncio
 * keeps them in memory. A connection is known by its SSL object.
 *
 * Where libssl is linked into the program or into another library, its functions are not seen.
 */
#ifndef PRELOAD_REQUESTS_TLS_H
#define PRELOAD_REQUESTS_TLS_H

#include <stddef.h>

#include "preload/base/hidden.h"

/*
 * The first bytes of an accepted connection: notes if it is TLS, and no SSL object of a server has
 * been seen (limitation requests_encrypted). Any thread; no lock, no system call.
 */
PRELOAD_HIDDEN void tls_look(const char *bytes, size_t length);

#endif
