/* SPDX-License-Identifier: MIT */
/* The difference of two flame graphs: before and after of each function, as report diff --flame draws it. */

/* Red, / and + is more after; blue, \\ and - is less; grey is the same or noise: as in the picture of diff --flame. */
class FlameDiff extends FlameGraph {
	constructor(data) {
		const sum = data.before.map((value, i) => value + data.after[i]);
		super({ ...data, all: data.all_before + data.all_after, total: sum, self: sum.map(() => 0) });
	}

	before(node) {
		return node.at < 0 ? this.data.all_before : this.data.before[node.at];
	}

	after(node) {
		return node.at < 0 ? this.data.all_after : this.data.after[node.at];
	}

	verdict(node) {
		return node.at < 0 ? this.data.verdict_of_all : this.data.verdict[node.at];
	}

	mark(node) {
		const by = this.after(node) - this.before(node);
		return ["noise", "slight"].includes(this.verdict(node)) ? "~" : by > 0 ? "+" : by < 0 ? "-" : "=";
	}

	label(node) {
		return this.mark(node) + " " + show(node.name);
	}

	fill(node) {
		const mark = this.mark(node), dark = document.documentElement.dataset.theme === "dark";
		if (mark === "~" || mark === "=")
			return dark ? "hsl(0 0% 32%)" : "hsl(0 0% 88%)";
		const share = Math.abs(this.after(node) - this.before(node)) / Math.max(this.before(node), this.after(node), 1), light = dark ? 26 + 16 * share : 90 - 28 * share;
		return `hsl(${mark === "+" ? 8 : 222} ${dark ? 55 : 75}% ${light}%)`;
	}

	/* Strokes that rise or fall, for those who do not tell the colours apart. */
	hatch(context, node, x, y, width) {
		const mark = this.mark(node);
		if (mark !== "+" && mark !== "-" || width < 6)
			return;
		context.save();
		context.beginPath();
		context.rect(x, y, width - 1, FLAME_ROW - 1);
		context.clip();
		context.beginPath();
		for (let at = x - FLAME_ROW; at < x + width; at += 9) {
			context.moveTo(at, mark === "+" ? y + FLAME_ROW : y);
			context.lineTo(at + FLAME_ROW, mark === "+" ? y : y + FLAME_ROW);
		}
		context.globalAlpha = 0.18;
		context.strokeStyle = color("front");
		context.lineWidth = 1;
		context.stroke();
		context.restore();
	}

	describe(node) {
		const unit = this.data.unit, before = this.before(node), by = this.after(node) - before, verdict = this.verdict(node);
		const share = before ? ", " + shownNumber(100 * by / before, "change") : "";
		return `${show(node.name)}\n${shownNumber(before, unit)} before, ${shownNumber(this.after(node), unit)} after: ${by > 0 ? "+" : ""}${shownNumber(by, unit)}${share}${verdict ? ", " + verdict : ""}`;
	}
}

async function flameDiffShow(panel, chosen, choice) {
	if (chosen.left_out) {
		panel.replaceChildren(el("div", { class: "tools" }, choice), noRoom("these stacks", "prof-report diff --flame has them."));
		return;
	}
	const data = await piece(chosen.id), graph = new FlameDiff(data);
	panel.replaceChildren(el("div", { class: "tools" }, choice, ...flameTools(graph).filter((tool) => !tool.querySelector || !tool.querySelector(".reversed"))),
		el("p", {}, show(data.title) + ". " + show(data.subtitle) + "."),
		el("p", { class: "dim" }, "A function is as wide as it is before and after together. Red, rising strokes and + are more after; blue, falling strokes and - less; = the same; ~ noise or less than 1 %."),
		graph.status, graph.canvas,
		data.left_out ? el("p", { class: "dim" }, `${data.left_out.toLocaleString("en-US")} functions are left out, too small to be seen or more than the page has room for: they count in those around them.`) : "");
	graph.draw();
	panel.redraw = () => graph.draw();
	panel.graph = graph;
}
