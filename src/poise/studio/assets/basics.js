// Helpers for all parts of the page.

const $ = (id) => document.getElementById(id);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
const RADIAN = 180 / Math.PI;

/** An element with properties and children: make("label", { className: "range" }, "Force", input). */
function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** Fill a select with options [value, label, title], or with groups {group: [options]}. */
function fill(select, options, chosen) {
  const option = ([value, label, title = ""]) => Object.assign(new Option(label, value), { title });
  select.replaceChildren(...(Array.isArray(options) ? options.map(option)
    : Object.entries(options).map(([label, inner]) => make("optgroup", { label }, ...inner.map(option)))));
  if (chosen !== undefined) select.value = chosen;
}

/** Show a slider's value in its output, now and whenever it moves. */
function labelled(input, format) {
  const show = (value = Number(input.value)) => { input.parentElement.querySelector("output").textContent = format(value); };
  input.addEventListener("input", () => show());
  show();
  input.show = show;
  return input;
}

/** Show a notice with optional actions by name; errors stay longer. */
function toast(text, kind = "note", actions = {}) {
  const close = make("button", { textContent: "✕", ariaLabel: "Close" });
  const box = make("div", { className: `toast ${kind}`, role: kind.startsWith("error") ? "alert" : "status" }, make("span", { textContent: text }),
    ...Object.entries(actions).map(([name, act]) => make("button", { className: "act", textContent: name, onclick: () => { box.remove(); act(); } })), close);
  close.onclick = () => box.remove();
  const same = all(".toast span").find((span) => span.textContent === text);
  same?.parentElement.remove();
  $("toasts").append(box);
  if (kind.endsWith("lasting")) return box;
  setTimeout(() => box.remove(), kind === "error" || Object.keys(actions).length ? 12000 : 5000);
  return box;
}

/** Show what takes a while, and for how long already; an empty text hides it. Returns what was shown until now. */
function busy(text) {
  const seconds = () => Math.floor((performance.now() - busy.since) / 1000);
  const before = busy.text && `${busy.text}, after ${seconds()} s`;
  if (!busy.text) busy.since = performance.now();
  busy.text = text;
  $("busy").hidden = !text;
  const show = () => { $("busy").querySelector("span").textContent = `${text.charAt(0).toUpperCase()}${text.slice(1)} … ${seconds() > 1 ? `${seconds()} s` : ""}`; };
  clearInterval(busy.timer);
  if (text) busy.timer = setInterval(show, 500);
  show();
  return before;
}

function save(name, content, type = "application/octet-stream") {
  const link = make("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
