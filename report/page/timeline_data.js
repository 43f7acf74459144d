/* SPDX-License-Identifier: MIT */
/* The timeline's levels of detail: which pieces a stretch of time needs, unpacked rows of spans in them, sums over them. */

class TimelineData {
	constructor(head) {
		this.about = head.about;
		this.names = head.names;
		this.categories = head.categories;
		this.levels = head.about.levels.map((level) => ({ ...level, pieces: new Set(level.pieces), loaded: new Map() }));
		this.end = Math.max(1, this.about.end_ns);
	}

	/* The level whose merged spans are below a pixel; else the finest. */
	levelFor(nsPerPixel) {
		const at = this.levels.findIndex((level) => level.grain_ns <= nsPerPixel);
		return at < 0 ? this.levels.length - 1 : at;
	}

	/* Numbers of the pieces with what begins in the stretch, or before it and reaches into it. */
	numbers(at, from, to) {
		const level = this.levels[at], first = Math.max(0, Math.floor(from / level.piece_ns) - (at ? 1 : 0));
		const numbers = [];
		for (let number = first; number <= Math.floor(to / level.piece_ns); number++)
			if (level.pieces.has(number))
				numbers.push(number);
		return numbers;
	}

	async load(at, number) {
		const level = this.levels[at], data = await piece(`timeline-${at}-${number}`);
		if (!level.loaded.has(number))
			level.loaded.set(number, { spans: data.spans.map((row) => this.row(row, level.piece_ns * number)), merged: data.merged.map((row) => this.row(row, level.piece_ns * number)) });
	}

	row([lane, depth, starts, durations, names, counts, busy], from) {
		let at = from;
		const start = Float64Array.from(starts, (delta) => (at += delta));
		return { lane, depth, start, duration: durations, name: names, count: counts || new Array(starts.length).fill(1), busy: busy || durations };
	}

	/* What is missing for the stretch down to a level, as promises. */
	missing(last, from, to) {
		const promises = [];
		for (let at = 0; at <= last; at++)
			for (const number of this.numbers(at, from, to))
				if (!this.levels[at].loaded.has(number))
					promises.push(this.load(at, number));
		return promises;
	}

	/* Each row of spans of the stretch that is loaded: the levels' own, and the last one's merged ones. */
	*rows(last, from, to) {
		for (let at = 0; at <= last; at++)
			for (const number of this.numbers(at, from, to)) {
				const loaded = this.levels[at].loaded.get(number);
				if (!loaded)
					continue;
				yield* loaded.spans;
				if (at === last)
					yield* loaded.merged;
			}
	}

	/* The first span of the row that ends after the moment; those of a row are in order and do not overlap. */
	firstAfter(row, moment) {
		let low = 0, high = row.start.length;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (row.start[middle] + row.duration[middle] < moment)
				low = middle + 1;
			else
				high = middle;
		}
		return Math.max(0, low - 1);
	}

	nameOf(row, at) {
		return row.count[at] > 1 ? `${row.count[at].toLocaleString("en-US")} short ones` : this.names[row.name[at]];
	}

	/* By name: how many began in the stretch, and their time in it. What is merged is one row. `lanes`: in these only. */
	sums(from, to, lanes) {
		const sums = new Map();
		for (const row of this.rows(this.levels.length - 1, from, to))
			for (let i = lanes && !lanes.has(row.lane) ? row.start.length : this.firstAfter(row, from); i < row.start.length && row.start[i] < to; i++) {
				const end = row.start[i] + row.duration[i], inside = Math.min(end, to) - Math.max(row.start[i], from);
				if (inside < 0)
					continue;
				const merged = row.count[i] > 1, at = row.name[i], key = merged ? "" : this.categories[at] + "\0" + this.names[at];
				const sum = sums.get(key) || { name: merged ? "shorter ones, merged" : this.names[at], category: merged ? "" : this.categories[at], count: 0, total_ns: 0 };
				sum.count += row.start[i] >= from ? row.count[i] : 0;
				sum.total_ns += merged && row.duration[i] ? Math.round(row.busy[i] * inside / row.duration[i]) : merged ? row.busy[i] : inside;
				sums.set(key, sum);
			}
		return [...sums.values()].sort((a, b) => b.total_ns - a.total_ns);
	}

	/* The innermost span of the lane that begins at the moment, among what is loaded; else one that is open then; else null. */
	startingAt(lane, moment) {
		let best = null, open = null;
		for (const row of this.rows(this.levels.length - 1, moment, moment)) {
			if (row.lane !== lane)
				continue;
			for (let i = this.firstAfter(row, moment); i < row.start.length && row.start[i] <= moment; i++) {
				if (row.start[i] === moment && row.count[i] === 1 && (!best || row.depth > best.row.depth))
					best = { row, at: i };
				else if (row.start[i] + row.duration[i] >= moment && (!open || row.depth > open.row.depth))
					open = { row, at: i };
			}
		}
		return best || open;
	}

	/* The next span after the moment whose name passes, over all levels that are loaded. */
	next(names, moment) {
		let best = null;
		for (const row of this.rows(this.levels.length - 1, 0, this.end))
			for (let i = 0; i < row.start.length; i++) {
				if (row.start[i] <= moment || row.count[i] > 1 || !names.has(row.name[i]))
					continue;
				if (!best || row.start[i] < best.row.start[best.at])
					best = { row, at: i };
				break;
			}
		return best;
	}
}
