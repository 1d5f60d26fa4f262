
// Hides what does not fit. An item is a finding or a safe place; a row of the matrix goes with its findings.
const sets = DATA.sets.map(numbers);
const items = [...document.querySelectorAll("[data-set]")].map((node) => ({
  node, rule: node.dataset.rule, severity: node.dataset.severity, runs: sets[node.dataset.set], text: words(node),
}));
const findings = items.filter((item) => item.severity);
const columns = [...document.querySelectorAll(".matrix .runs [data-column]")].map((node) => numbers(node.dataset.runs));

function words(node) {
  const parts = node.matches("article") ? [...node.children].slice(0, 2) : [node];
  return parts.map((part) => part.textContent).join(" ").toLowerCase();
}
function fitting() {
  const run = DATA.runs.findIndex(([id]) => id === state.run), wanted = state.text.toLowerCase().split(/\s+/);
  const severities = state.severity ? state.severity.split(",") : null;
  return (item) => (!state.rule || item.rule === state.rule) && (run < 0 || item.runs.has(run))
    && (!severities || !item.severity || severities.includes(item.severity)) && wanted.every((word) => item.text.includes(word));
}
function filter() {
  const fits = fitting(), rules = new Set();
  for (const item of items) {
    item.node.hidden = !fits(item);
    if (item.severity && !item.node.hidden) rules.add(item.rule);
  }
  for (const row of document.querySelectorAll(".matrix tbody tr"))
    row.hidden = row.dataset.of ? byId(row.dataset.of).hidden : !rules.has(row.dataset.rule);
  const shown = findings.filter((item) => !item.node.hidden).length;
  const noun = findings.length === 1 ? "finding" : "findings";
  byId("count").textContent = shown === findings.length ? `${shown} ${noun}` : `${shown} of ${findings.length} ${noun}`;
  byId("nothing").hidden = shown > 0 || !findings.length;
  byId("clear").hidden = !(state.run || state.rule || state.text || state.severity);
  const safe = document.querySelector("#dismissed > details");
  if (safe) safe.open = Boolean(state.safe);
  chosen();
}
function chosen() {
  const run = DATA.runs.findIndex(([id]) => id === state.run), column = columns.findIndex((some) => some.has(run));
  for (const cell of document.querySelectorAll("[data-column]")) cell.classList.toggle("chosen", Number(cell.dataset.column) === column);
  for (const chip of document.querySelectorAll(".chip")) chip.classList.toggle("chosen", Number(chip.dataset.run) === run);
  const box = byId("chosen"), listed = document.querySelector(`.run[data-run="${run}"]`);
  box.hidden = !listed;
  if (!listed) return;
  const alike = column < 0 ? 0 : columns[column].size - 1;
  const also = alike ? [element("span", { class: "whole" }, `and ${alike} more with the same findings`)] : [];
  const head = element("p", {}, ...[...listed.querySelector("summary").children].map((part) => part.cloneNode(true)), ...also);
  const launch = element("details", {}, element("summary", {}, "How it is launched"), listed.querySelector("dl").cloneNode(true));
  box.replaceChildren(head, launch);
}
