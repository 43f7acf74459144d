/* SPDX-License-Identifier: MIT */
/* SHA-256: see sha256.h. Plain, for a few hundred kilobytes. */
#include "report/base/sha256.h"

#include <string.h>

#define BLOCK 64u
#define ROUNDS 64u
#define LENGTH_BYTES 8u /* at the end of the last block */

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t constants[ROUNDS] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

static uint32_t turn(uint32_t word, unsigned int by)
{
	return word >> by | word << (32 - by);
}

static void spread(uint32_t word[ROUNDS], const uint8_t block[BLOCK])
{
	for (unsigned int i = 0; i < 16; i++)
		word[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
			  (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (unsigned int i = 16; i < ROUNDS; i++) {
		uint32_t a = word[i - 15], b = word[i - 2];

		word[i] = word[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + word[i - 7] +
			  (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
	}
}

static void take_block(uint32_t hash[8], const uint8_t block[BLOCK])
{
	uint32_t word[ROUNDS], s[8];

	spread(word, block);
	memcpy(s, hash, sizeof(s));
	for (unsigned int i = 0; i < ROUNDS; i++) {
		uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
		uint32_t most = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
		uint32_t a = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) + choice +
			     constants[i] + word[i];
		uint32_t b = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) + most;

		memmove(s + 1, s, 7 * sizeof(s[0]));
		s[4] += a;
		s[0] = a + b;
	}
	for (unsigned int i = 0; i < 8; i++)
		hash[i] += s[i];
}

void sha256(const void *bytes, size_t length, uint8_t ret_digest[SHA256_BYTES])
{
	/* of the square roots of the first 8 primes */
	uint32_t hash[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
			     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
	size_t whole = length / BLOCK * BLOCK, rest = length - whole;
	size_t last = rest + 1 + LENGTH_BYTES <= BLOCK ? BLOCK : 2 * BLOCK;
	uint8_t end[2 * BLOCK] = { 0 };

	for (size_t at = 0; at < whole; at += BLOCK)
		take_block(hash, (const uint8_t *)bytes + at);
	if (rest)
		memcpy(end, (const uint8_t *)bytes + whole, rest);
	end[rest] = 0x80;
	for (unsigned int i = 0; i < LENGTH_BYTES; i++)
		end[last - 1 - i] = (uint8_t)((uint64_t)length * 8 >> 8 * i);
	for (size_t at = 0; at < last; at += BLOCK)
		take_block(hash, end + at);
	for (unsigned int i = 0; i < SHA256_BYTES; i++)
		ret_digest[i] = (uint8_t)(hash[i / 4] >> (24 - 8 * (i % 4)));
}
