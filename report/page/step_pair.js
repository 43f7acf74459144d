/* SPDX-License-Identifier: MIT */
/* Two steps one below the other, from their begin on and to one scale: zooming and moving one of them does it to both. */

const PAIR_ROOM = 0.03; /* of the longer step, before and after */
const OF_ALL = ["gpu", "stream"]; /* kinds of lanes that belong to no process alone */

class StepPair {
	constructor(data, rows) {
		const room = Math.max(...rows.map((row) => row.total_ns)) * PAIR_ROOM, wide = Math.max(...rows.map((row) => row.total_ns));
		this.data = data;
		this.rows = rows;
		this.lanes = this.lanesOf(rows);
		this.timelines = rows.map((row) => new Timeline(data, { begin: row.start_ns, end: row.start_ns + row.total_ns,
			from: row.start_ns - room, to: row.start_ns + wide + room, lanes: this.lanes }));
		this.timelines.forEach((one, at) => { one.follow = () => this.align(one, this.timelines[1 - at]); });
	}

	/* Those of the steps' process and of GPUs in which something was open in one of the steps. */
	lanesOf(rows) {
		const lanes = new Set();
		for (const { start_ns: from, total_ns: wide } of rows)
			for (const row of this.data.rows(this.data.levels.length - 1, from, from + wide)) {
				const lane = this.data.about.lanes[row.lane], at = this.data.firstAfter(row, from);
				if ((lane.pid === rows[0].pid || OF_ALL.includes(lane.kind)) && row.start.some((start, i) => i >= at && start < from + wide && start + row.duration[i] > from))
					lanes.add(row.lane);
			}
		return lanes;
	}

	/* The other one shows the same time of its own step. */
	align(moved, other) {
		other.from = moved.from - moved.part.begin + other.part.begin;
		other.to = moved.to - moved.part.begin + other.part.begin;
		return other.draw();
	}

	/* By name: how often it began in each step, and for how long it was open. The steps themselves differ by their number. */
	sums() {
		const found = new Map();
		this.rows.forEach(({ start_ns: from, total_ns: wide }, side) => {
			for (const sum of this.data.sums(from, from + wide, this.lanes)) {
				const name = sum.name.replace(/#\d+$/, ""), key = sum.category + "\0" + name, row = found.get(key) || { name, category: sum.category, count0: 0, count1: 0, ns0: 0, ns1: 0 };
				row["count" + side] += sum.count;
				row["ns" + side] += sum.total_ns;
				found.set(key, row);
			}
		});
		return [...found.values()].map((row) => ({ ...row, more_ns: row.ns0 - row.ns1 })).sort((a, b) => Math.abs(b.more_ns) - Math.abs(a.more_ns));
	}

	columns() {
		const [one, other] = this.rows.map((row) => `step ${row.step}`);
		return [
			tableColumn("name", "name", "text", "what was open"),
			tableColumn("category", "kind", "text", "as export chrome names it", 1),
			tableColumn("count0", `began in ${one}`, "count", `how many began in ${one}`, 1),
			tableColumn("count1", `in ${other}`, "count", `how many began in ${other}`, 1),
			tableColumn("ns0", one, "ns", `their time in ${one}, with what is inside of them`),
			tableColumn("ns1", other, "ns", `their time in ${other}, with what is inside of them`),
			tableColumn("more_ns", `longer in ${one}`, "ns", "the first time less the second"),
		];
	}
}

/* Draws the two rows of report steps; resolves when both are drawn. */
async function stepPairShow(panel, place, rows) {
	const data = panel.spans || (panel.spans = new TimelineData(await piece("timeline"))), last = data.levels.length - 1, stacks = new Stacks(data);
	await Promise.all([stacks.load(), ...rows.flatMap((row) => data.missing(last, row.start_ns, row.start_ns + row.total_ns))]);
	const pair = new StepPair(data, rows), detail = el("div", { class: "detail below" }), first = pair.timelines[0];
	const button = (label, title, run) => el("button", { type: "button", title, onclick: run }, label);
	for (const one of pair.timelines)
		one.onChange = () => (one.chosen || one.selection ? timelineDetail(one, detail) : undefined);
	place.replaceChildren(el("h2", {}, `Step ${rows[0].step} above step ${rows[1].step}, process ${rows[0].pid}`),
		el("div", { class: "tools" }, button("+", "zoom in", () => first.zoom(0.5)), button("−", "zoom out", () => first.zoom(2)), button("Both steps", "show all of both", () => first.home())),
		...pair.timelines.flatMap((one, at) => [el("p", { class: "dim" }, `Step ${rows[at].step}: ${shownNumber(rows[at].total_ns, "ns")}. What is faded belongs to other steps.`), one.canvas]), detail,
		el("h2", {}, "What differs"), new DataTable(pair.columns(), pair.sums()).node);
	panel.pair = pair;
	await first.home();
}
