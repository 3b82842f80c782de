// The variants of each problem as bars against the ceiling, platforms side by side.

const ROLES = {
  portable: 'portable, in Kokkos',
  hybrid: 'Kokkos, configured by raw CUDA',
  native: 'raw CUDA',
  library: 'a library',
  bound: 'a bound: does less than the problem'
};

// The scale of the bars of a problem on one platform: shares of the ceiling where it was measured, else the figure
// itself.
function scaleOf(cases) {
  const passed = cases.filter((c) => c.passed);
  const shares = passed.length > 0 && passed.every((c) => c.share);
  const of = (c, value) => (shares ? (c.share * value) / c.value : value);
  const solving = passed.filter((c) => !c.rounded);
  const kept = solving.length ? solving : passed;
  const measured = largest([shares ? 1 : 0, ...kept.map((c) => of(c, c.valueHigh))]);
  const models = kept.filter((c) => c.modelValue).map((c) => Math.min(of(c, c.modelValue), 2.5 * measured));
  const most = largest([measured, ...models]);
  const at = (share) => Math.min(100, (100 * share) / (most * 1.02));
  return {of, at, shares, most};
}

function variantBar(c, {of, at, shares, most}) {
  const [low, value, high] = [c.valueLow, c.value, c.valueHigh].map((v) => at(of(c, v)));
  const model = c.modelValue && of(c, c.modelValue);
  const beyond = of(c, c.value) > most * 1.001;
  return el(
      'span', {class: 'bar', 'aria-hidden': 'true'}, el('i', {
        class: `fill role-${c.role} ${c.best ? 'is-best' : ''} ${beyond ? 'is-beyond' : ''}`,
        style: {width: `${value}%`}
      }),
      shares && el('i', {class: 'limit', style: {left: `${at(1)}%`}}),
      !beyond && el('i', {class: 'whisker', style: {left: `${low}%`, width: `${Math.max(0, high - low)}%`}}),
      model && at(model) < 100 && el('i', {class: 'model', style: {left: `${at(model)}%`}}));
}

const starred = (c) => (c.best ? [el('span', {class: 'star', 'aria-hidden': 'true'}, '★ '), unseen('best: ')] : '');
const becameOf = (c) => el(
    'span', {class: c.outcome === 'skipped' || c.outcome === 'not run' ? 'muted' : 'bad'}, `${c.outcome}: ${c.reason}`);

const rateText = (value, unit) => (unit === 'ns' ? shortTime(value) : plain(value));

// The columns of a table on one platform, as the program prints it: those that no case fills are left out.
function columnsOf(cases, unit, ceiling, bar) {
  const passed = cases.filter((c) => c.passed);
  return [
    {
      label: unit === 'ns' ? 'Time (shorter is better)' :
          ceiling          ? `Share of ${ceiling}` :
                             'Rate',
      className: 'bars',
      cell: bar
    },
    {label: unit === 'ns' ? 'one operation' : unit, width: 7, cell: (c) => caseLink(c, rateText(c.value, unit))},
    {label: `of ${ceiling}`, width: 6, has: (c) => c.share, cell: (c) => percent(c.share)},
    {
      label: 'model',
      width: 9,
      has: (c) => c.modelValue,
      cell: (c) => [rateText(c.modelValue, unit), el('small', {}, ` ${c.limiter}`)]
    },
    {label: 'achieved', width: 5, has: (c) => c.achieved, cell: (c) => c.achieved.toFixed(2)},
    {label: '±', width: 5.5, cell: (c) => `${(100 * c.spread).toFixed(2)} %`},
    {label: 'n', width: 3.2, cell: (c) => String(c.count)},
    {label: 'remarks', className: 'remarks', has: (c) => c.remarks, cell: (c) => c.remarks},
  ].filter(({has}) => !has || passed.some(has))
      .map((column) => ({className: 'number', ...column}));
}

// On several platforms: a bar and a figure for each.
function pairOf(unit, ceiling, bar) {
  return [
    {label: ceiling ? `Share of ${ceiling}` :
         unit === 'ns' ? 'Time' :
                         'Rate',
     className: 'bars',
     cell: bar},
    {
      label: unit === 'ns' ? 'one operation' : unit,
      className: 'number',
      width: 8.6,
      cell:
          (c) => [starred(c), caseLink(c, rateText(c.value, unit)), c.share && el('small', {}, ` ${percent(c.share)}`)]
    },
  ];
}

function ceilingsText(cases) {
  const some = cases.find((c) => c.passed);
  const known = some ? ['copy', 'read', 'fma'].filter((name) => some.ceilings[name]) : [];
  return known.map((name) => `${name} ${figure(some.ceilings[name], name === 'fma' ? 'GFLOP/s' : 'GB/s')}`).join(', ');
}

