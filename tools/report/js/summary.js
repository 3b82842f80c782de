// The head of the page: what ran, how it ended, and how close the best variants come to the hardware.

const OUTCOMES = ['passed', 'FAILED', 'error', 'skipped', 'not run'];
const JUDGEMENTS = ['NOT MET', 'met within noise', 'met', 'skipped'];
const classOf = (word) => `is-${word.toLowerCase().replaceAll(' ', '-')}`;
const badge = (word) => el('span', {class: `badge ${classOf(word)}`}, word);

// A bar divided by counts, with the counts in words below it.
function stackedBar(parts, what) {
  const some = parts.filter(([, n]) => n > 0);
  return el(
      'div', {class: 'stack'},
      el('div', {class: 'stack-bar', 'aria-hidden': 'true'},
         some.map(([word, n]) => el('span', {class: classOf(word), style: {'flex-grow': n}}))),
      el('p', {class: 'stack-words'}, el('b', {}, what), ' ',
         some.map(
             ([word, n],
              i) => [i ? ' · ' : '', el('i', {class: `key ${classOf(word)}`}), `${thousands(String(n))} ${word}`])));
}

function summaryCard(run, number, report) {
  const status = (run.status.match(/RUN STATUS: (\w+)/) || ['', run.status])[1];
  const here = report.platforms.filter((p) => p.document === number);
  const measured = here.filter((p) => p.passed);
  const outcomes = OUTCOMES.map((word) => [word, run.outcomes[word] || 0]);
  const rules = JUDGEMENTS.map((word) => [word, run.rules.filter(([judgement]) => judgement === word).length]);
  const total = outcomes.reduce((sum, [, n]) => sum + n, 0);
  return el(
      'article', {class: 'card'},
      el('p', {class: 'card-status'}, badge(status), el('span', {class: 'muted'}, day(run.started))),
      el('h3', {},
         measured.length ? measured.map((p) => p.device).filter((d, i, all) => all.indexOf(d) === i).join(' and ') :
                           run.title),
      el('p', {class: 'muted'},
         `${run.title} · ${(measured.length ? measured : here).map((p) => p.space).join(', ')} · ${run.file}`),
      stackedBar(outcomes, count(total, 'case')),
      run.rules.length > 0 && stackedBar(rules, count(run.rules.length, 'rule')),
      (run.findings.length > 0 || run.mismatch) &&
          el('ul', {class: 'findings'},
             [...run.findings, run.mismatch].filter(Boolean).map((text) => el('li', {}, text))),
      el('p', {class: 'status-line'}, el('code', {}, run.status)));
}

// One row for each pattern and platform, a dot for each problem: the share of the ceiling that its best variant
// reaches. With a single pattern there is a row for each of its variants.
function closeness(report) {
  const ceiling = report.cases.some((c) => c.best && c.share);
  const of = (c) => (ceiling ? c.share : c.achieved);
  const order = Object.keys(report.patterns);
  const single = order.length === 1;
  const shown = (c) => of(c) && (single ? c.role !== 'bound' && !c.rounded : c.best);
  const nameOf = (c) => (single ? c.variant : c.pattern);
  const names = [...new Set(report.cases.map(nameOf))];
  const best = report.cases.filter(shown).sort(
      (a, b) => names.indexOf(nameOf(a)) - names.indexOf(nameOf(b)) || a.platformId - b.platformId);
  if (!best.length) return null;
  const rows = [...groupBy(best, (c) => `${nameOf(c)}\n${c.platformId}`).values()];
  const unit = 22;
  const widest = 2.5;  // what is beyond is drawn at the edge
  const end = Math.min(widest, largest([1, ...best.map(of)]));
  const cut = best.some((c) => of(c) > widest);
  const platforms = [...new Set(best.map((c) => c.platformId))];
  const colour = (id) => `p${platforms.indexOf(id) % 8}`;
  const draw = (width) => {
    const left = Math.min(150, width * 0.3);
    const height = rows.length * unit + 46;
    const x = linear(0, end, left, width - 24);
    if (cut) x.ticks = [...x.ticks.filter((tick) => x(tick) < x(end) - 52), end];
    const lines = rows.map((cases, i) => {
      const y = i * unit + unit / 2 + 2;
      const middle = x(Math.min(end, median(cases.map(of))));
      const first = i === 0 || nameOf(rows[i - 1][0]) !== nameOf(cases[0]);
      return [
        svg('line', {x1: left, x2: width - 24, y1: y, y2: y, class: 'rule'}),
        first && svg('text', {x: left - 10, y: y + 4, 'text-anchor': 'end', class: 'name'}, nameOf(cases[0])),
        cases.map((c) => mark('circle', {cx: x(Math.min(of(c), end)), cy: y, r: 5, class: colour(c.platformId)}, c)),
        svg('line', {x1: middle, x2: middle, y1: y - 8, y2: y + 8, class: 'median'}),
      ];
    });
    return canvas(
        width, height,
        xAxis(
            x, height - 40, 0, (t) => `${cut && t === end ? '≥ ' : ''}${Math.round(t * 100)} %`,
            ceiling ? 'share of the ceiling' : 'share of the model', width - 24),
        svg('line', {x1: x(1), x2: x(1), y1: 0, y2: height - 40, class: 'ceiling'}), lines);
  };
  return chart({
    title: `How close ${single ? 'each' : 'the best'} variant comes to ${ceiling ? 'the ceiling' : 'its model'}`,
    text: ceiling ? 'Each dot is a problem. The ceiling is what the library\'s copy, a read or plain multiply-adds ' +
            'reach in the same rounds; the dark line is the median.' :
                    'Each dot is a problem. These documents hold no measured ceiling, so the model takes its place; ' +
            'the dark line is the median.',
    draw,
    legend: platforms.length > 1 && legendOf(platforms.map((p) => [report.platforms[p].label, colour(p)])),
    table: () => sortableTable({
                   caption: single ? 'Variants and problems' : 'The best variant of each problem',
                   columns: [
                     {label: 'Problem', value: (c) => problemText(c), cell: (c) => caseLink(c, problemText(c))},
                     {label: 'Platform', value: (c) => c.platform.label},
                     {label: 'Variant', value: (c) => c.solution},
                     {
                       label: ceiling ? 'Of the ceiling' : 'Of the model',
                       value: of,
                       cell: (c) => percent(of(c)),
                       numeric: true,
                       descending: true
                     },
                   ],
                   rows: best,
                   pageSize: 20,
                 }).node,
  });
}

