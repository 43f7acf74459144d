/* SPDX-License-Identifier: MIT */
/* Memory over time, stacked by what it belonged to; a chosen moment lists all that lived then. */

const LAYERS_HEIGHT = 240;
const LAYERS_SHOWN = 12; /* colours that can be told apart; all else is one layer */
const LAYERS_OF = { heap: "live blocks of the heap", tensors: "live tensors" };
const LAYER_REST = "the rest";

const LIVED_COLUMNS = [
	tableColumn("name", "what", "text", "what asked for it"),
	tableColumn("bytes", "bytes", "bytes", "of its blocks that lived at that moment"),
	tableColumn("percent", "share", "percent", "of all that lived then"),
];

class LayersChart {
	constructor(entry, data, end) {
		this.entry = entry;
		this.data = data;
		this.end = Math.max(1, end, data.times[data.times.length - 1] || 0);
		this.highest = Math.max(1, ...data.all);
		this.at = -1;
		this.order = this.largest();
		this.heights = data.parts.map((_, at) => this.layersAt(at));
		this.canvas = el("canvas", { tabindex: 0, role: "img", "aria-label": `${this.title()}; arrow keys choose a moment`,
			onmousemove: (event) => this.hover(event), onmouseleave: tipHide, onclick: (event) => this.choose(this.momentAt(event)), onkeydown: (event) => this.key(event) });
		this.lived = el("div", { class: "lived" });
		this.node = el("section", { class: "layers", "data-piece": entry.id }, el("h2", {}, this.title()), this.thinned(), this.legend(), this.canvas, this.lived);
	}

	title() {
		return `${LAYERS_OF[this.entry.of]} over time, by ${this.entry.by}`;
	}

	/* What the page has no room for. */
	thinned() {
		const { times, moments, parts_max: most } = this.data, few = times.length < moments;
		const said = [few ? `${times.length} of ${moments} moments` : "", most ? `the largest ${most} parts of each` : ""].filter((text) => text);
		return said.length ? el("p", { class: "dim" }, `The page has no room for all: it has ${said.join(", ")}; all else is the rest.`) : "";
	}

	/* Names that had most at any moment, and had it longest. */
	largest() {
		const most = new Map();
		this.data.parts.forEach(([names, bytes], at) => names.forEach((name, i) => most.set(name, Math.max(most.get(name) || 0, bytes[i]))));
		return [...most].sort((a, b) => b[1] - a[1]).slice(0, LAYERS_SHOWN).map(([name]) => name);
	}

	/* Bytes of each shown layer, and of the rest. */
	layersAt(at) {
		const [names, bytes] = this.data.parts[at], of = new Map(names.map((name, i) => [name, bytes[i]])), shown = this.order.map((name) => of.get(name) || 0);
		return [...shown, Math.max(0, this.data.all[at] - shown.reduce((sum, one) => sum + one, 0))];
	}

	fill(layer) {
		if (layer === this.order.length)
			return color("line");
		const dark = document.documentElement.dataset.theme === "dark";
		return `hsl(${Math.round(layer * 137.5) % 360} ${dark ? 45 : 60}% ${dark ? 42 : 66}%)`;
	}

	legend() {
		this.marks = [...this.order.map((name) => this.data.names[name]), LAYER_REST].map((name) => [name, el("i")]);
		return el("div", { class: "legend" }, this.marks.map(([name, mark]) => el("span", { title: cut(show(name), TIP_LENGTH) }, mark, cut(show(name), 60))));
	}

	/* The moment that holds at a time: the last one that is not after it; -1: nothing was there yet. */
	momentBefore(ns) {
		let low = 0, high = this.data.times.length;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (this.data.times[middle] <= ns)
				low = middle + 1;
			else
				high = middle;
		}
		return low - 1;
	}

	momentAt(event) {
		const box = this.canvas.getBoundingClientRect();
		return this.momentBefore((event.clientX - box.left) / box.width * this.end);
	}

	say(at) {
		return `${shownNumber(this.data.all[at], "bytes")} at ${shownNumber(this.data.times[at], "ns")}`;
	}

	hover(event) {
		const at = this.momentAt(event);
		if (at < 0) {
			tipHide();
			return;
		}
		const [names, bytes] = this.data.parts[at];
		tipShow(event, this.say(at) + names.slice(0, 8).map((name, i) => `\n${shownNumber(bytes[i], "bytes")}  ${cut(show(this.data.names[name]), 100)}`).join(""));
	}

	key(event) {
		const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
		if (!by)
			return;
		event.preventDefault();
		this.choose(Math.max(0, Math.min(this.data.times.length - 1, this.at + by)));
	}

	rows(at) {
		const [names, bytes] = this.data.parts[at], all = this.data.all[at], rest = all - bytes.reduce((sum, one) => sum + one, 0);
		const row = (name, value) => ({ name, bytes: value, percent: all ? 100 * value / all : null });
		return [...names.map((name, i) => row(this.data.names[name], bytes[i])), ...rest > 0 ? [row(LAYER_REST, rest)] : []];
	}

	choose(at) {
		this.at = at;
		this.draw();
		if (at < 0) {
			this.lived.replaceChildren();
			return;
		}
		const there = page.manifest.pieces.some((one) => one.kind === "timeline"), time = this.data.times[at], wide = this.end / 100;
		this.lived.rows = this.rows(at);
		this.lived.replaceChildren(el("h2", {}, `What lived at ${shownNumber(time, "ns")}: ${shownNumber(this.data.all[at], "bytes")} `,
			there ? el("button", { type: "button", class: "moment", onclick: () => { location.hash = `timeline/${Math.max(0, Math.floor(time - wide))}/${Math.ceil(time + wide)}`; } }, "Show in the timeline") : ""),
			new DataTable(LIVED_COLUMNS, this.lived.rows).node);
	}

	draw() {
		const context = canvasFit(this.canvas, LAYERS_HEIGHT), width = this.canvas.clientWidth, base = LAYERS_HEIGHT - 18, scale = (LAYERS_HEIGHT - 34) / this.highest;
		this.marks.forEach(([, mark], layer) => { mark.style.background = this.fill(layer); });
		this.data.times.forEach((time, at) => {
			const x = time / this.end * width, right = (at + 1 < this.data.times.length ? this.data.times[at + 1] : this.end) / this.end * width;
			let y = base;
			this.heights[at].forEach((bytes, layer) => {
				context.fillStyle = this.fill(layer);
				context.fillRect(x, y - bytes * scale, Math.max(0.5, right - x + 0.3), bytes * scale);
				y -= bytes * scale;
			});
		});
		if (this.at >= 0) {
			context.fillStyle = color("mark");
			context.fillRect(this.data.times[this.at] / this.end * width, 0, 2, base);
		}
		context.fillStyle = color("dim");
		context.fillText(shownNumber(this.highest, "bytes"), 2, 12);
		context.fillText("0", 2, LAYERS_HEIGHT - 4);
		context.textAlign = "right";
		context.fillText(shownNumber(this.end, "ns"), width - 2, LAYERS_HEIGHT - 4);
		context.textAlign = "left";
	}
}

/* A chart a piece. */
async function layersCharts(manifest, end) {
	const entries = manifest.pieces.filter((one) => one.kind === "layers" && !one.left_out);
	return Promise.all(entries.map(async (entry) => new LayersChart(entry, await piece(entry.id), end)));
}
