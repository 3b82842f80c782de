// The roofline of each platform: cases that compute, by flops per byte; and those that only move bytes, as bars.

const computes = (c) => c.passed && c.flops > 0 && c.bytes > 0;

function roofline(report, platformId) {
  const cases = report.cases.filter((c) => c.platformId === platformId && computes(c));
  if (!cases.length) return null;
  const x = (c) => c.flops / c.bytes;
  const y = (c) => c.flops / c.time;  // flops per ns are GFLOP/s
  const memory = cases.some((c) => c.ceilings.copy) ? 'copy' : 'read';
  const rates = cases.map((c) => c.ceilings[memory]).filter(Boolean);
  const copy = rates.length ? median(rates) : 0;
  const computing = [...groupBy(cases.filter((c) => c.ceilings.fma), (c) => c.type)].map(
      ([type, some]) => [type, median(some.map((c) => c.ceilings.fma))]);
  const power = (f, values) => 10 ** f(Math.log10(values));
  const [lowX, highX] = [power(Math.floor, smallest(cases.map(x))), power(Math.ceil, largest([10, ...cases.map(x)]))];
  const lowY = power(Math.floor, smallest(cases.map(y)));
  const highY = power(Math.ceil, largest([...cases.map(y), ...computing.map(([, fma]) => fma)]));
  const all = [...new Set(report.cases.filter(computes).map((c) => c.pattern))];
  const colour = (pattern) => `c${all.indexOf(pattern) % 8}`;  // the same on every platform
  const patterns = [...new Set(cases.map((c) => c.pattern))];

  const draw = (width) => {
    const [left, right, top] = [62, width - 12, 22];
    const bottom = top + Math.min(400, Math.max(240, width * 0.6));
    const sx = logarithmic(lowX, highX, left, right);
    const sy = logarithmic(lowY, highY, bottom, top);
    const flat = (i, fma) => {
      const from = copy ? Math.max(lowX, Math.min(highX, fma / copy)) : lowX;
      const close = i > 0 && Math.abs(sy(fma) - sy(computing[i - 1][1])) < 18;  // then its text goes below the line
      const room = right - sx(from) > 190;
      return {
        line: svg('line', {x1: sx(from), x2: right, y1: sy(fma), y2: sy(fma), class: 'roof'}),
        text:
            svg('text', {
              x: room ? sx(from) + 6 : right,
              y: sy(fma) + (close ? 16 : -6),
              'text-anchor': room ? 'start' : 'end',
              class: 'roof-text'
            },
                `multiply-adds ${type(i)}: ${figure(fma, 'GFLOP/s')}`),
      };
    };
    const type = (i) => computing[i][0];
    const roofs = computing.map(([, fma], i) => flat(i, fma));
    if (copy) {
      const start = Math.max(lowX, lowY / copy);
      const end = Math.max(
          start * 1.01, Math.min(highX, (computing.length ? largest(computing.map(([, fma]) => fma)) : highY) / copy));
      const slope = (Math.atan2(sy(end * copy) - sy(start * copy), sx(end) - sx(start)) * 180) / Math.PI;
      const middle = Math.sqrt(start * end);
      roofs.push({
        line: svg('line', {x1: sx(start), y1: sy(start * copy), x2: sx(end), y2: sy(end * copy), class: 'roof'}),
        text:
            svg('text', {
              transform: `translate(${sx(middle)} ${sy(middle * copy) - 7}) rotate(${slope})`,
              'text-anchor': 'middle',
              class: 'roof-text'
            },
                `${memory}: ${figure(copy, 'GB/s')}`),
      });
    }
    const points = cases.map(
        (c) => mark(
            'circle', {
              cx: sx(x(c)),
              cy: sy(y(c)),
              r: c.best ? 6 : 4,
              class: `${colour(c.pattern)} ${c.best ? 'is-best' : ''} ${c.rounded ? 'is-rounded' : ''}`
            },
            c, `${c.name}\n${figure(y(c), 'GFLOP/s')} at ${digits(x(c), 3)} flops per byte`));
    return canvas(
        width, bottom + 40, xAxis(sx, bottom, top, plainPower, 'flops per byte', right),
        yAxis(sy, left, right, plainPower, 'GFLOP/s'), roofs.map((roof) => roof.line), points,
        roofs.map((roof) => roof.text));
  };
  return chart({
    title: report.platforms[platformId].label,
    text: copy || computing.length ? '' : 'The document holds no measured ceiling.',
    label: `Roofline of ${report.platforms[platformId].label}`,
    draw,
    legend: legendOf(patterns.map((p) => [p, colour(p)])),
    table: () => sortableTable({
                   caption: `Cases in the roofline of ${report.platforms[platformId].label}`,
                   columns: [
                     {label: 'Case', value: (c) => c.name, cell: (c) => caseLink(c)},
                     {label: 'flops per byte', value: x, cell: (c) => digits(x(c), 3), numeric: true},
                     {label: 'GFLOP/s', value: y, cell: (c) => plain(y(c)), numeric: true, descending: true},
                   ],
                   rows: cases,
                   pageSize: 20,
                 }).node,
  });
}

