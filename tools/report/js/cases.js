// All cases in a table with search and filters, one case in a panel of its own, and the cases without a figure by
// reason.

function casesSection(report) {
  const several = report.platforms.length > 1;
  const columns = [
    {label: 'Case', value: (c) => c.name, cell: (c) => [starred(c), caseLink(c)], className: 'name'},
    several && {label: 'Platform', value: (c) => c.platform.label},
    {label: 'Outcome', value: (c) => c.outcome, cell: (c) => badge(c.outcome)},
    {label: 'Time', value: (c) => c.time, cell: (c) => c.passed && shortTime(c.time), numeric: true},
    {
      label: 'Figure',
      value: (c) => c.value,
      cell: (c) => c.passed && figure(c.value, c.unit),
      numeric: true,
      descending: true
    },
    {
      label: 'Of ceiling',
      value: (c) => c.share,
      cell: (c) => c.share && [percent(c.share), el('small', {}, ` ${c.ceilingName}`)],
      numeric: true,
      descending: true
    },
    {
      label: 'Achieved',
      value: (c) => c.achieved,
      cell: (c) => c.achieved && c.achieved.toFixed(2),
      numeric: true,
      descending: true,
      help: 'measured / model'
    },
    {
      label: '±',
      value: (c) => c.spread,
      cell: (c) => c.passed && `${(100 * c.spread).toFixed(2)} %`,
      numeric: true,
      descending: true,
      help: 'half the 95 % interval of the median'
    },
    {label: 'n', value: (c) => c.count, numeric: true, descending: true, help: 'samples'},
    {label: 'Remarks', value: (c) => c.remarks || c.reason, className: 'remarks'},
  ].filter(Boolean);
  const table =
      sortableTable({caption: 'All cases', columns, rows: report.cases, pageSize: 50, emptyText: 'No case fits.'});
  const outcomes = new Set(report.cases.map((c) => c.outcome));
  const wanted = {text: '', outcomes: new Set(outcomes), pattern: '', platform: ''};
  const found = el('p', {class: 'muted', role: 'status'});
  const haystack = (c) => `${c.name} ${c.platform.label} ${c.remarks} ${c.reason} ${c.role}`.toLowerCase();

  function apply() {
    const words = wanted.text.toLowerCase().split(/\s+/).filter(Boolean);
    const some = report.cases.filter(
        (c) => wanted.outcomes.has(c.outcome) && (!wanted.pattern || c.pattern === wanted.pattern) &&
            (wanted.platform === '' || c.platformId === Number(wanted.platform)) &&
            words.every((word) => haystack(c).includes(word)));
    found.textContent = `${thousands(String(some.length))} of ${count(report.cases.length, 'case')}`;
    table.show(some);
  }
  const boxes =
      el('fieldset', {class: 'boxes'}, el('legend', {}, 'Outcome'),
         OUTCOMES.filter((word) => outcomes.has(word))
             .map(
                 (word) =>
                     el('label', {}, el('input', {
                          type: 'checkbox',
                          checked: true,
                          value: word,
                          onchange: (event) =>
                              (event.target.checked ? wanted.outcomes.add(word) : wanted.outcomes.delete(word), apply())
                        }),
                        ` ${word}`)));
  const search = el('label', {class: 'choice'}, el('span', {}, 'Search'), el('input', {
                      type: 'search',
                      id: 'search',
                      placeholder: 'e.g. transpose f64 noisy',
                      oninput: (event) => ((wanted.text = event.target.value), apply())
                    }));
  const pattern = choice(
      'Pattern', [['', 'all'], ...Object.keys(report.patterns).map((p) => [p, p])],
      (value) => ((wanted.pattern = value), apply()));
  const platform = several &&
      choice('Platform', [['', 'all'], ...report.platforms.map((p, id) => [String(id), p.label])],
             (value) => ((wanted.platform = value), apply()));
  apply();
  return [el('div', {class: 'controls'}, search, pattern, platform, boxes), found, table.node];
}

// ---- one case

const panel = el('dialog', {class: 'panel', 'aria-labelledby': 'panel-title'});
panel.addEventListener('click', (event) => event.target === panel && panel.close());

