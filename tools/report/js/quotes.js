// What tutorials published, beside the same kernels here.

function quotesSection(report) {
  if (!report.quotes.length) return null;
  const several = new Set(report.quotes.map((q) => q.platform)).size > 1;
  const inUnit = (value, unit) => (unit === 'x' ? `${value.toFixed(2)}×` : `${plain(value)} ${unit}`);
  const times = (factor) => (factor ? `${digits(factor, 3)}×` : '–');
  const both = (q) => q.hardware && q.rewriting && q.hardware * q.rewriting;
  const numbers = {numeric: true, descending: true};
  const columns = [
    {
      label: 'The tutorial\'s kernel',
      value: (q) => report.cases[q.case].name,
      cell: (q) => [caseLink(report.cases[q.case]), q.over && ` against ${q.over}`],
      className: 'name'
    },
    {label: 'Its GPU', value: (q) => (q.peak ? `${q.device}, data sheet` : q.device)},
    {label: 'Then', value: (q) => q.then, cell: (q) => inUnit(q.then, q.unit), numeric: true},
    {label: 'Here', value: (q) => q.here, cell: (q) => inUnit(q.here, q.unit), numeric: true},
    {...numbers, label: 'Hardware', value: (q) => q.hardware || 0, cell: (q) => times(q.hardware)},
    {
      ...numbers,
      label: 'Rewriting',
      value: (q) => q.rewriting || 0,
      cell: (q) => (q.rewriting ? caseLink(report.cases[q.best], times(q.rewriting)) : '–')
    },
    {...numbers, label: 'Then to now', value: (q) => both(q) || 0, cell: (q) => times(both(q))},
  ];
  if (several) columns.splice(1, 0, {label: 'Platform', value: (q) => report.platforms[q.platform].label});
  return [
    el('p', {class: 'lead'}, 'Figures that tutorials published, beside those of the same kernels here. ',
       el('b', {}, 'Hardware'), ': how many times as fast the tutorial\'s kernel is on this GPU as on its own. ',
       el('b', {}, 'Rewriting'),
       ': how many times as fast as that the best portable variant of the problem is, both on this GPU. ',
       'Their product is the way from then to now. A ratio of two kernels and the peak of a data sheet have no such way.'),
    sortableTable({caption: 'Then and now', columns, rows: report.quotes, pageSize: 15}).node,
  ];
}
