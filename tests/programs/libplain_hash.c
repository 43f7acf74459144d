/* SPDX-License-Identifier: MIT */
/* A library whose only hash table is that of the System V gABI. */
/* build: -Wl,--hash-style=sysv */
#define PLAIN(n)                  \
	int plain_hash_##n(void); \
	int plain_hash_##n(void)  \
	{                         \
		return n;         \
	}

PLAIN(0)
PLAIN(1)
PLAIN(2)
PLAIN(3)
PLAIN(4)
PLAIN(5)
PLAIN(6)
PLAIN(7)
