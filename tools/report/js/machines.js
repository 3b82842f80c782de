// Machines and builds side by side; what differs is marked.

function factsTable(caption, runs, factsOf) {
  const facts = runs.map((run) => new Map(factsOf(run)));
  const names = [...new Set(facts.flatMap((some) => [...some.keys()]))];
  if (!names.length) return null;
  const text = (value) => (value === undefined ? '–' : value === '' ? '(empty)' : String(value));
  return [
    el('h3', {}, caption),
    el('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption},
       el('table', {class: 'facts-table'}, el('caption', {class: 'unseen'}, caption),
          runs.length > 1 &&
              el('thead', {}, el('tr', {}, el('td', {}), runs.map((run) => el('th', {scope: 'col'}, run.file)))),
          el('tbody', {}, names.map((name) => {
            const values = facts.map((some) => text(some.get(name)));
            const differs = new Set(values).size > 1;
            return el(
                'tr', {class: differs ? 'differs' : ''},
                el('th', {scope: 'row'}, name, differs && unseen(' (differs)')),
                values.map((value) => el('td', {}, value)));
          })))),
  ];
}

const flat = (prefix, object) => Object.entries(object || {}).map(([name, value]) => [prefix + name, value]);

function programFacts(run) {
  return Object.entries(run.programs).flatMap(([name, program]) => {
    const prefix = Object.keys(run.programs).length > 1 ? `${name}: ` : '';
    return [
      ...flat(prefix, program.build),
      ...flat(prefix, program.spaces).filter(([what]) => !what.endsWith('Kokkos configuration'))
    ];
  });
}

function influenceFacts(run) {
  const {influences} = run;
  if (!influences) return [['recorded', 'no: the document is from before they were']];
  const unseen = flat('', influences.unseen).map(([name, value]) => `${name}=${value}`);
  return [
    ['variables that change figures unseen', unseen.join(', ') || 'none'],
    ['kept from the workers', influences.clean_environment ? 'yes' : 'no'],
    ['tools, profilers and debuggers', (influences.tools || []).join(', ') || 'none'],
  ];
}

function runFacts(run) {
  const spent = run.spent || {};
  const facts = [['title', run.title], ['started', run.started], ['finished', run.finished], ['status', run.status]];
  if (run.only) facts.push(['only cases named', run.only]);
  if ((run.kokkos_flags || []).length) facts.push(['Kokkos flags', run.kokkos_flags.join(' ')]);
  for (const [name, what] of [
           ['seconds', 'the run took'], ['sampling', 'sampling'], ['warming_up', 'warming up'],
           ['preparing', 'preparing'], ['verifying', 'verifying']])
    if (typeof spent[name] === 'number') facts.push([what, shortTime(spent[name] * 1e9)]);
  return facts;
}

function machinesSection(report) {
  const runs = report.documents;
  return [
    runs.length > 1 && el('p', {class: 'lead'}, 'Rows in which the runs differ are marked with a bar.'),
    factsTable('Machine', runs, (run) => flat('', run.machine)),
    factsTable('Programs and devices', runs, programFacts),
    factsTable('Environment of the workers', runs, (run) => flat('', run.environment)),
    factsTable('What may change figures unseen', runs, influenceFacts),
    factsTable('Run', runs, runFacts),
    runs.map(
        (run) => run.deck && disclosure(`Deck of ${run.file}, as resolved`, () => el('pre', {tabindex: 0}, run.deck))),
    runs.map(
        (run) => Object.entries(run.programs)
                     .map(
                         ([name, program]) => program.spaces && program.spaces['Kokkos configuration'] &&
                             disclosure(`Kokkos configuration of ${name}, ${run.file}`,
                                        () => el('pre', {tabindex: 0}, program.spaces['Kokkos configuration'])))),
  ];
}
