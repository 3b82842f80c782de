// The variants of each problem as bars against the ceiling, platforms side by side.

const ROLES = { portable: "portable, in Kokkos", hybrid: "Kokkos, configured by raw CUDA", native: "raw CUDA", library: "a library", bound: "a bound: does less than the problem" };

// Bars are shares of the ceiling where each platform has one, so that machines can be compared; else the figure itself.
function scaleOf(cases) {
  const passed = cases.filter((c) => c.passed);
  const shares = passed.length > 0 && passed.every((c) => c.share);
  const of = (c, value) => (shares ? (c.share * value) / c.value : value);
  const kept = passed.filter((c) => !c.rounded);
  const most = Math.max(shares ? 1 : 0, ...(kept.length ? kept : passed).flatMap((c) => [of(c, c.valueHigh), shares && c.modelValue ? of(c, c.modelValue) : 0]));
  const at = (share) => Math.min(100, (100 * share) / (most * 1.02));
  return { of, at, shares, most };
}

function variantBar(c, { of, at, shares }) {
  const [low, value, high] = [c.valueLow, c.value, c.valueHigh].map((v) => at(of(c, v)));
  const model = c.modelValue && of(c, c.modelValue);
  const beyond = (100 * of(c, c.value)) / at(1) / 100 > 100 / at(1) * 1.0001;
  return el("span", { class: "bar", "aria-hidden": "true" },
    el("i", { class: `fill role-${c.role} ${c.best ? "is-best" : ""} ${beyond ? "is-beyond" : ""}`, style: { width: `${value}%` } }),
    shares && el("i", { class: "limit", style: { left: `${at(1)}%` } }),
    !beyond && el("i", { class: "whisker", style: { left: `${low}%`, width: `${Math.max(0, high - low)}%` } }),
    model && at(model) < 100 && el("i", { class: "model", style: { left: `${at(model)}%` } }));
}

const starred = (c) => (c.best ? [el("span", { class: "star", "aria-hidden": "true" }, "★ "), unseen("best: ")] : "");
const becameOf = (c) => el("span", { class: c.outcome === "skipped" || c.outcome === "not run" ? "muted" : "bad" }, `${c.outcome}: ${c.reason}`);