function problemTable(report, task, platforms) {
  const [pattern, type, keys] = report.tasks[task];
  const unit = report.patterns[pattern][0];
  const cases = report.byTask.get(task).filter((c) => platforms.includes(c.platformId));
  const on = (id) => cases.filter((c) => c.platformId === id);
  const scales = new Map(platforms.map((id) => [id, scaleOf(on(id))]));
  const single = platforms.length === 1;
  const ceiling = [...scales.values()].every((scale) => scale.shares) ? report.patterns[pattern][1] : '';
  const bar = (c) => variantBar(c, scales.get(c.platformId));
  const columns = single ? columnsOf(cases, unit, ceiling, bar) : pairOf(unit, ceiling, bar);
  const cells = (c) => {
    if (c && c.passed)
      return columns.map(
          (column) =>
              el('td', {class: column.className},
                 (column.has && !column.has(c)) ? (column.className === 'number' ? '–' : '') : column.cell(c)));
    return el('td', {colspan: columns.length, class: c ? 'wide' : 'muted'}, c ? becameOf(c) : 'not in this run');
  };
  const title = [type, keys].filter(Boolean).join(' ');
  const columnHeads =
      platforms.flatMap(() => columns.map((column) => el('th', {scope: 'col', class: column.className}, column.label)));
  const widths =
      platforms.flatMap(() => columns.map(({width}) => el('col', {style: width ? {width: `${width}rem`} : {}})));
  return el(
      'article', {class: 'problem'},
      el('h3', {}, `${pattern} `, el('span', {}, title),
         single && el('small', {}, ` ${report.platforms[platforms[0]].space}`)),
      single && el('p', {class: 'muted ceilings'}, ceilingsText(cases)),
      el('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': `Variants of ${pattern} ${title}`},
         el('table', {class: single ? 'bars-one' : 'bars-many', style: {'--platforms': platforms.length}},
            el('caption', {class: 'unseen'}, `Variants of ${pattern} ${title}`),
            el('colgroup', {}, el('col', {class: 'col-name'}), widths),
            el('thead', {},
               !single &&
                   el('tr', {}, el('td', {}),
                      platforms.map(
                          (id) =>
                              el('th', {colspan: 2, scope: 'colgroup'}, report.platforms[id].label,
                                 el('small', {class: 'block'}, ceilingsText(on(id)))))),
               el('tr', {}, el('th', {scope: 'col'}, 'Variant'), columnHeads)),
            el('tbody', {},
               [...groupBy(cases, (c) => c.solution)].map(
                   ([solution, some]) =>
                       el('tr', {},
                          el('th', {scope: 'row'}, single && starred(some[0]), solution,
                             some[0].role === 'bound' && el('small', {}, ' bound')),
                          platforms.map((id) => cells(some.find((c) => c.platformId === id)))))))));
}

function variantsSection(report) {
  const measured = report.cases.filter((c) => c.passed);
  if (!measured.length) return null;
  const byPattern = groupBy([...new Set(measured.map((c) => c.task))], (task) => report.tasks[task][0]);
  let pattern = byPattern.keys().next().value;
  let wanted = '';
  let shown = 4;
  const list = el('div', {class: 'problems'});
  const status = el('span', {class: 'muted', role: 'status'});
  const more = button('', () => ((shown += 12), fill()));
  function fill() {
    const found = byPattern.get(pattern).filter(
        (task) => wanted.split(' ').every((word) => report.tasks[task].join(' ').includes(word)));
    list.replaceChildren(...found.slice(0, shown).map((task) => {
      const cases = report.byTask.get(task);
      return problemTable(
          report, task, report.compared.filter((id) => cases.some((c) => c.platformId === id && c.passed)));
    }));
    const left = Math.max(0, found.length - shown);
    status.textContent = `${count(found.length, 'problem')}${left ? `, ${shown} shown` : ''}`;
    more.textContent = `Show ${Math.min(12, left)} more`;
    more.hidden = !left;
  }
  const select = choice(
      'Pattern', [...byPattern].map(([name, tasks]) => [name, `${name} (${tasks.length})`]),
      (name) => ((pattern = name), (shown = 4), fill()));
  const search = el('label', {class: 'choice'}, el('span', {}, 'Problem'), el('input', {
                      type: 'search',
                      placeholder: 'e.g. f64 4096',
                      oninput: (event) => ((wanted = event.target.value.trim()), (shown = 4), fill())
                    }));
  fill();
  return [
    el('p', {class: 'lead'},
       'The variants of a problem share its buffers and were sampled in alternation. The ceiling was ' +
           'measured in the same rounds. ★ marks the fastest that solves the problem; the others are ' +
           'paler.'),
    el('div', {class: 'controls'}, select, search, status),
    legendOf([
      ...[...new Set(measured.map((c) => c.role))].map((role) => [ROLES[role] || role, `fill role-${role}`]),
      ['95 % interval of the median', 'is-whisker'],
      ['model', 'is-model-tick'],
      ['ceiling', 'is-limit'],
    ]),
    list,
    el('div', {class: 'pager'}, more),
  ];
}
