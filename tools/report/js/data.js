// The data of the page: what tools/report/model.py has written, as objects.

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const [BEST, ROUNDED, WHOLE_NAME] = [1, 2, 4];

function decode(data) {
  const {columns, texts, segments, ceilings} = data;
  const names = Object.keys(columns);
  const tasks = data.tasks.map(([pattern, type, keys]) => [pattern, type, keys.map((i) => segments[i]).join(' ')]);

  const cases = (columns.platform || []).map((_, id) => {  // a document may have no case
    const row = Object.fromEntries(names.map((name) => [name, columns[name][id]]));
    const [pattern, type, keys] = tasks[row.task];
    const [variant, role] = data.variants[row.variant];
    const platform = data.platforms[row.platform];
    const [unit, ceilingName] = data.patterns[pattern];
    const c =
        {id, pattern, type, keys, variant, role, unit, ceilingName, platform, platformId: row.platform, task: row.task};

    const tail = data.tails[row.tail];
    const shared = data.tasks[row.task][2];
    const own = row.marks & WHOLE_NAME ? [] : tail.filter((i) => !shared.includes(i));
    const text = tail.map((i) => segments[i]);
    c.name = row.marks & WHOLE_NAME ? text[0] : [pattern, variant, platform.space, type, ...text].join('/');
    c.solution = [variant, ...own.map((i) => segments[i])].join(' ');  // "padded tile=32"

    [c.outcome, c.reason, c.remarks] = [texts[row.outcome], texts[row.reason], texts[row.remarks]];
    const [headings, ...facts] = data.details[row.details];
    c.details = data.headings[headings].map((what, i) => [what, texts[facts[i]]]);
    c.passed = c.outcome === 'passed';
    c.best = Boolean(row.marks & BEST);
    c.rounded = Boolean(row.marks & ROUNDED);
    if (c.passed) addFigures(c, row);
    return c;
  });

  function addFigures(c, row) {
    const inUnit = (rate) => (c.unit === 'ns' ? 1 / rate : rate);
    for (const name of ['time', 'rate', 'share', 'modelled', 'count']) c[name] = row[name];
    for (const name of ['low', 'high', 'fastest', 'slowest']) c[name] = row.time * (1 + row[name] / 1e6);
    c.value = inUnit(c.rate);
    const ends = [c.low, c.high].map((time) => inUnit((c.rate * c.time) / time));
    [c.valueLow, c.valueHigh] = [Math.min(...ends), Math.max(...ends)];
    c.modelValue = c.modelled && inUnit(c.modelled);
    c.achieved = c.modelled && c.rate / c.modelled;
    c.limiter = texts[row.limiter];
    c.spread = (c.high - c.low) / c.time / 2;  // half the 95 % interval of the median
    [c.bytes, c.flops] = data.works[row.work];
    [c.ceilings, c.encoded] = [{}, row.samples];
    ['copy', 'fma', 'read'].forEach((name, i) => (c.ceilings[name] = ceilings[row.ceilings][i]));
    if (!row.ranks) return;
    const [ranks, time, fastest, slowest, encoded] = row.ranks;
    c.ranks = {count: ranks, time, fastest: time * (1 + fastest / 1e6), slowest: time * (1 + slowest / 1e6), encoded};
  }

  return {...data, tasks, cases, compared: data.platforms.map((_, id) => id).filter((id) => data.platforms[id].passed)};
}

// The samples of a case, or the times of its ranks, in ns.
function timesOf({encoded, fastest, slowest}) {
  const found = [];
  for (let i = 0; i < encoded.length; i += 2) {
    const step = DIGITS.indexOf(encoded[i]) * 64 + DIGITS.indexOf(encoded[i + 1]);
    found.push(fastest + ((slowest - fastest) * step) / 4095);
  }
  return found;
}

// Not Math.max(...values): a call takes only so many arguments.
const largest = (values) => values.reduce((a, b) => Math.max(a, b), -Infinity);
const smallest = (values) => -largest(values.map((value) => -value));

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
