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

#include <stdbool.h>
#include <stddef.h>

#include "preload/base/hidden.h"

/*
 * The first bytes of an accepted connection: returns whether it is TLS, and notes if no SSL object
 * of a server has been seen then (limitation requests_encrypted). Any thread; no lock, no system
 * call.
 */
PRELOAD_HIDDEN bool tls_look(const char *bytes, size_t length);

/*
 * This thread has received bytes of an encrypted connection. What it reads from an SSL object next
 * came by that one, which is where the kernel knows since when it waited (arrival.h). An object
 * keeps its first connection; what is read after bytes of another one came by no known connection.
 */
PRELOAD_HIDDEN void tls_took(int fd);

#endif