const plainPower = (n) =>
    (n >= 1e4 || n < 1e-3 ? `1e${Math.round(Math.log10(n))}` : thousands(String(+n.toPrecision(3))));

// One row for each pattern and type: the best rate as a bar, the other cases as ticks on it, the ceiling as a line.
function bandwidthBars(report, platformId) {
  const cases = report.cases.filter(
      (c) => c.platformId === platformId && c.passed && !(c.flops > 0) && c.bytes > 0 && c.unit === 'GB/s');
  if (!cases.length) return null;
  const rate = (c) => c.bytes / c.time;
  const rows = [...groupBy(cases, (c) => `${c.pattern} ${c.type}`)].map(([name, some]) => {
    const solving = some.filter((c) => c.role !== 'bound');
    const best = (solving.length ? solving : some).reduce((a, b) => (rate(b) > rate(a) ? b : a));
    return {name, some, best, ceiling: best.ceilings.read || best.ceilings.copy};
  });
  const most = largest(rows.flatMap((r) => [r.ceiling, ...r.some.map(rate)]));
  const at = (value) => `${(100 * value) / most}%`;
  const bar = (r) =>
      el('span', {class: 'bar', 'aria-hidden': 'true'}, el('i', {class: 'fill', style: {width: at(rate(r.best))}}),
         r.some.map((c) => el('i', {class: 'tick', style: {left: at(rate(c))}})),
         r.ceiling > 0 && el('i', {class: 'limit', style: {left: at(r.ceiling)}}));
  const columns = [
    {label: 'Pattern', value: (r) => r.name, className: 'tight'},
    {label: 'Rates of all its cases', cell: bar, className: 'bars'},
    {
      label: 'Best',
      value: (r) => rate(r.best),
      cell: (r) => caseLink(r.best, figure(rate(r.best), 'GB/s')),
      numeric: true,
      descending: true
    },
    {
      label: 'Of ceiling',
      value: (r) => r.ceiling && rate(r.best) / r.ceiling,
      cell: (r) => (r.ceiling ? percent(rate(r.best) / r.ceiling) : '–'),
      numeric: true,
      descending: true
    },
    {label: 'Cases', value: (r) => r.some.length, numeric: true},
  ];
  rows.sort((a, b) => rate(b.best) - rate(a.best));
  const title = `${report.platforms[platformId].label}: cases that only move bytes`;
  return el(
      'figure', {class: 'chart'}, el('figcaption', {}, el('strong', {}, title)),
      sortableTable({caption: title, columns, rows}).node);
}

function rooflineSection(report) {
  const roofs = report.compared.map((id) => roofline(report, id)).filter(Boolean);
  const bars = report.compared.map((id) => bandwidthBars(report, id)).filter(Boolean);
  if (!roofs.length && !bars.length) return null;
  return [
    el('p', {class: 'lead'},
       'Flops and bytes are those the algorithm must do and move. Lines are the ceilings that were ' +
           'measured beside the cases, medians over them. Large dots are the best variants of their ' +
           'problems; rings worked on rounded inputs.'),
    roofs.length > 0 && el('div', {class: 'grid'}, roofs),
    bars.length > 0 && el('div', {class: 'grid of-tables'}, bars),
  ];
}
