// The data of the page: what tools/report/model.py has written, as objects.

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const [BEST, ROUNDED, WHOLE_NAME] = [1, 2, 4];

function decode(data) {
  const { columns, texts, tasks, solutions, tails, works, ceilings } = data;
  const names = Object.keys(columns);
  const cases = columns.platform.map((_, id) => {
    const row = {};
    for (const name of names) row[name] = columns[name][id];
    const [pattern, type, keys] = tasks[row.task];
    const [variant, role, solution] = solutions[row.solution];
    const platform = data.platforms[row.platform];
    const [unit, ceilingName] = data.patterns[pattern];
    const tail = tails[row.tail];
    const inUnit = (rate) => (unit === "ns" ? 1 / rate : rate);
    const c = { id, pattern, type, keys, variant, role, solution, unit, ceilingName, platform, platformId: row.platform };
    c.task = row.task;
    c.name = row.marks & WHOLE_NAME ? tail : `${pattern}/${variant}/${platform.space}/${type}${tail}`;
    c.outcome = texts[row.outcome];
    c.reason = texts[row.reason];
    c.remarks = texts[row.remarks];
    c.details = row.details.map((text) => texts[text]);
    c.passed = c.outcome === "passed";
    c.best = Boolean(row.marks & BEST);
    c.rounded = Boolean(row.marks & ROUNDED);
    if (!c.passed) return c;
    for (const name of ["time", "low", "high", "rate", "share", "modelled", "count", "fastest", "slowest"]) c[name] = row[name];
    c.value = inUnit(c.rate);
    c.valueLow = inUnit((c.rate * c.time) / (unit === "ns" ? c.low : c.high));
    c.valueHigh = inUnit((c.rate * c.time) / (unit === "ns" ? c.high : c.low));
    c.modelValue = c.modelled && inUnit(c.modelled);
    c.achieved = c.modelled && c.rate / c.modelled;
    c.limiter = texts[row.limiter];
    c.spread = (c.high - c.low) / c.time / 2; // half the 95 % interval of the median
    [c.bytes, c.flops] = works[row.work];
    c.ceilings = Object.fromEntries(["copy", "fma", "read"].map((name, i) => [name, ceilings[row.ceilings][i] / 1e9]));
    c.encoded = row.samples;
    return c;
  });
  return { ...data, cases, compared: data.platforms.map((_, id) => id).filter((id) => data.platforms[id].passed) };
}

// The samples of a case, in ns.
function samplesOf(c) {
  const found = [];
  for (let i = 0; i < c.encoded.length; i += 2) {
    const step = DIGITS.indexOf(c.encoded[i]) * 64 + DIGITS.indexOf(c.encoded[i + 1]);
    found.push(c.fastest + ((c.slowest - c.fastest) * step) / 4095);
  }
  return found;
}

const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
};

function groupBy(values, key) {
  const groups = new Map();
  for (const value of values) {
    const name = key(value);
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(value);
  }
  return groups;
}
