/* SPDX-License-Identifier: MIT */
/*
 * A file whose name has python3.N in it is examined: libpython3.N.so, or the program itself. Its
 * dynamic symbols have what extension modules need, and so what we need. Nothing in the file is
 * trusted: all reads are bounded, and of its names only two are compared.
 */
#include "collector/outside/python_find.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/processes/image.h"
#include "collector/processes/maps.h"
#include "collector/region/python_layout.h"
#include "collector/region/python_offsets.h"

#define SECTIONS_MAX 512u
#define SYMBOLS_AT_ONCE 256u
#define SYMBOLS_MAX 200000u
#define NAME_BYTES 16u

static bool read_at(int fd, uint64_t offset, void *to, size_t bytes)
{
	return offset < INT64_MAX && pread(fd, to, bytes, (off_t)offset) == (ssize_t)bytes;
}

/* Finds the table of dynamic symbols, and the texts that belong to it. */
static bool section_find(int fd, Elf64_Shdr *ret_symbols, Elf64_Shdr *ret_texts)
{
	Elf64_Shdr section;
	Elf64_Ehdr header;

	if (!read_at(fd, 0, &header, sizeof(header)) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(section) ||
	    header.e_shnum > SECTIONS_MAX)
		return false;
	for (unsigned int i = 0; i < header.e_shnum; i++) {
		if (!read_at(fd, header.e_shoff + i * sizeof(section), &section, sizeof(section)))
			return false;
		if (section.sh_type != SHT_DYNSYM || section.sh_link >= header.e_shnum)
			continue;
		*ret_symbols = section;
		return read_at(fd, header.e_shoff + section.sh_link * sizeof(section), ret_texts,
			       sizeof(*ret_texts));
	}
	return false;
}

static void symbol_take(int fd, const Elf64_Sym *symbol, const Elf64_Shdr *texts, uint64_t bias,
			struct python_found *found)
{
	char name[NAME_BYTES];

	if (!symbol->st_value || symbol->st_shndx == SHN_UNDEF ||
	    symbol->st_name >= texts->sh_size ||
	    !read_at(fd, texts->sh_offset + symbol->st_name, name, sizeof(name)))
		return;
	if (memcmp(name, "_PyRuntime", sizeof("_PyRuntime")) == 0)
		found->runtime = bias + symbol->st_value;
	else if (memcmp(name, "PyCode_Type", sizeof("PyCode_Type")) == 0)
		found->code_type = bias + symbol->st_value;
}

/* Data of a size: of the thousands of symbols, most are functions. */
static bool symbol_is_object(const Elf64_Sym *symbol)
{
	return ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT && symbol->st_size >= 8;
}

static bool symbols_find(int fd, uint64_t bias, struct python_found *found)
{
	static Elf64_Sym symbol[SYMBOLS_AT_ONCE];
	Elf64_Shdr symbols, texts;
	uint64_t count;

	if (!section_find(fd, &symbols, &texts))
		return false;
	count = symbols.sh_size / sizeof(*symbol);
	for (uint64_t i = 0; i < count && i < SYMBOLS_MAX; i += SYMBOLS_AT_ONCE) {
		uint64_t part = count - i < SYMBOLS_AT_ONCE ? count - i : SYMBOLS_AT_ONCE;

		if (!read_at(fd, symbols.sh_offset + i * sizeof(*symbol), symbol,
			     part * sizeof(*symbol)))
			return false;
		for (uint64_t j = 0; j < part; j++)
			if (symbol_is_object(&symbol[j]))
				symbol_take(fd, &symbol[j], &texts, bias, found);
	}
	return found->runtime && found->code_type;
}

/* The N of python3.N in the name of the file; 0: it is another file. */
static unsigned int minor_of(const char *path)
{
	static const char mark[] = "python3.";
	const char *slash = strrchr(path, '/');
	const char *at = slash ? strstr(slash, mark) : NULL;
	unsigned long minor = at ? strtoul(at + sizeof(mark) - 1, NULL, 10) : 0;

	return minor < 100 ? (unsigned int)minor : 0;
}

/* The file as the process sees it, which may have another root directory. */
static bool file_examine(uint32_t pid, const struct maps_line *line, struct python_found *found)
{
	char path[PATH_MAX];
	struct image image;
	struct stat st;
	bool is_found;
	int fd;

	if (snprintf(path, sizeof(path), "/proc/%u/root%s", pid, line->path) >= (int)sizeof(path) ||
	    !image_read(path, (ino_t)line->inode, &image))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return false;
	is_found = !fstat(fd, &st) && st.st_ino == (ino_t)line->inode &&
		   symbols_find(fd, line->start - image.lowest, found);
	close(fd);
	return is_found;
}

bool python_find(uint32_t pid, struct python_found *ret_found)
{
	struct python_found found = { 0 };
	struct maps_line line;
	struct maps maps;
	bool is_found = false;

	if (!maps_init(&maps, pid))
		return false;
	while (!is_found && maps_next(&maps, &line)) {
		found = (struct python_found){ .minor = minor_of(line.path) };
		if (found.minor && line.inode && !line.offset &&
		    (python_layout_of(found.minor) || python_offset_words_of(found.minor)))
			is_found = file_examine(pid, &line, &found);
	}
	maps_release(&maps);
	if (is_found)
		*ret_found = found;
	return is_found;
}
