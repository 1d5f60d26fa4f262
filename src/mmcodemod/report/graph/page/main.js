
// What is shown is in the address (#f=function, #m=module, #u=kind of unresolved call), so that "back" works.
const input = document.getElementById("search"), results = document.getElementById("results");
let offered = [], marked = 0;

function go(hash) {
  if (location.hash.slice(1) === hash) show();
  else location.hash = hash;
}
function show() {
  const hash = location.hash.slice(1), kind = hash.slice(0, 2);
  let value = "";
  try { value = decodeURIComponent(hash.slice(2)); } catch { value = ""; }
  const f = kind === "f=" ? byName.get(value) : null;
  document.body.dataset.view = f ? "function" : kind === "m=" ? "module" : kind === "u=" ? "unknown" : "overview";
  if (f) { showFunction(f); describeFunction(f); }
  else if (kind === "m=") { showGroup(value); describeGroup(value); }
  else if (kind === "u=") { showOverview(); describeUnknown(value); }
  else { showOverview(); describeAll(); }
  right.scrollTop = 0;
}

function offer() {
  offered = search(input.value, 60);
  marked = 0;
  const items = offered.map((f, at) => {
    const item = element("li", { role: "option", id: "result-" + at }, element("span", { class: "code" }, f.name), element("small", {}, where(f.path, f.line)));
    item.addEventListener("mousedown", (event) => { event.preventDefault(); choose(f); });
    return item;
  });
  if (!items.length && input.value.trim()) items.push(element("li", { "aria-disabled": "true" }, "nothing has that name"));
  results.replaceChildren(...items);
  results.hidden = !items.length;
  input.setAttribute("aria-expanded", String(!results.hidden));
  mark(0);
}
function mark(at) {
  if (!offered.length) { input.removeAttribute("aria-activedescendant"); return; }
  marked = (at + offered.length) % offered.length;
  [...results.children].forEach((item, number) => item.setAttribute("aria-selected", String(number === marked)));
  input.setAttribute("aria-activedescendant", "result-" + marked);
  results.children[marked].scrollIntoView({ block: "nearest" });
}
function close() {
  results.hidden = true;
  input.setAttribute("aria-expanded", "false");
}
function choose(f) {
  close();
  input.value = "";
  canvas.focus({ preventScroll: true });
  go("f=" + encodeURIComponent(f.name));
}
input.addEventListener("input", offer);
input.addEventListener("blur", close);
input.addEventListener("keydown", (event) => {
  event.stopPropagation();
  if (event.key === "ArrowDown") mark(marked + 1);
  else if (event.key === "ArrowUp") mark(marked - 1);
  else if (event.key === "Enter" && offered[marked]) choose(offered[marked]);
  else if (event.key === "Escape") { close(); canvas.focus(); }
  else return;
  event.preventDefault();
});

const KEYS = {
  "/": () => input.focus(), "+": () => zoomBy(1.25), "=": () => zoomBy(1.25), "-": () => zoomBy(0.8), "0": () => fit(),
  t: () => theme(), Escape: () => go(""), Backspace: () => history.back(),
  ArrowLeft: () => pan(60, 0), ArrowRight: () => pan(-60, 0), ArrowUp: () => pan(0, 60), ArrowDown: () => pan(0, -60),
};
function pan(dx, dy) {
  zoom = { ...zoom, x: zoom.x + dx, y: zoom.y + dy };
  apply();
}
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
  if (event.key.startsWith("Arrow") && event.target !== canvas && event.target !== document.body) return;
  event.preventDefault();
  KEYS[event.key]();
});
function theme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches, now = document.documentElement.dataset.theme || (dark ? "dark" : "light");
  document.documentElement.dataset.theme = now === "dark" ? "light" : "dark";
}

document.getElementById("title").textContent = document.getElementById("title").title = DATA.title;
document.getElementById("home").addEventListener("click", () => go(""));
document.getElementById("smaller").addEventListener("click", () => zoomBy(0.8));
document.getElementById("larger").addEventListener("click", () => zoomBy(1.25));
document.getElementById("fit").addEventListener("click", () => fit());
document.getElementById("theme").addEventListener("click", theme);
window.addEventListener("hashchange", show);
window.addEventListener("resize", () => fit());
fillLeft();
if (DATA.route && DATA.route.hops.length && !location.hash) location.replace("#f=" + encodeURIComponent(functions[DATA.route.goal].name));
else show();