// Times as points: in their order from `first` on, or as quantiles where not all are in the page. `band`: around the
// median.
function timeStrip({what, one, first, of, band, text}) {
  const times = timesOf(of);
  const every = of.count === times.length;
  const draw = (width) => {
    const [left, right, top, bottom] = [76, width - 12, 22, 190];
    const room = (of.slowest - of.fastest) * 0.08 || of.time * 0.01;
    const last = first + Math.max(1, times.length - 1);
    const x = linear(every ? first : 0, every ? last : 100, left + 8, right - 4);
    if (every) x.ticks = x.ticks.filter(Number.isInteger);
    const y = linear(of.fastest - room, of.slowest + room, bottom, top);
    const unit = TIMES.find(([least]) => of.time >= least) || [1, 'ns'];
    const step = y.ticks.length > 1 ? (y.ticks[1] - y.ticks[0]) / unit[0] : 1;
    const decimals = Math.max(0, Math.min(6, -Math.floor(Math.log10(step) + 1e-9)));
    return canvas(
        width, bottom + 40,
        xAxis(x, bottom, top, String, every ? `${one}, in order` : `% of the ${what} are faster`, right),
        yAxis(y, left, right, (t) => (t / unit[0]).toFixed(decimals), unit[1]),
        band && svg('rect', {
          x: left,
          width: right - left,
          y: y(band[1]),
          height: Math.max(1, y(band[0]) - y(band[1])),
          class: 'band'
        }),
        svg('line', {x1: left, x2: right, y1: y(of.time), y2: y(of.time), class: 'median'}),
        times.map(
            (t, i) =>
                svg('circle',
                    {cx: x(every ? first + i : (100 * i) / (times.length - 1)), cy: y(t), r: 3, class: 'mark c0'})));
  };
  return chart({
    title: every ? `Every ${one} (${of.count})` : `${times.length} quantiles of ${count(of.count, one)}`,
    text,
    draw,
    table: () => el('p', {class: 'samples'}, times.map(exactTime).join(', ')),
  });
}

const sampleStrip = (c) => timeStrip({
  what: 'samples',
  one: 'sample',
  first: 1,
  of: c,
  band: [c.low, c.high],
  text: `median ${exactTime(c.time)}, its 95 % interval shaded`
});

const rankStrip = (c) => timeStrip({
  what: 'ranks',
  one: 'rank',
  first: 0,
  of: c.ranks,
  text: `each with its own median; fastest ${exactTime(c.ranks.fastest)}, median ${exactTime(c.ranks.time)}, slowest ${
      exactTime(c.ranks.slowest)}`
});

function openCase(c) {
  const facts = [
    ['outcome', c.outcome], ['reason', c.reason], ['remarks', c.remarks], ['role', ROLES[c.role] || c.role],
    ['platform', c.platform.label]
  ];
  if (c.passed) {
    facts.push(
        ['figure', figure(c.value, c.unit)],
        ['median time', `${exactTime(c.time)}; its 95 % interval: ${exactTime(c.low)} to ${exactTime(c.high)}`]);
    facts.push(['fastest, slowest', `${exactTime(c.fastest)}, ${exactTime(c.slowest)}`]);
    if (c.share) facts.push([`share of ${c.ceilingName}`, percent(c.share)]);
    for (const name of ['copy', 'read', 'fma'])
      if (c.ceilings[name])
        facts.push([`ceiling ${name}`, figure(c.ceilings[name], name === 'fma' ? 'GFLOP/s' : 'GB/s')]);
    if (c.modelValue)
      facts.push([
        'model', `${figure(c.modelValue, c.unit)}, limited by ${c.limiter}; measured / model ${c.achieved.toFixed(2)}`
      ]);
    if (c.bytes) facts.push(['bytes it must move', shortBytes(c.bytes)]);
    if (c.flops) facts.push(['flops', c.flops.toExponential(3)]);
  }
  facts.push(...c.details);
  panel.replaceChildren(
      el('div', {class: 'panel-head'}, el('h2', {id: 'panel-title'}, c.name),
         button('Close', () => panel.close(), {autofocus: true})),
      c.passed && sampleStrip(c) || '', c.ranks && rankStrip(c) || '',
      el('dl', {class: 'facts'},
         facts.filter(([, text]) => text).map(([what, text]) => [el('dt', {}, what), el('dd', {}, String(text))])));
  panel.showModal();
}

// ---- cases without a figure

function missingSection(report) {
  const missing = report.cases.filter((c) => !c.passed);
  if (!missing.length) return null;
  const rank = (c) => ['FAILED', 'error', 'not run', 'skipped'].indexOf(c.outcome);
  const groups = [...groupBy(missing, (c) => `${c.outcome}\n${c.reason}`).values()].sort(
      (a, b) => rank(a[0]) - rank(b[0]) || b.length - a.length);
  const columns = [
    {label: 'Reason', value: (g) => g[0].reason || 'no reason given', className: 'wide'},
    {label: 'Outcome', value: (g) => rank(g[0]), cell: (g) => badge(g[0].outcome)},
    {label: 'Cases', value: (g) => g.length, numeric: true, descending: true},
    {
      label: 'Which',
      cell: (g) => disclosure(
          [...new Set(g.map((c) => `${c.pattern} on ${c.platform.space}`))].join(', '),
          () => el('ul', {class: 'names'}, g.map((c) => el('li', {}, c.name)))),
      className: 'wide'
    },
  ];
  return [
    el('p', {class: 'lead'},
       'A case that FAILED gave a wrong result and has no figure. A skipped one has no meaning, or ' +
           'something it needs is missing.'),
    sortableTable({caption: 'Cases without a figure, by reason', columns, rows: groups, pageSize: 20}).node,
  ];
}
