"use strict";
/* SPDX-License-Identifier: MIT */
/* Elements of the page. Whatever a recording says becomes text: nothing here takes markup. */

function el(tag, settings, ...children) {
	const node = document.createElement(tag);
	for (const [name, value] of Object.entries(settings || {})) {
		if (name.startsWith("on"))
			node.addEventListener(name.slice(2), value);
		else if (name === "class")
			node.className = value;
		else if (value === true)
			node.setAttribute(name, "");
		else if (value !== undefined && value !== null && value !== false)
			node.setAttribute(name, value);
	}
	node.append(...children.flat().filter((child) => child !== null && child !== undefined));
	return node;
}

function byId(id) {
	return document.getElementById(id);
}

/* What steers a line or is not seen in it is written out, as in the tables of prof-report. */
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

function show(text) {
	return String(text).replace(UNSEEN, (character) => {
		const code = character.charCodeAt(0);
		return code < 0x100 ? "\\x" + code.toString(16).padStart(2, "0") : "\\u" + code.toString(16).padStart(4, "0");
	});
}

function cut(text, length) {
	return text.length > length ? text.slice(0, length) + " …" : text;
}

const TIP_LENGTH = 1200;

function tipShow(event, text) {
	const tip = byId("tip");
	tip.textContent = cut(text, TIP_LENGTH);
	tip.hidden = false;
	const box = tip.getBoundingClientRect();
	tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 4)) + "px";
	tip.style.top = (event.clientY + 18 + box.height < innerHeight ? event.clientY + 18 : event.clientY - box.height - 10) + "px";
}

function tipHide() {
	byId("tip").hidden = true;
}

async function copyText(text) {
	try {
		await navigator.clipboard.writeText(text);
	} catch {
		/* not every browser lets a page from disk have the clipboard */
		const area = el("textarea", {});
		area.value = text;
		document.body.append(area);
		area.select();
		document.execCommand("copy");
		area.remove();
	}
}

/* A canvas that is as sharp as the screen; returns its context, in CSS pixels. */
function canvasFit(canvas, height) {
	const scale = devicePixelRatio || 1, width = canvas.clientWidth || 800;
	canvas.style.height = height + "px";
	canvas.width = Math.round(width * scale);
	canvas.height = Math.round(height * scale);
	const context = canvas.getContext("2d");
	context.setTransform(scale, 0, 0, scale, 0, 0);
	context.clearRect(0, 0, width, height);
	context.font = "12px system-ui, sans-serif";
	return context;
}

function color(name) {
	return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

/* The same name has the same colour everywhere. */
function hue(text) {
	let hash = 2166136261;
	for (let i = 0; i < text.length && i < 200; i++)
		hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
	return (hash ^ (hash >>> 15)) >>> 0;
}

function colorOf(text) {
	const dark = document.documentElement.dataset.theme === "dark", number = hue(text);
	return `hsl(${number % 360} ${dark ? 38 : 62}% ${(dark ? 30 : 72) + (number >> 9) % 10}%)`;
}
