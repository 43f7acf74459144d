/* SPDX-License-Identifier: MIT */
/*
 * For the collector under qemu-user, preloaded: the emulator maps code of the program that it runs
 * for reading only. Here mappings of arm64 files can be executed, as they are for a kernel of
 * aarch64, in what the collector reads of /proc/PID/maps.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static bool is_of_aarch64(const char *path)
{
	Elf64_Ehdr head = { 0 };
	FILE *file = fopen(path, "re");

	if (!file)
		return false;
	if (fread(&head, sizeof(head), 1, file) != 1)
		head.e_machine = EM_NONE;
	fclose(file);
	return memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_machine == EM_AARCH64;
}

/* Returns a file with the same lines, or -1. */
static int maps_as_mapped(const char *maps)
{
	int fd = memfd_create("maps", MFD_CLOEXEC);
	FILE *from = fopen(maps, "re");
	char line[8192];

	while (fd >= 0 && from && fgets(line, sizeof(line), from)) {
		char *perms = strstr(line, " r--p ");
		char *path = strchr(line, '/');

		line[strcspn(line, "\n")] = 0;
		if (perms && path && is_of_aarch64(path))
			memcpy(perms, " r-xp ", 6);
		dprintf(fd, "%s\n", line);
	}
	if (from)
		fclose(from);
	if (fd >= 0)
		(void)lseek(fd, 0, SEEK_SET);
	return fd;
}

int open(const char *path, int flags, ...)
{
	size_t end = strlen(path);
	unsigned int mode;
	va_list list;

	va_start(list, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, unsigned int) : 0;
	va_end(list);
	if (strncmp(path, "/proc/", 6) == 0 && strcmp(path + end - strlen("/maps"), "/maps") == 0)
		return maps_as_mapped(path);
	return openat(AT_FDCWD, path, flags, mode);
}
