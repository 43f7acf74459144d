/* SPDX-License-Identifier: MIT */
/* Stacks of Python in the timeline: what each stretch of a samples lane was in, and what of that lies inside of a chosen span. */

const STACK_ROWS = 100;
const STACK_TIP_FRAMES = 14;

const STACK_COLUMNS = [
	tableColumn("name", "innermost function", "text", "function of Python, file and line; click for the whole stack"),
	tableColumn("state", "what it did", "text", "as the looks at the thread saw it"),
	tableColumn("total_ns", "time inside", "ns", "of the span; a look stands for the time since the one before"),
];

class Stacks {
	constructor(data) {
		this.data = data;
		this.data.stacks = this;
		this.known = null;
	}

	async load() {
		if (this.known || !this.data.about.stretches)
			return;
		const stored = await piece("timeline-stacks");
		this.stored = stored;
		this.known = new Map(stored.name.map((name, at) => [name, stored.place[at]]));
	}

	/* Frames of the timeline's name, the innermost first; none: it is no stack, or not unpacked yet. */
	of(name) {
		const frames = [];
		if (!this.known || !this.known.has(name))
			return frames;
		for (let at = this.known.get(name) + 1; at && frames.length < 2000; at = this.stored.from[at - 1])
			frames.push(this.stored.frames[this.stored.frame[at - 1]]);
		return frames;
	}

	text(name, most) {
		const frames = this.of(name), shown = frames.slice(0, most || frames.length);
		return shown.map((frame) => "  " + show(frame)).join("\n") + (shown.length < frames.length ? `\n  … ${frames.length - shown.length} more` : "");
	}

	/* The samples lane of the thread that a span is of; -1: it has none. */
	laneOf(lane) {
		return lane.kind === "stream" || lane.kind === "samples" ? -1 :
			this.data.about.lanes.findIndex((one) => one.kind === "samples" && one.process === lane.process && one.tid === lane.tid);
	}

	/* What the thread was seen in while the span was open: a row a stack and state, the longest first. */
	async inside({ row, at }) {
		const lane = this.laneOf(this.data.about.lanes[row.lane]), from = row.start[at], to = from + row.duration[at], sums = new Map();
		if (lane < 0)
			return [];
		await Promise.all([this.load(), ...this.data.missing(this.data.levels.length - 1, from, to)]);
		for (const one of this.data.rows(this.data.levels.length - 1, from, to))
			for (let i = one.lane === lane ? this.data.firstAfter(one, from) : one.start.length; i < one.start.length && one.start[i] < to; i++) {
				const inside = Math.min(one.start[i] + one.duration[i], to) - Math.max(one.start[i], from), merged = one.count[i] > 1, key = merged ? -1 : one.name[i];
				if (inside <= 0)
					continue;
				const sum = sums.get(key) || { name: merged ? "shorter ones, merged" : this.data.names[key], state: merged ? "" : this.data.categories[key], total_ns: 0, stack: key };
				sum.total_ns += inside;
				sums.set(key, sum);
			}
		return [...sums.values()].sort((a, b) => b.total_ns - a.total_ns);
	}
}

/* The stack of a stretch, or those that lie inside of another span. */
async function stacksDetail(timeline) {
	const { stacks } = timeline.data, { row, at } = timeline.chosen, lane = timeline.data.about.lanes[row.lane];
	if (!timeline.data.about.stretches || row.count[at] > 1)
		return "";
	await stacks.load();
	if (lane.kind === "samples")
		return el("pre", { class: "stack" }, stacks.text(row.name[at]));
	const rows = await stacks.inside(timeline.chosen);
	if (!rows.length)
		return "";
	const text = el("pre", { class: "stack" }, stacks.text(rows[0].stack));
	return el("details", { class: "stacks", open: true }, el("summary", {}, "Stacks of Python that were seen inside of it, the longest first"),
		new DataTable(STACK_COLUMNS, rows.slice(0, STACK_ROWS), { pick: (one) => { text.textContent = stacks.text(one.stack); } }).node, text);
}
