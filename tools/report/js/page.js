// Puts the page together. Each section is made from the data when the page is read; nothing is fetched.

function notesSection(report) {
  const cut = report.cases.filter((c) => c.passed && c.count > report.sampleLimit).length;
  const total = report.cases.filter((c) => c.passed).length;
  const notes = [
    'Every figure has verified output behind it. Bytes are those the algorithm must move, read and ' +
        'written; 1 GB is 1e9 bytes.',
    `Embedded: figures with five digits, and the samples of a case as one of 4096 steps between its ` +
        `fastest and its slowest. ` +
        (cut ? `${thousands(String(total - cut))} cases have every sample; ${thousands(String(cut))} have more than ${
                   thousands(String(report.sampleLimit))} and are embedded as so many quantiles.` :
               `All ${thousands(String(total))} cases with a figure have every sample.`),
    'Not embedded: the samples of the yardsticks, and of a case\'s kernels all but the main one. ' +
        'They are in the result document.',
    'This page is one file. It loads nothing and sends nothing.',
  ];
  return el('ul', {}, notes.map((note) => el('li', {}, note)));
}

// id, title, the shorter title in the list of sections, what makes it: nothing where the data have nothing for it.
const SECTIONS = [
  ['summary', 'Summary', 'Summary', summarySection],
  ['rules', 'Rules', 'Rules', rulesSection],
  ['variants', 'Variants', 'Variants', variantsSection],
  ['curves', 'Curves', 'Curves', curvesSection],
  ['roofline', 'Roofline', 'Roofline', rooflineSection],
  ['quotes', 'Then and now', 'Then and now', quotesSection],
  ['price', 'Price of portability', 'Price', priceSection],
  ['portability', 'Performance portability', 'Portability', portabilitySection],
  ['cases', 'All cases', 'Cases', casesSection],
  ['missing', 'Cases without a figure', 'Not measured', missingSection],
  ['machines', 'Machines and builds', 'Machines', machinesSection],
  ['notes', 'About this page', 'About', notesSection],
];

function themeSwitch() {
  const isDark = () => (document.documentElement.dataset.theme ||
                        (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
  const toggle = button('', () => {
    document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
    say();
  }, {id: 'theme'});
  const say = () => (toggle.textContent = isDark() ? 'Light' : 'Dark');
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', say);
  toggle.setAttribute('title', 'Switch between light and dark');
  say();
  return toggle;
}

function heading(report) {
  const titles = [...new Set(report.documents.map((run) => run.title))];
  const machines = [...new Set(report.compared.map((id) => report.platforms[id].device))];
  document.title = `${titles.join(', ')} · tilestride`;
  return [
    el('h1', {}, titles.join(', ') || 'tilestride'),
    el('p', {class: 'subtitle'}, `Results of tilestride on ${machines.join(', ') || 'no machine'}`)
  ];
}

const theReport = decode(JSON.parse(document.getElementById('data').textContent));
theReport.byTask = groupBy(theReport.cases, (c) => c.task);

const main = document.querySelector('main');
const nav = document.querySelector('nav ul');
document.querySelector('header .titles').append(...heading(theReport));
document.querySelector('nav').append(themeSwitch());
for (const [id, title, brief, make] of SECTIONS) {
  const content = make(theReport);
  if (!content) continue;
  main.append(
      put(el('section', {id, 'aria-labelledby': `${id}-title`},
             el('h2', {id: `${id}-title`, class: id === 'summary' ? 'unseen' : ''}, title)),
          {}, [content]));
  nav.append(el('li', {}, el('a', {href: `#${id}`}, brief)));
}
document.body.append(panel);
