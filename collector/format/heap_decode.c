/* SPDX-License-Identifier: MIT */
/*
 * Decodes births and deaths, of which there are millions. What the loop needs is copied out of the
 * decoder first and put back at the end, so that the compiler can keep it in registers.
 * block_decode.c handles all other records in the same way.
 */
#include "collector/format/heap_decode.h"

/* The codes of one side (births or deaths), and the addresses that are stored in full. */
struct side {
	const uint16_t *code;
	struct cursor far;
	uint64_t last_far;
	uint32_t count;
	bool failed;
};

struct pass {
	struct decoder *d;
	struct side births, deaths;
	const uint16_t *size;
	const struct varint_late *late_size;
};

static inline struct side side_take(const struct decoder *d, const struct trail *trail,
				    enum column_key codes, enum column_key far)
{
	return (struct side){ d->shared[codes].next, d->column[far], trail->last_far, trail->count,
			      d->column[codes].failed };
}

static inline void side_put_back(const struct side *side, struct decoder *d, struct trail *trail,
				 enum column_key codes, enum column_key far)
{
	d->shared[codes].next = side->code;
	d->column[codes].failed = side->failed;
	d->column[far] = side->far;
	trail->last_far = side->last_far;
	trail->count = side->count;
}

static inline struct pass pass_begin(struct decoder *d)
{
	return (struct pass){
		.d = d,
		.births = side_take(d, &d->births, COLUMN_BORN, COLUMN_BORN_ADDRESS),
		.deaths = side_take(d, &d->deaths, COLUMN_DIES, COLUMN_DIES_ADDRESS),
		.size = d->shared[COLUMN_SIZE].next,
		.late_size = d->shared[COLUMN_SIZE].next_late,
	};
}

static inline void pass_end(const struct pass *pass)
{
	struct decoder *d = pass->d;

	side_put_back(&pass->births, d, &d->births, COLUMN_BORN, COLUMN_BORN_ADDRESS);
	side_put_back(&pass->deaths, d, &d->deaths, COLUMN_DIES, COLUMN_DIES_ADDRESS);
	d->shared[COLUMN_SIZE].next = pass->size;
	d->shared[COLUMN_SIZE].next_late = pass->late_size;
}

static inline uint64_t side_get_far(struct side *side, uint64_t code)
{
	side->last_far = address_of_code(get_far(&side->far, code + 1), side->last_far);
	return side->last_far;
}

/*
 * Index, among `count` others, of the address that the code refers to. If it refers to none, the
 * block is damaged.
 */
static inline uint32_t side_place(struct side *side, uint64_t code, uint32_t count)
{
	uint32_t ago = (uint32_t)code - TRAIL_NEAR;

	if (__builtin_expect(ago > count || ago > HEAP_WINDOW, 0)) {
		side->failed = true;
		return 0;
	}
	return (count - ago) % HEAP_WINDOW;
}

static inline uint64_t pass_get_size(struct pass *pass, struct decoder_kind *kind)
{
	uint64_t code = *pass->size++;

	if (__builtin_expect(code == VARINTS_LATE, 0))
		code = pass->late_size++->value;
	kind->size = size_of_code(code, kind->size);
	return kind->size;
}

static inline void pass_born(struct pass *pass, struct decoder_kind *kind,
			     struct heap_record *record, uint32_t index)
{
	struct trail *births = &pass->d->births, *deaths = &pass->d->deaths;
	uint64_t code = *pass->births.code++;
	uint32_t place = pass->births.count++ % HEAP_WINDOW;

	record->is_renewed = false;
	if (code < TRAIL_FAR_MAX) {
		record->address = side_get_far(&pass->births, code);
	} else {
		uint32_t named = side_place(&pass->births, code, pass->deaths.count);

		record->address = deaths->address[named];
		record->is_renewed = deaths->open[named];
		deaths->open[named] = 0;
	}
	record->size = pass_get_size(pass, kind);
	record->partner = (uint16_t)index;
	births->address[place] = record->address;
	births->open[place] = index + 1;
}

static inline void pass_dies(struct pass *pass, struct heap_record *all, uint32_t index)
{
	struct trail *births = &pass->d->births, *deaths = &pass->d->deaths;
	struct heap_record *record = &all[index];
	uint64_t code = *pass->deaths.code++;
	uint32_t place = pass->deaths.count++ % HEAP_WINDOW, birth = 0;

	if (code < TRAIL_FAR_MAX) {
		record->address = side_get_far(&pass->deaths, code);
	} else {
		uint32_t named = side_place(&pass->deaths, code, pass->births.count);

		record->address = births->address[named];
		birth = births->open[named];
		births->open[named] = 0;
	}
	record->size = birth ? all[birth - 1].size : 0;
	record->partner = (uint16_t)(birth ? birth - 1 : index);
	record->is_renewed = false;
	if (birth)
		all[birth - 1].partner = (uint16_t)index;
	deaths->address[place] = record->address;
	deaths->open[place] = 1;
}

void decoder_read_sizes(struct decoder *d, struct heap_place *place)
{
	struct pass pass = pass_begin(d);
	const uint16_t *number = d->numbers.value;
	uint64_t bytes = 0;
	uint32_t i = place->visit, end = d->visited_count;

	for (; i < end; i++) {
		struct decoder_kind *kind = &d->kind[number[d->visited[i]]];

		if (kind->quick != QUICK_SIZE)
			break;
		bytes += pass_get_size(&pass, kind);
	}
	pass_end(&pass);
	place->sum.events += i - place->visit;
	place->sum.bytes += bytes;
	place->visit = i;
}

void decoder_read_heap(struct decoder *d, struct heap_record *all, struct heap_place *place)
{
	struct pass pass = pass_begin(d);
	struct block_clock clock = place->clock;
	struct block_sum sum = place->sum;
	uint32_t records = place->records, i = place->visit;

	for (; i < d->visited_count; i++) {
		uint32_t at = d->visited[i], heap = d->visited_heap[i];
		uint16_t number = d->numbers.value[at];
		struct decoder_kind *kind = &d->kind[number];

		if (kind->quick == QUICK_BORN) {
			pass_born(&pass, kind, &all[records], records);
			sum.bytes += kind->is_sum ? all[records].size : 0;
		} else if (kind->quick == QUICK_DIES) {
			pass_dies(&pass, all, records);
		} else {
			break;
		}
		sum.events += kind->is_sum;
		all[records].site = number;
		all[records++].time_ns = block_clock_at(&clock, at + 1 - heap, heap);
	}
	pass_end(&pass);
	*place = (struct heap_place){ i, records, clock, sum };
}
