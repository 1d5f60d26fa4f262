
// Links within the page: a cell or a name of a run chooses the run, everything else goes to its place.
function goTo(id) {
  const target = byId(id);
  for (const old of document.querySelectorAll(".at")) old.classList.remove("at");
  if (!target) return;
  for (let inside = target.closest("details"); inside; inside = inside.parentElement.closest("details")) inside.open = true;
  const finding = target.closest(".finding");
  if (finding) {
    finding.classList.add("at");
    finding.focus({ preventScroll: true });
  }
  (finding || target.closest("details") || target).scrollIntoView();
}
function follow(event) {
  const link = event.target.closest('a[href^="#"]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const id = link.getAttribute("href").slice(1), some = {};
  if (link.dataset.run) some.run = DATA.runs[link.dataset.run][0];
  if (link.dataset.rule) some.rule = link.dataset.rule;
  if (!id.startsWith("run-")) some.at = id;
  else if (some.run === state.run) some.run = "";
  const target = some.at && byId(some.at).closest("[data-set]");
  if (target && target.hidden) Object.assign(some, { ...NOTHING, theme: state.theme, at: id });
  change(some);
}
function step(by) {
  const shown = findings.filter((item) => !item.node.hidden).map((item) => item.node);
  const now = shown.findIndex((node) => node.classList.contains("at"));
  const next = shown[Math.min(Math.max(now < 0 && by < 0 ? 0 : now + by, 0), shown.length - 1)];
  if (next) change({ at: next.id }, true);
}
