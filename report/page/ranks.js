/* SPDX-License-Identifier: MIT */
/*
 * Ranks by steps: a cell for each, the darker the longer the rank worked on its own; light and dark tell the levels apart without colours,
 * and numbers beside the rows say the same.
 */

const HEAT_LEFT = 96, HEAT_RIGHT = 56, HEAT_TOP = 10, HEAT_BOTTOM = 18, HEAT_HEIGHT = 340;
const HEAT_ROW = 13; /* a row of text */
/* From so many times the median on, the next level begins. */
const HEAT_LEVELS = [0, 0.9, 1.1, 1.25, 1.5, 2, 3];

function heatLevel(times) {
	return HEAT_LEVELS.filter((from) => times >= from).length - 1;
}

/* One hue, each level darker than the one before; brighter where the page is dark. */
function heatFill(level) {
	const part = level / (HEAT_LEVELS.length - 1), dark = document.documentElement.dataset.theme === "dark";
	return `hsl(24 ${Math.round(30 + 45 * part)}% ${Math.round(dark ? 16 + 66 * part : 96 - 74 * part)}%)`;
}

function heatSpan(what, [from, to]) {
	return from === to ? `${what} ${from}` : `${what}s ${from} to ${to}`;
}

class HeatMap {
	constructor(data) {
		this.data = data;
		this.at = null; /* [row, column] */
		this.canvas = el("canvas", { tabindex: 0, role: "img", "aria-label": `${this.size()}: how long each rank worked on its own in each step; arrow keys choose a cell`,
			onmousemove: (event) => this.hover(event), onmouseleave: tipHide, onclick: (event) => this.choose(this.cellAt(event)), onkeydown: (event) => this.key(event) });
		this.detail = el("div", { class: "detail" });
		this.node = el("section", { class: "heat" }, this.legend(), this.canvas, el("p", { class: "dim" }, this.says()), this.detail);
	}

	size() {
		const { ranks, steps } = this.data;
		return `${heatSpan("rank", [ranks[0][0], ranks[ranks.length - 1][1]])}, ${heatSpan("step", [steps[0][0], steps[steps.length - 1][1]])}`;
	}

	says() {
		const { ranks, steps } = this.data, several = [ranks.some(([from, to]) => from !== to) ? "ranks" : "", steps.some(([from, to]) => from !== to) ? "steps" : ""].filter((one) => one);
		return `${this.size()}, without the first of each rank. A cell is a rank's own work in a step: the step without communication, in which it waits for others.` +
			(several.length ? ` A cell stands for several ${several.join(" and ")}: it is the mean of the steps, of the rank for which that is longest.` : "") +
			" The numbers at the right are the means of the rows, in medians.";
	}

	cell(row, column) {
		const at = row * this.data.steps.length + column, own = this.data.own_us[at];
		return own === null ? null : { own, times: own / Math.max(1, this.data.median_us), slowest: this.data.slowest[at] };
	}

	/* A row's mean, in medians. */
	mean(row) {
		const cells = this.data.steps.map((_, column) => this.cell(row, column)).filter((cell) => cell);
		return cells.length ? cells.reduce((sum, cell) => sum + cell.times, 0) / cells.length : null;
	}

	describe(row, column) {
		const cell = this.cell(row, column), ranks = this.data.ranks[row], place = `${heatSpan("rank", ranks)}, ${heatSpan("step", this.data.steps[column])}`;
		if (!cell)
			return `${place}: no step`;
		return `${place}: ${shownNumber(cell.own * 1000, "ns")} of own work, ${cell.times.toFixed(2)} times the median` + (ranks[0] === ranks[1] ? "" : `, of rank ${cell.slowest}`);
	}

	legend() {
		this.marks = HEAT_LEVELS.map((from, level) => [el("i"), level ? `from ${from}x` : `below ${HEAT_LEVELS[1]}x`]);
		return el("div", { class: "legend" }, this.marks.map(([mark, text]) => el("span", {}, mark, text)), el("span", { class: "dim" }, `the median, ${shownNumber(this.data.median_us * 1000, "ns")}`));
	}

	places() {
		return { each: (this.canvas.clientWidth - HEAT_LEFT - HEAT_RIGHT) / this.data.steps.length, high: this.height() / this.data.ranks.length };
	}

	/* Few ranks are not drawn as tall as many. */
	height() {
		return Math.min(HEAT_HEIGHT, this.data.ranks.length * 28);
	}

