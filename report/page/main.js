/* SPDX-License-Identifier: MIT */
/* The tabs, the keys, light and dark, and what is asked for behind the # of the address. */

const PANELS = [
	["overview", "Overview", panelOverview],
	["timeline", "Timeline", panelTimeline],
	["flames", "Flame graphs", panelFlames],
	["memory", "Memory", panelMemory],
	["steps", "Steps", panelSteps],
	["ranks", "Ranks", panelRanks],
	["advice", "Advice", panelAdvice],
	["tables", "Tables", panelTables],
	["compare", "Compare", panelCompare],
];

const page = { manifest: null, shown: null, errors: [], turn: 0, drawn: Promise.resolve(), theme: "light" };

/* Paper is white whatever the screen is, and a canvas keeps the colours that it was drawn in. */
function themeSet(name) {
	page.theme = name;
	themeDraw(matchMedia("print").matches ? "light" : name);
}

function themeDraw(name) {
	document.documentElement.dataset.theme = name;
	const panel = byId("panel");
	if (panel.redraw)
		panel.redraw();
}

function themeStart() {
	const dark = matchMedia("(prefers-color-scheme: dark)");
	themeSet(dark.matches ? "dark" : "light");
	dark.addEventListener("change", () => themeSet(dark.matches ? "dark" : "light"));
	matchMedia("print").addEventListener("change", () => themeSet(page.theme));
	byId("theme").addEventListener("click", () => themeSet(page.theme === "dark" ? "light" : "dark"));
}

function tabsDraw() {
	byId("tabs").replaceChildren(...PANELS.map(([id, label]) =>
		el("button", { type: "button", role: "tab", id: "tab-" + id, "aria-controls": "panel", onclick: () => { location.hash = id; } }, label)));
}

function route() {
	return location.hash.slice(1).split("/").map((part) => {
		try {
			return decodeURIComponent(part);
		} catch {
			return part;
		}
	});
}

/* Parts are drawn one after the other, or one that is slow to unpack would take the place of the next; those in between are left out. */
function panelShow() {
	const [id, ...rest] = route();
	const chosen = PANELS.find(([name]) => name === id) || PANELS[0];
	const turn = ++page.turn;
	page.shown = null;
	tipHide();
	for (const [name] of PANELS)
		byId("tab-" + name).setAttribute("aria-selected", name === chosen[0]);
	page.drawn = page.drawn.then(async () => {
		if (turn === page.turn)
			await panelDraw(chosen, rest);
		if (turn === page.turn)
			page.shown = location.hash.slice(1) || PANELS[0][0];
	});
	return page.drawn;
}

async function panelDraw(chosen, rest) {
	const panel = byId("panel");
	panel.setAttribute("aria-labelledby", "tab-" + chosen[0]);
	panel.redraw = panel.table = panel.heat = panel.timeline = panel.pair = panel.spans = panel.chart = panel.graph = panel.curves = panel.charts = null;
	try {
		await chosen[2](page.manifest, panel, rest);
	} catch (error) {
		page.errors.push(String(error));
		console.error(error);
		panel.replaceChildren(el("p", { class: "empty" }, "This part of the page cannot be shown: " + show(error.message)));
	}
}

function keyDown(event) {
	const at = PANELS.findIndex(([name]) => byId("tab-" + name).getAttribute("aria-selected") === "true");
	if (event.ctrlKey || event.altKey || event.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName))
		return;
	if (event.key >= "1" && event.key <= String(PANELS.length))
		location.hash = PANELS[event.key - 1][0];
	else if (event.key === "/") {
		const search = byId("panel").querySelector("input[type=search]");
		if (search) {
			event.preventDefault();
			search.focus();
		}
	} else if (event.target.getAttribute && event.target.getAttribute("role") === "tab" && /^Arrow(Left|Right)$/.test(event.key)) {
		const next = PANELS[(at + (event.key === "ArrowRight" ? 1 : PANELS.length - 1)) % PANELS.length][0];
		location.hash = next;
		byId("tab-" + next).focus();
	}
}

async function headDraw() {
	const summary = await tableOf(page.manifest, "summary");
	const session = summary.document.session;
	const name = show(session.command || "intercept");
	document.title = cut(name, 80) + " · intercept";
	byId("title").textContent = cut(name, 400);
	byId("title").title = cut(name, TIP_LENGTH);
	byId("subtitle").textContent = [session.host ? "on " + show(session.host) : "", shownNumber(session.end_ns, "ns"),
		"intercept " + page.manifest.version].filter((part) => part).join(" · ");
	const lines = [page.manifest.losses, page.manifest.scope].filter((text) => text).map((text) => show(text).trim());
	byId("banner").textContent = lines.join("\n");
	byId("banner").hidden = !lines.length;
}

async function main() {
	themeStart();
	tabsDraw();
	try {
		page.manifest = await piece("manifest");
		await headDraw();
		await panelShow();
	} catch (error) {
		page.errors.push(String(error));
		console.error(error);
		byId("loading").textContent = "This page cannot be shown: " + error.message + ". It needs Chromium 80, Firefox 113 or newer, and the whole file.";
		return;
	}
	addEventListener("hashchange", panelShow);
	addEventListener("keydown", keyDown);
	addEventListener("resize", () => byId("panel").redraw && byId("panel").redraw());
}

addEventListener("DOMContentLoaded", main);
