/* SPDX-License-Identifier: MIT */
/*
 * usage: jit
 * Makes a function at run time that calls malloc(), says so in /tmp/perf-PID.map as `node
 * --perf-basic-prof` does, prints its pid, and calls it 10 times. Ends when its standard input
 * does.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* sub $8, %rsp; mov $malloc, %rax; call *%rax; add $8, %rsp; ret */
static const unsigned char code[] = { 0x48, 0x83, 0xec, 8,    0x48, 0xb8, 0,    0,    0, 0,   0,
				      0,    0,    0,    0xff, 0xd0, 0x48, 0x83, 0xc4, 8, 0xc3 };

int main(void)
{
	void *(*made)(size_t);
	void *function = malloc;
	char path[64], byte;
	unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	FILE *map;

	if (page == MAP_FAILED)
		return 77;
	memcpy(page + 256, code, sizeof(code));
	memcpy(page + 256 + 6, &function, sizeof(function));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	if (!map)
		return 77;
	fprintf(map, "%lx %zx before\n", (unsigned long)(uintptr_t)page, (size_t)256);
	fprintf(map, "%lx %zx LazyCompile:~made /app.js:7\n",
		(unsigned long)(uintptr_t)(page + 256), sizeof(code));
	fclose(map);
	printf("%d\n", (int)getpid());
	fflush(stdout);
	page += 256;
	memcpy(&made, &page, sizeof(made));
	for (int i = 0; i < 10; i++)
		free(made(5000));
	while (read(0, &byte, 1) > 0)
		;
	return 0;
}