function problemTable(report, task, platforms) {
  const [pattern, type, keys] = report.tasks[task];
  const unit = report.patterns[pattern][0];
  const cases = report.byTask.get(task).filter((c) => platforms.includes(c.platformId));
  const scale = scaleOf(cases);
  const rows = groupBy(cases, (c) => c.solution);
  const single = platforms.length === 1;
  const ceiling = scale.shares ? report.patterns[pattern][1] : "";
  const heads = (id) => {
    const some = cases.find((c) => c.platformId === id && c.passed);
    const known = some && ["copy", "read", "fma"].filter((name) => some.ceilings[name]).map((name) => `${name} ${figure(some.ceilings[name], name === "fma" ? "GFLOP/s" : "GB/s")}`);
    return [single ? "" : report.platforms[id].label, known && known.length ? known.join(", ") : ""];
  };
  const cells = (c, only) => {
    if (!c) return [el("td", { colspan: only ? 8 : 2, class: "muted" }, "not in this run")];
    if (!c.passed) return [el("td", { colspan: only ? 8 : 2, class: "wide" }, becameOf(c))];
    const value = caseLink(c, unit === "GB/s" || unit === "GFLOP/s" ? plain(c.value) : figure(c.value, unit));
    const share = c.share ? percent(c.share) : "–";
    if (!only) return [el("td", { class: "bars" }, variantBar(c, scale)), el("td", { class: "number" }, value, el("small", {}, ` ${scale.shares ? share : ""}`))];
    return [
      el("td", { class: "bars" }, variantBar(c, scale)),
      el("td", { class: "number" }, value),
      el("td", { class: "number" }, share),
      el("td", { class: "number" }, c.modelValue ? [figure(c.modelValue, unit).replace(` ${unit}`, ""), el("small", {}, ` ${c.limiter}`)] : "–"),
      el("td", { class: "number" }, c.achieved ? c.achieved.toFixed(2) : "–"),
      el("td", { class: "number" }, `±${digits(100 * c.spread, 2)} %`),
      el("td", { class: "number" }, c.count),
      el("td", { class: "remarks" }, c.remarks),
    ];
  };
  const columns = single
    ? ["Variant", unit === "ns" ? "Time (shorter is better)" : ceiling ? `Share of ${ceiling}` : "Rate", unit === "ns" ? "one operation" : unit, ceiling ? `of ${ceiling}` : "of ceiling", "model", "achieved", "±", "n", "remarks"]
    : ["Variant", ...platforms.flatMap(() => [ceiling ? `Share of ${ceiling}` : unit === "ns" ? "Time" : "Rate", unit === "ns" ? "one operation" : unit])];
  const numeric = (i) => (single ? i > 1 && i < 8 : i > 0 && i % 2 === 0);
  const title = [type, keys].filter(Boolean).join(" ");
  return el("article", { class: "problem" },
    el("h4", {}, `${pattern} `, el("span", {}, title), single && el("small", { class: "muted" }, ` ${report.platforms[platforms[0]].space}`)),
    single && el("p", { class: "muted ceilings" }, heads(platforms[0])[1]),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Variants of ${pattern} ${title}` },
      el("table", { class: single ? "bars-one" : "bars-many" },
        el("caption", { class: "unseen" }, `Variants of ${pattern} ${title}`),
        el("thead", {},
          !single && el("tr", {}, el("td", {}), platforms.map((id) => el("th", { colspan: 2, scope: "colgroup" }, heads(id)[0], el("small", { class: "muted block" }, heads(id)[1])))),
          el("tr", {}, columns.map((text, i) => el("th", { scope: "col", class: numeric(i) ? "number" : "" }, text)))),
        el("tbody", {}, [...rows].map(([solution, some]) =>
          el("tr", {}, el("th", { scope: "row", class: some.some((c) => c.best) ? "is-best" : "" }, some.some((c) => c.best) && starred({ best: true }), solution, some[0].role === "bound" && el("small", { class: "muted" }, " bound")),
            platforms.map((id) => cells(some.find((c) => c.platformId === id), single))))))));
}

function variantsSection(report) {
  const measured = report.cases.filter((c) => c.passed);
  if (!measured.length) return null;
  const byPattern = groupBy([...new Set(measured.map((c) => c.task))], (task) => report.tasks[task][0]);
  let pattern = byPattern.keys().next().value;
  let wanted = "";
  let shown = 6;
  const list = el("div", { class: "problems" });
  const status = el("span", { class: "muted", role: "status" });
  const more = button("", () => ((shown += 12), fill()));
  function fill() {
    const found = byPattern.get(pattern).filter((task) => wanted.split(" ").every((word) => report.tasks[task].join(" ").includes(word)));
    list.replaceChildren(...found.slice(0, shown).map((task) => {
      const cases = report.byTask.get(task);
      return problemTable(report, task, report.compared.filter((id) => cases.some((c) => c.platformId === id && c.passed)));
    }));
    const left = Math.max(0, found.length - shown);
    status.textContent = `${count(found.length, "problem")}${left ? `, ${shown} shown` : ""}`;
    more.textContent = `Show ${Math.min(12, left)} more`;
    more.hidden = !left;
  }
  const select = choice("Pattern", [...byPattern].map(([name, tasks]) => [name, `${name} (${tasks.length})`]), (name) => ((pattern = name), (shown = 6), fill()));
  const search = el("label", { class: "choice" }, el("span", {}, "Problem"),
    el("input", { type: "search", placeholder: "f64 4096", oninput: (event) => ((wanted = event.target.value.trim()), (shown = 6), fill()) }));
  fill();
  return [
    el("p", { class: "lead" }, "The variants of a problem share its buffers and were sampled in alternation. The whisker is the 95 % interval of the median, the thin tick the model, the dark line the ceiling measured in the same rounds; ★ marks the fastest that solves the problem."),
    el("div", { class: "controls" }, select, search, status),
    legendOf([...new Set(measured.map((c) => c.role))].map((role) => [ROLES[role] || role, `fill role-${role}`])),
    list, el("div", { class: "pager" }, more),
  ];
}
