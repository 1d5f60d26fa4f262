
const dark = matchMedia("(prefers-color-scheme: dark)");
function turn() {
  const now = state.theme || (dark.matches ? "dark" : "light");
  change({ theme: now === "dark" ? "light" : "dark", at: state.at }, true);
}
function show() {
  state = read();
  for (const name of ["run", "rule", "text"]) if (byId(name).value !== state[name]) byId(name).value = state[name];
  const severities = state.severity ? state.severity.split(",") : ["error", "warning", "info"];
  for (const box of document.querySelectorAll("#severities [value]")) box.checked = severities.includes(box.value);
  byId("safe").checked = Boolean(state.safe);
  if (["dark", "light"].includes(state.theme)) document.documentElement.dataset.theme = state.theme;
  else delete document.documentElement.dataset.theme;
  filter();
  if (state.at) goTo(state.at);
}
function counted(some) {
  const counts = new Map();
  for (const value of some) counts.set(value, (counts.get(value) || 0) + 1);
  return counts;
}
function fillRuns() {
  const groups = new Map();
  for (const [id, strategy] of DATA.runs) {
    if (!groups.has(strategy)) groups.set(strategy, element("optgroup", { label: strategy }));
    groups.get(strategy).append(element("option", {}, id));
  }
  byId("run").append(...groups.values());
}
function fillRules() {
  const counts = counted(findings.map((item) => item.rule));
  byId("rule").append(...Object.entries(DATA.names).map(([code, name]) => element("option", { value: code }, `${code} ${name} (${counts.get(code) || "safe"})`)));
}
function fillSeverities() {
  const counts = counted(findings.map((item) => item.severity)), safe = items.length - findings.length;
  for (const box of document.querySelectorAll("#severities input")) {
    const number = box.id === "safe" ? safe : counts.get(box.value) || 0;
    box.parentElement.querySelector("output").textContent = number;
    box.parentElement.hidden = !number;
  }
}
function severities() {
  const boxes = [...document.querySelectorAll("#severities [value]")], on = boxes.filter((box) => box.checked);
  change({ severity: on.length === boxes.length ? "" : on.map((box) => box.value).join(",") || "none" });
}
const clear = () => change({ ...NOTHING, theme: state.theme, safe: state.safe });
const KEYS = { "/": () => byId("text").focus(), j: () => step(1), k: () => step(-1), t: turn, Escape: clear };
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
  if (event.target.matches("select, input[type=search]")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  event.preventDefault();
  KEYS[event.key]();
});
for (const name of ["run", "rule"]) byId(name).addEventListener("change", (event) => change({ [name]: event.target.value }));
byId("text").addEventListener("input", (event) => change({ text: event.target.value }, true));
byId("filters").addEventListener("submit", (event) => event.preventDefault());
for (const box of document.querySelectorAll("#severities [value]")) box.addEventListener("change", severities);
byId("safe").addEventListener("change", (event) => change({ safe: event.target.checked ? "1" : "", at: event.target.checked ? "dismissed" : "" }));
byId("clear").addEventListener("click", clear);
byId("theme").addEventListener("click", turn);
document.addEventListener("click", follow);
function tellCut() {
  const table = document.querySelector("#matrix .scroll");
  if (table) byId("sideways").hidden = table.scrollWidth <= table.clientWidth;
}
addEventListener("resize", tellCut);
addEventListener("hashchange", show);
addEventListener("popstate", show);
let closed = [];
addEventListener("beforeprint", () => {
  closed = [...document.querySelectorAll("#findings details:not([open])")];
  for (const one of closed) one.open = true;
});
addEventListener("afterprint", () => { for (const one of closed) one.open = false; });

fillRuns();
fillRules();
fillSeverities();
byId("run").closest("label").hidden = !DATA.runs.length;
byId("filters").hidden = !items.length;
byId("theme").hidden = byId("keys").hidden = false;
show();
tellCut();
document.body.dataset.view = "ready";
