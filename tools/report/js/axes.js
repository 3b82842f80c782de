// Scales and axes of the charts that are drawn as SVG.

function linear(from, to, begin, end) {
  const scale = (x) => begin + ((x - from) / (to - from || 1)) * (end - begin);
  const step = niceStep((to - from) / Math.max(2, Math.abs(end - begin) / 70));
  scale.ticks = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + step * 1e-9; ++i) scale.ticks.push(i * step);
  return scale;
}

function niceStep(rough) {
  const power = 10 ** Math.floor(Math.log10(rough || 1));
  return power * ([1, 2, 5, 10].find((n) => n * power >= rough * 0.999) || 10);
}

function logarithmic(from, to, begin, end, base = 10) {
  const log = (x) => Math.log(x) / Math.log(base);
  const scale = (x) => begin + ((log(x) - log(from)) / (log(to) - log(from) || 1)) * (end - begin);
  scale.ticks = [];
  const every = Math.max(1, Math.ceil((log(to) - log(from)) / Math.max(2, Math.abs(end - begin) / 60)));
  for (let i = Math.ceil(log(from) - 1e-9); i <= log(to) + 1e-9; i += every) scale.ticks.push(base ** i);
  return scale;
}

function xAxis(scale, y, top, format, label, right) {
  return svg(
      'g', {class: 'axis'},
      scale.ticks.map(
          (tick) =>
              [svg('line', {x1: scale(tick), x2: scale(tick), y1: top, y2: y, class: 'grid'}),
               svg('text', {x: scale(tick), y: y + 16, 'text-anchor': 'middle'}, format(tick)),
  ]),
      svg('text', {x: right, y: y + 34, 'text-anchor': 'end', class: 'label'}, label));
}

function yAxis(scale, x, right, format, label) {
  return svg(
      'g', {class: 'axis'},
      scale.ticks.map(
          (tick) =>
              [svg('line', {x1: x, x2: right, y1: scale(tick), y2: scale(tick), class: 'grid'}),
               svg('text', {x: x - 8, y: scale(tick) + 4, 'text-anchor': 'end'}, format(tick)),
  ]),
      svg('text', {x: 0, y: 11, class: 'label'}, label));
}

// A figure whose drawing is made anew when its width changes; title, a sentence, the drawing and its table.
function chart({title, text, label, draw, legend, table}) {
  const place = el('div', {class: 'drawing'});
  let drawn = 0;
  const redraw = () => {
    const width = Math.round(place.clientWidth);
    if (!width || Math.abs(width - drawn) < 2) return;
    drawn = width;
    const drawing = draw(width);
    drawing.setAttribute('role', 'img');
    drawing.setAttribute('aria-label', `${label || title}. The table below has the figures.`);
    place.replaceChildren(drawing);
  };
  new ResizeObserver(() => requestAnimationFrame(redraw)).observe(place);
  return el(
      'figure', {class: 'chart'},
      el('figcaption', {}, el('strong', {}, title), text && el('span', {class: 'muted'}, ' ', text)), legend, place,
      table && disclosure('Table of this chart', table));
}

const canvas = (width, height, ...children) =>
    svg('svg', {viewBox: `0 0 ${width} ${height}`, width: '100%', class: 'canvas'}, ...children);

const legendOf = (entries) =>
    el('ul', {class: 'legend'},
       entries.map(([text, className]) => el('li', {}, el('i', {class: `key ${className}`}), text)));

// A point that tells its case when it is pointed at, and opens it when it is clicked. Keyboards reach the same by the
// table.
const mark = (shape, attributes, c, text) => svg(
    shape, {...attributes, class: `mark ${attributes.class || ''}`, onclick: () => openCase(c)},
    svg('title', {},
        text || `${c.name}\n${figure(c.value, c.unit)}${c.share ? `, ${percent(c.share)} of ${c.ceilingName}` : ''}`));
