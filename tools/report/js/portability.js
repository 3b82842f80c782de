// What portability costs on one platform, and what it reaches over several.

// All ratios of an idea as dots, their median as a large one.
function ratioStrip(scale, ratios, middle) {
  const step =
      Math.max(1, Math.ceil(ratios.length / 60));  // 60 dots are enough; the lowest and the highest are among them
  const some = ratios.filter((_, i) => i % step === 0 || i === ratios.length - 1);
  return el(
      'span', {class: 'reached', 'aria-hidden': 'true'}, el('i', {class: 'asked'}),
      some.map((ratio) => el('i', {class: 'dot', style: {left: `${scale.at(ratio)}%`}})),
      el('i', {class: 'point', style: {left: `${scale.at(middle)}%`}}));
}

function priceSection(report) {
  if (!report.price.length) return null;
  const several = new Set(report.price.map((p) => p.platform)).size > 1;
  const lowest = (p) => p.ratios[0];
  const scale = ratioScale(report.price.flatMap((p) => p.ratios.map(([ratio]) => ratio)));
  const columns = [
    {
      label: 'Idea',
      value: (p) => `${p.pattern} ${p.portable} ${p.type}`,
      cell: (p) => [el('b', {}, `${p.pattern} ${p.portable}`), ` ${p.type}`]
    },
    {label: 'Against', value: (p) => p.native},
    {label: scale.text, cell: (p) => ratioStrip(scale, p.ratios.map(([ratio]) => ratio), p.median)},
    {label: 'Median', value: (p) => p.median, cell: (p) => p.median.toFixed(3), numeric: true},
    {
      label: 'Lowest',
      value: (p) => lowest(p)[0],
      cell: (p) => caseLink(report.cases[lowest(p)[1]], lowest(p)[0].toFixed(3)),
      numeric: true
    },
    {label: 'Cases', value: (p) => p.ratios.length, numeric: true},
  ];
  if (several) columns.splice(1, 0, {label: 'Platform', value: (p) => report.platforms[p.platform].label});
  return [
    el('p', {class: 'lead'},
       'Native time over portable time. At 1 Kokkos costs nothing; to the left of it the native kernel is faster.'),
    sortableTable({caption: 'The price of portability', columns, rows: report.price, pageSize: 15}).node,
  ];
}

const efficiency = (name, value) => el(name, {class: value ? '' : 'muted'}, value ? percent(value) : '0');
const thinBar = (share) => el('i', {style: {width: `${Math.min(100, 100 * share)}%`}});

// The efficiencies on each platform and Φ over them, as a bar.
function efficiencyColumns(report, kind, group) {
  const phi = (r) => (r[kind] ? r[kind].mean : null);
  const numbers = {numeric: true, descending: true, group};
  return [
    ...report.compared.map((id, i) => ({
                             ...numbers,
                             label: report.platforms[id].label,
                             value: (r) => r[kind] && r[kind].each[i],
                             cell: (r) => r[kind] && efficiency('span', r[kind].each[i]),
                           })),
    {
      ...numbers,
      label: 'Φ',
      value: phi,
      cell: (r) => phi(r) !== null &&
          [
            efficiency('b', phi(r)),
            el('span', {class: 'thin-bar', 'aria-hidden': 'true'}, thinBar(phi(r))),
          ],
    },
  ];
}

function portabilitySection(report) {
  if (report.compared.length < 2) return null;
  const lead =
      el('p', {class: 'lead'},
         'Φ is the harmonic mean of a variant\'s efficiency over the platforms, and 0 where one of them ' +
             'lacks the variant. ',
         el('b', {}, 'Architecture'), ': its share of the ceiling. ', el('b', {}, 'Application'),
         ': its share of the best variant\'s rate. ',
         'A pattern is judged on the problems that every platform has solved, by the harmonic mean over ' +
             'them. Bounds and variants that round their inputs are left out.');
  if (!report.portability.length)
    return [lead, el('p', {}, 'No problem was solved on all of these platforms, so there is nothing to compare.')];
  const columns = [
    {
      label: 'Variant',
      value: (r) => `${r.pattern} ${r.variant}`,
      cell: (r) => [el('b', {}, r.pattern), ` ${r.variant}`],
      className: 'tight'
    },
    {label: 'Role', value: (r) => r.role},
    {label: 'Problems', value: (r) => r.problems, numeric: true},
    ...efficiencyColumns(report, 'architecture', 'Architectural efficiency'),
    ...efficiencyColumns(report, 'application', 'Application efficiency'),
  ];
  return [
    lead,
    sortableTable({caption: 'Performance portability', columns, rows: report.portability, pageSize: 30}).node,
    el('p', {class: 'note'},
       'S. J. Pennycook, J. D. Sewall and V. W. Lee: “A metric for performance portability”, 2016, ' +
           'arXiv:1611.07409; and “Implications of a metric for performance portability”, Future ' +
           'Generation Computer Systems 92, 2019.'),
  ];
}
