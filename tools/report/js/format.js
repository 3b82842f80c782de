// Numbers as people read them: three or four digits, a unit, a narrow space between thousands.

const thousands = (text) => text.replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f');

function digits(number, count) {
  if (number === 0) return '0';
  const decimals = Math.max(0, count - 1 - Math.floor(Math.log10(Math.abs(number))));
  const [whole, part] = number.toFixed(Math.min(decimals, 12)).split('.');
  return part ? `${thousands(whole)}.${part}` : thousands(whole);
}

function withUnit(number, units, count) {
  const [factor, unit] = units.find(([least]) => Math.abs(number) >= least) || units[units.length - 1];
  return `${digits(number / factor, count)} ${unit}`;
}

const TIMES = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];
const shortTime = (ns) => withUnit(ns, TIMES, 3);
const exactTime = (ns) => withUnit(ns, TIMES, 5);
const tickTime = (ns) => {
  const [factor, unit] = TIMES.find(([least]) => ns >= least) || [1, 'ns'];
  return `${+ (ns / factor).toPrecision(3)} ${unit}`;
};
const shortBytes = (n) => {
  const units = [[2 ** 40, 'TiB'], [2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB'], [1, 'B']];
  const [factor, unit] = units.find(([least]) => n >= least) || [1, 'B'];
  return `${+ (n / factor).toPrecision(4)} ${unit}`;
};
const percent = (share) =>
    `${share >= 0.9995 ? (100 * share).toFixed(share >= 9.995 ? 0 : 1) : digits(100 * share, 3)} %`;
const plain = (number) =>
    (number >= 1e15 ? number.toExponential(2) : digits(number, number >= 1e4 ? Math.ceil(Math.log10(number + 1)) : 4));

// A figure in the unit of its pattern: GB/s, GFLOP/s or ns for one operation.
const figure = (value, unit) => (unit === 'ns' ? shortTime(value) : `${plain(value)} ${unit}`);
const count = (n, one, many) => `${thousands(String(n))} ${n === 1 ? one : many || one + 's'}`;
const day = (stamp) =>
    (/^\d{4}-\d\d-\d\dT/.test(stamp || '') ? `${stamp.slice(0, 10)} ${stamp.slice(11, 16)} UTC` : stamp || '');