	cellAt(event) {
		const box = this.canvas.getBoundingClientRect(), { each, high } = this.places();
		const row = Math.floor((event.clientY - box.top - HEAT_TOP) / high), column = Math.floor((event.clientX - box.left - HEAT_LEFT) / each);
		return [Math.max(0, Math.min(this.data.ranks.length - 1, row)), Math.max(0, Math.min(this.data.steps.length - 1, column))];
	}

	hover(event) {
		tipShow(event, this.describe(...this.cellAt(event)));
	}

	key(event) {
		const by = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
		if (!by)
			return;
		event.preventDefault();
		event.stopPropagation();
		const [row, column] = this.at || [0, -1];
		this.choose([Math.max(0, Math.min(this.data.ranks.length - 1, row + by[0])), Math.max(0, Math.min(this.data.steps.length - 1, column + by[1]))]);
	}

	choose(at) {
		this.at = at;
		this.draw();
		this.detail.replaceChildren(el("pre", {}, this.describe(...at)));
	}

	drawRow(context, row, { each, high }) {
		const y = HEAT_TOP + row * high;
		this.data.steps.forEach((_, column) => {
			const cell = this.cell(row, column);
			if (!cell)
				return;
			context.fillStyle = heatFill(heatLevel(cell.times));
			context.fillRect(HEAT_LEFT + column * each, y, each > 4 ? each - 1 : each + 0.3, high > 4 ? high - 1 : high + 0.3);
		});
	}

	/* Names of ranks and their means, as many as there is room for. */
	drawLabels(context, { high }) {
		const apart = Math.max(1, Math.ceil(HEAT_ROW / high)), width = this.canvas.clientWidth;
		context.fillStyle = color("front");
		for (let row = 0; row < this.data.ranks.length; row += apart) {
			const y = HEAT_TOP + row * high + high / 2 + 4, mean = this.mean(row), [from, to] = this.data.ranks[row];
			context.textAlign = "right";
			context.fillText(from === to ? `rank ${from}` : `ranks ${from}-${to}`, HEAT_LEFT - 6, y);
			context.textAlign = "left";
			if (mean !== null)
				context.fillText(`${mean.toFixed(2)}x`, width - HEAT_RIGHT + 6, y);
		}
	}

	drawSteps(context, { each }) {
		const apart = Math.max(1, Math.ceil(90 / each)), y = HEAT_TOP + this.height() + 14;
		context.fillStyle = color("dim");
		context.textAlign = "left";
		for (let column = 0; column < this.data.steps.length; column += apart)
			context.fillText(`step ${this.data.steps[column][0]}`, HEAT_LEFT + column * each, y);
	}

	draw() {
		const context = canvasFit(this.canvas, HEAT_TOP + this.height() + HEAT_BOTTOM), places = this.places();
		this.marks.forEach(([mark], level) => { mark.style.background = heatFill(level); });
		this.data.ranks.forEach((_, row) => this.drawRow(context, row, places));
		this.drawLabels(context, places);
		this.drawSteps(context, places);
		if (!this.at)
			return;
		context.strokeStyle = color("mark");
		context.lineWidth = 2;
		context.strokeRect(HEAT_LEFT + this.at[1] * places.each - 1, HEAT_TOP + this.at[0] * places.high - 1, places.each + 2, places.high + 2);
	}
}

async function panelRanks(manifest, panel) {
	const entry = manifest.pieces.find((one) => one.kind === "ranks"), table = await tableOf(manifest, "ranks");
	if (!entry && !(table && table.document.rows.length)) {
		panel.replaceChildren(el("p", { class: "empty" }, (table ? show(table.about.empty || "no process has a rank of a distributed run") : "The page has no room for the ranks: prof-report ranks has them") + "."));
		return;
	}
	const map = entry && !entry.left_out ? new HeatMap(await piece(entry.id)) : null;
	panel.replaceChildren(table ? sentences(table.about.head) || "" : "", map ? map.node : entry ? noRoom("the map of ranks by steps", "prof-report ranks has a row for each") : "",
		...table ? [el("h2", {}, "All ranks"), new DataTable(table.about.columns, table.document.rows).node, sentences(table.about.foot) || ""] : []);
	if (!map)
		return;
	map.draw();
	panel.redraw = () => map.draw();
	panel.heat = map;
}