const problemText = (c) => [c.pattern, c.type, c.keys].filter(Boolean).join(' ');
const caseLink = (c, text) => button(text || c.name, () => openCase(c), {class: 'link'});

function summarySection(report) {
  const cards = el('div', {class: 'cards'}, report.documents.map((run, number) => summaryCard(run, number, report)));
  const dots = closeness(report);
  return el('div', {class: report.documents.length > 1 || !dots ? '' : 'beside'}, cards, dots);
}

// ---- the rules

// A scale around 1 on which ratios have equal distances: from 1/span to span, a step that holds them, 2 at most.
function ratioScale(ratios) {
  const widest = largest(ratios.filter((r) => r > 0).map((r) => Math.max(r, 1 / r)));
  const span = [1.05, 1.1, 1.25, 1.5].find((step) => widest <= step) || 2;
  const at = (ratio) => Math.min(100, Math.max(0, 50 + (50 * Math.log(ratio || 1e-9)) / Math.log(span)));
  return {at, text: `÷${span}  …  1  …  ×${span}`};
}

function interval(scale, {low, middle, high}) {
  const [from, to] = [scale.at(low), scale.at(high)];
  return el(
      'span', {class: 'reached', 'aria-hidden': 'true'}, el('i', {class: 'asked'}),
      el('i', {class: 'range', style: {left: `${from}%`, width: `${Math.max(0.8, to - from)}%`}}),
      el('i', {class: 'point', style: {left: `${scale.at(middle)}%`}}));
}

function rulesSection(report) {
  const rules = report.documents.flatMap(
      (run, number) => run.rules.map(
          ([judgement, rule, text, low, middle, high, asked]) =>
              ({run, number, judgement, rule, text, low: low / asked, middle: middle / asked, high: high / asked})));
  if (!rules.length) return null;
  const rank = (r) => JUDGEMENTS.indexOf(r.judgement);
  const several = new Set(rules.map((r) => r.number)).size > 1;
  const scale = ratioScale(rules.map((r) => r.middle));
  const columns = [
    {label: 'Verdict', value: rank, cell: (r) => badge(r.judgement)},
    {
      label: 'What was compared',
      value: (r) => r.text,
      cell: (r) => [el('span', {}, r.text), el('code', {class: 'rule-text', title: r.rule}, r.rule)],
      className: 'wide'
    },
    {
      label: 'Reached / asked',
      value: (r) => r.middle,
      numeric: true,
      descending: true,
      cell: (r) => (r.middle ? r.middle.toFixed(3) : '–')
    },
    {label: scale.text, cell: (r) => (r.middle ? interval(scale, r) : '–')},
  ];
  if (several) columns.splice(1, 0, {label: 'Run', value: (r) => r.run.file});
  const table = sortableTable({
    caption: 'The rules of the decks and their verdicts',
    columns,
    rows: rules,
    pageSize: 8,
    sorted: {column: 0, descending: false}
  });
  return [
    el('p', {class: 'lead'},
       'A rule is judged on the 95 % interval of what was reached. It is not met when the whole ' +
           'interval lies below what was asked for.'),
    table.node
  ];
}
