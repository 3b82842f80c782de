// A table that can be sorted by each column and shows a page of its rows at a time.
// columns: [{label, value(row), cell(row)?, numeric?, descending?, help?, group?}]; value is what is sorted by, cell
// what is shown; neighbours of one group have a heading in common.

function sortableTable(
    {caption, columns, rows, pageSize = 50, sorted = null, emptyText = 'Nothing here.', rowHeader = 0}) {
  let shown = rows;
  let size = pageSize;
  let order = sorted;  // {column, descending}
  const body = el('tbody');
  const status = el('span', {class: 'muted', role: 'status'});
  const more = button('', () => ((size += pageSize), fill()));
  const all = button('Show all', () => ((size = Infinity), fill()));
  const heads = columns.map(
      (column, i) =>
          el('th', {scope: 'col', class: column.numeric ? 'number' : column.className},
             column.value ? button(column.label, () => sortBy(i), {class: 'sort', title: column.help}) : column.label));
  const table =
      el('table', {}, el('caption', {class: 'unseen'}, caption),
         el('thead', {}, groupHeads(columns), el('tr', {}, heads)), body);

  function sortBy(i) {
    const descending = order && order.column === i ? !order.descending : Boolean(columns[i].descending);
    order = {column: i, descending};
    fill();
  }

  function inOrder() {
    if (!order) return shown;
    const {value} = columns[order.column];
    const sign = order.descending ? -1 : 1;
    const missing = (x) => x === undefined || x === null || x === '';
    return [...shown].sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      if (missing(x) || missing(y)) return missing(x) - missing(y);  // always last
      return sign *
          (typeof x === 'number' && typeof y === 'number' ? x - y :
                                                            String(x).localeCompare(String(y), 'en', {numeric: true}));
    });
  }

  function rowOf(row) {
    return el('tr', {}, columns.map((column, i) => {
      const content = column.cell ? column.cell(row) : column.value(row);
      return el(
          i === rowHeader ? 'th' : 'td',
          {class: column.numeric ? 'number' : column.className, scope: i === rowHeader && 'row'},
          content === undefined || content === null || content === '' || content === false ?
              (column.numeric ? '–' : '') :
              content);
    }));
  }

  function fill() {
    heads.forEach((head, i) => {
      if (order && order.column === i)
        head.setAttribute('aria-sort', order.descending ? 'descending' : 'ascending');
      else
        head.removeAttribute('aria-sort');
    });
    const visible = inOrder().slice(0, size);
    body.replaceChildren(...visible.map(rowOf));
    if (!visible.length) body.append(el('tr', {}, el('td', {colspan: columns.length, class: 'muted'}, emptyText)));
    const left = shown.length - visible.length;
    status.textContent = left ? `${thousands(String(visible.length))} of ${thousands(String(shown.length))} rows` : '';
    more.textContent = `Show ${Math.min(left, pageSize)} more`;
    more.hidden = all.hidden = left <= 0;
  }

  fill();
  const node = el(
      'div', {class: 'table'}, el('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption}, table),
      el('div', {class: 'pager'}, status, more, all));
  return {
    node,
    show(some) {
      shown = some;
      size = pageSize;
      fill();
    },
  };
}

function groupHeads(columns) {
  if (!columns.some((column) => column.group)) return null;
  const cells = [];
  columns.forEach(({group}, i) => {
    if (i && columns[i - 1].group === group) return;
    const span = columns.slice(i).findIndex((column) => column.group !== group);
    cells.push(
        el(group ? 'th' : 'td',
           {colspan: span < 0 ? columns.length - i : span, scope: group && 'colgroup', class: group && 'group'},
           group || ''));
  });
  return el('tr', {}, cells);
}
