// Wherever only one numeric key differs between cases: a curve for each variant, and its model as a broken line.

function curve(report, sweep, panel) {
  // Twins have one colour: a raw CUDA kernel is a ring around the point of its portable twin.
  const ideas = [...new Set(panel.lines.map((line) => line.idea))];
  const lines = panel.lines.map((line) => {
    const i = ideas.indexOf(line.idea);
    return {
      ...line,
      points: line.points.map(([x, id]) => [x, report.cases[id]]),
      look: `c${i % 8} d${Math.floor(i / 8) % 3} ${line.role === 'native' ? 'is-ring' : ''}`,
    };
  });
  const points = lines.flatMap((line) => line.points);
  const unit = report.patterns[sweep.pattern][0];
  const models = points.map(([, c]) => c.modelValue).filter(Boolean);
  const xs = points.map(([x]) => x);
  const values = [...points.map(([, c]) => c.value), ...models];
  const [lowX, highX, lowY, highY] = [smallest(xs), largest(xs), smallest(values), largest(values)];
  const logX = lowX > 0 && highX / lowX >= 12;
  const logY = highY / lowY > 30;
  const inBytes = sweep.unit === 'B';
  const xText = (x) => (inBytes ? shortBytes(x) : `${thousands(String(+x.toPrecision(4)))}${sweep.unit}`);
  const yText = (y) => (unit === 'ns' ? tickTime(y) : plainTick(y));

  const draw = (width) => {
    const [left, right, top, height] = [62, width - 26, 22, Math.max(180, Math.min(300, width * 0.55))];
    const bottom = top + height;
    const sx = logX ? logarithmic(lowX, highX, left + 10, right, 2) : linear(lowX, highX, left + 10, right);
    const sy = logY ? logarithmic(10 ** Math.floor(Math.log10(lowY)), 10 ** Math.ceil(Math.log10(highY)), bottom, top) :
                      linear(0, highY * 1.04, bottom, top);
    if (!logX && new Set(xs).size <= 8 && width / new Set(xs).size > 40)
      sx.ticks = [...new Set(xs)].sort((a, b) => a - b);
    if (logX) sx.ticks = ticksAt([...new Set(xs)].sort((a, b) => a - b), sx);
    const path = (some) => some.map(([x, y], i) => `${i ? 'L' : 'M'}${sx(x).toFixed(1)} ${sy(y).toFixed(1)}`).join('');
    return canvas(
        width, bottom + 40, xAxis(sx, bottom, top, xText, sweep.key, right),
        yAxis(sy, left, right, yText, unit === 'ns' ? 'time per operation' : unit),
        lines.map(
            (line) =>
                [svg('path', {
                   d: path(line.points.filter(([, c]) => c.modelValue).map(([x, c]) => [x, c.modelValue])),
                   class: `curve is-model ${line.look}`
                 }),
                 svg('path', {d: path(line.points.map(([x, c]) => [x, c.value])), class: `curve ${line.look}`}),
                 line.points.map(
                     ([x, c]) => mark(
                         'circle', {cx: sx(x), cy: sy(c.value), r: line.role === 'native' ? 5.5 : 3, class: line.look},
                         c)),
    ]));
  };
  const where =
      report.compared.length > 1 ? report.platforms[panel.platform].label : report.platforms[panel.platform].space;
  return chart({
    title: `${sweep.pattern} ${sweep.type} over ${sweep.key}`,
    text: [sweep.fixed, where].filter(Boolean).join(' · '),
    label: `${sweep.pattern} ${sweep.type} ${sweep.fixed} over ${sweep.key}, ${where}`,
    draw,
    legend: legendOf([
      ...lines.map((line) => [line.label, `${line.role === 'native' ? '' : 'line'} ${line.look}`]),
      ...(models.length ? [['model', 'line is-model']] : [])
    ]),
    table: () =>
        sortableTable({
          caption: `${sweep.pattern} ${sweep.type} ${sweep.fixed} over ${sweep.key}`,
          columns: [
            {label: 'Variant', value: (p) => p.line.label},
            {label: sweep.key, value: (p) => p.x, cell: (p) => xText(p.x), numeric: true},
            {
              label: unit === 'ns' ? 'time' : unit,
              value: (p) => p.c.value,
              cell: (p) => caseLink(p.c, unit === 'ns' ? shortTime(p.c.value) : plain(p.c.value)),
              numeric: true
            },
            {
              label: 'model',
              value: (p) => p.c.modelValue,
              cell: (p) => (p.c.modelValue ? (unit === 'ns' ? shortTime(p.c.modelValue) : plain(p.c.modelValue)) : '–'),
              numeric: true
            },
          ],
          rows: lines.flatMap((line) => line.points.map(([x, c]) => ({line, x, c}))),
          pageSize: 100,
        }).node,
  });
}

const plainTick = (n) => (n >= 1e5 ? `${+ (n / 1000).toPrecision(4)}k` : thousands(String(+n.toPrecision(6))));

// The measured values themselves, as far as there is room for their texts.
function ticksAt(values, scale) {
  const kept = [];
  for (const x of values)
    if (!kept.length || scale(x) - scale(kept[kept.length - 1]) > 52) kept.push(x);
  return kept;
}

function curvesSection(report) {
  const sweeps = report.sweeps.flatMap((sweep) => sweep.panels.map((panel) => ({sweep, panel})));
  if (!sweeps.length) return null;
  const names = groupBy(sweeps, ({sweep}) => `${sweep.pattern} over ${sweep.key}`);
  const biggest = (some) =>
      largest(some.map(({panel}) => panel.lines.reduce((sum, line) => sum + line.points.length, 0)));
  const ordered = [...names].sort((a, b) => biggest(b[1]) - biggest(a[1]));
  const grid = el('div', {class: 'grid'});
  const status = el('span', {class: 'muted', role: 'status'});
  let shown = 6;
  let name = ordered[0][0];
  const more = button('', () => ((shown += 12), fill()));
  function fill() {
    const found = names.get(name);
    grid.replaceChildren(...found.slice(0, shown).map(({sweep, panel}) => curve(report, sweep, panel)));
    const left = Math.max(0, found.length - shown);
    status.textContent = count(found.length, 'chart');
    more.textContent = `Show ${Math.min(12, left)} more`;
    more.hidden = !left;
  }
  const select = choice(
      'Curve', ordered.map(([key, some]) => [key, `${key} (${some.length})`]),
      (key) => ((name = key), (shown = 6), fill()));
  fill();
  return [
    el('p', {class: 'lead'},
       'Every key with a number that was varied while all others stayed as they are. Solid: measured; ' +
           'rings are raw CUDA, in the colour of their portable twin. Broken: what the model predicts.'),
    el('div', {class: 'controls'}, select, status),
    grid,
    el('div', {class: 'pager'}, more),
  ];
}
