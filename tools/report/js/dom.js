// Makes elements. Text only ever becomes a text node: what a document says cannot become markup.

function put(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === 'style')
      for (const [property, text] of Object.entries(value)) node.style.setProperty(property, text);
    else if (name.startsWith('on'))
      node.addEventListener(name.slice(2), value);
    else
      node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

const el = (name, attributes, ...children) => put(document.createElement(name), attributes, children);
const svg = (name, attributes, ...children) =>
    put(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);

// For screen readers alone.
const unseen = (text) => el('span', {class: 'unseen'}, text);

const button = (text, onclick, attributes) => el('button', {type: 'button', onclick, ...attributes}, text);

// A select with its label. options: [[value, text]]
function choice(label, options, onchange) {
  const select = el('select', {onchange: () => onchange(select.value)});
  for (const [value, text] of options) select.append(el('option', {value}, text));
  return el('label', {class: 'choice'}, el('span', {}, label), select);
}

const disclosure = (summary, fill) => {
  // What is in it is made when it is opened first.
  const details = el('details', {}, el('summary', {}, summary));
  details.addEventListener('toggle', () => details.open && details.childElementCount === 1 && details.append(fill()));
  return details;
};
