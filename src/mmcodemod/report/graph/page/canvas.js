
// Drawing, panning and zooming.
const SVG = "http://www.w3.org/2000/svg";
const canvas = document.getElementById("canvas"), view = document.getElementById("view");
const HEIGHT = 38;
let zoom = { x: 0, y: 0, k: 1 };

function svg(tag, attributes, text) {
  const element = document.createElementNS(SVG, tag);
  for (const name in attributes) element.setAttribute(name, attributes[name]);
  if (text !== undefined) element.textContent = text;
  return element;
}
function clip(text, most = 38) {
  return text.length <= most ? text : "\u2026" + text.slice(1 - most);
}
function boxWidth(name, under) {
  return Math.max(90, clip(name).length * 7.3 + 24, clip(under).length * 6.1 + 24);
}

// One box: {x, y, w, title, below, classes, label, act}. `y` is its middle when it comes from a layout.
function drawBox(box) {
  const group = svg("g", { class: "box " + box.classes, transform: `translate(${box.x} ${box.y})`, role: "button",
    tabindex: box.act ? 0 : -1, "aria-label": box.label });
  group.append(svg("title", {}, box.label), svg("rect", { width: box.w, height: HEIGHT, rx: 7 }),
    svg("text", { class: "name", x: 12, y: box.below ? 16 : 23 }, clip(box.title)));
  if (box.below) group.append(svg("text", { class: "below", x: 12, y: 30 }, clip(box.below)));
  if (box.act) {
    group.addEventListener("click", () => { if (!moved) box.act(); });
    group.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); event.stopPropagation(); box.act(); }
    });
  }
  group.addEventListener("pointerenter", () => near(box.key, true));
  group.addEventListener("pointerleave", () => near(box.key, false));
  view.append(group);
}
function near(key, on) {
  if (key === undefined) return;
  for (const arrow of view.querySelectorAll(".arrow"))
    arrow.classList.toggle("near", on && (arrow.ends[0] === key || arrow.ends[1] === key));
  view.classList.toggle("dimmed", on && view.querySelector(".arrow.near") !== null);
}
function drawArrow(path, classes, tip, ends, label) {
  const arrow = svg("path", { class: "arrow " + classes, d: path });
  arrow.append(svg("title", {}, tip));
  arrow.ends = ends;
  view.append(arrow);
  if (label) view.append(svg("text", { class: "label", x: label.x, y: label.y, "text-anchor": label.anchor }, label.text));
}
function curve(a, b) {
  const back = b.x < a.x + a.w;
  const from = { x: back ? a.x : a.x + a.w, y: a.y + HEIGHT / 2 }, to = { x: back ? b.x + b.w : b.x, y: b.y + HEIGHT / 2 };
  if (Math.abs(a.x - b.x) < 1) {  // in one column: a bow on the left
    const bow = a.x - 30;
    return `M${a.x} ${from.y}C${bow} ${from.y} ${bow} ${to.y} ${b.x} ${to.y}m-6 -3.5L${b.x} ${to.y}l-6 3.5`;
  }
  const half = (to.x - from.x) / 2, head = back ? 6 : -6;
  return `M${from.x} ${from.y}C${from.x + half} ${from.y} ${to.x - half} ${to.y} ${to.x} ${to.y}`
    + `m${head} -3.5L${to.x} ${to.y}l${head} 3.5`;
}
function down(a, b) {
  const from = { x: a.x + 24, y: a.y + HEIGHT };
  return `M${from.x} ${from.y}V${b.y}m-3.5 -6L${from.x} ${b.y}l3.5 -6`;
}
function clear() {
  view.textContent = "";
  view.classList.remove("dimmed");
}

function apply() {
  view.setAttribute("transform", `translate(${zoom.x} ${zoom.y}) scale(${zoom.k})`);
}
function zoomBy(factor, x = canvas.clientWidth / 2, y = canvas.clientHeight / 2) {
  const k = Math.min(4, Math.max(0.05, zoom.k * factor)), by = k / zoom.k;
  zoom = { x: x - (x - zoom.x) * by, y: y - (y - zoom.y) * by, k };
  apply();
}
// Everything into the window, but never smaller than can be read when there is a middle to look at.
let kept = null;
function fit(middle = kept) {
  kept = middle;
  const box = view.getBBox(), width = canvas.clientWidth, height = canvas.clientHeight;
  if (!box.width || !width) return;
  const across = (width - 40) / box.width, whole = Math.min(across, (height - 70) / box.height, 1.25);
  const k = middle ? Math.min(Math.max(whole, across, 0.7), 1.1) : whole;
  const x = middle && across < k ? middle.x : box.x + box.width / 2;
  const y = middle && box.height * k > height - 60 ? middle.y : box.y + box.height / 2;
  zoom = { x: width / 2 - x * k, y: height / 2 - y * k - 8, k };
  apply();
}

let moved = false, drag = null;
canvas.addEventListener("pointerdown", (event) => {
  drag = { x: event.clientX, y: event.clientY, from: { ...zoom } };
  moved = false;
});
window.addEventListener("pointermove", (event) => {
  if (!drag) return;
  const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
  if (Math.abs(dx) + Math.abs(dy) > 4) { moved = true; canvas.classList.add("dragging"); }
  if (moved) { zoom = { ...zoom, x: drag.from.x + dx, y: drag.from.y + dy }; apply(); }
});
window.addEventListener("pointerup", () => { drag = null; canvas.classList.remove("dragging"); });
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  const at = canvas.getBoundingClientRect();
  zoomBy(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), event.clientX - at.left, event.clientY - at.top);
}, { passive: false });
