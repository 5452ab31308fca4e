import { element } from '/page/element.js';

/** Renders the fields of a schema as a table. `resolve` resolves a `$ref`. */
export function fieldsOf(schema, resolve) {
  const table = element('table', { class: 'fields' });
  table.append(...rows(schema, resolve, 0));
  return table;
}

function rows(schema, resolve, depth) {
  const { items, properties = {}, required = [], ...whole } = resolve(schema);
  if (items) return rows(items, resolve, depth);
  const names = Object.keys(properties);
  if (names.length === 0 && depth === 0) return [row('', whole, false, 0)];
  return names.flatMap((name) => {
    const field = resolve(properties[name]);
    const inner = field.items?.properties || field.properties ? rows(field, resolve, depth + 1) : [];
    return [row(name, field, required.includes(name), depth), ...inner];
  });
}

function row(name, field, needed, depth) {
  const mark = needed ? element('span', { class: 'needed', title: 'required', text: ' *' }) : undefined;
  return element(
    'tr',
    {},
    element(
      'th',
      { scope: 'row', class: depth > 0 && 'nested' },
      element('code', { text: name || 'value' }),
      mark,
    ),
    element('td', { text: typeOf(field) }),
    element('td', { text: field.description ?? '' }),
  );
}

/** Returns a readable type: `integer from 32,000 to 5,000,000`, `pending | filled`, `array of string`. */
function typeOf(field) {
  if (field.anyOf) return [...new Set(field.anyOf.map(typeOf))].join(' or ');
  if ('const' in field) return String(field.const);
  if (field.enum) return field.enum.join(' | ');
  if (field.type === 'array') return `array of ${typeOf(field.items ?? {})}`;
  return [field.type ?? 'anything', rangeOf(field), defaultOf(field)].filter(Boolean).join(' ');
}

function rangeOf({ minimum, maximum }) {
  const figure = (number) => number.toLocaleString('en-US');
  if (!(Math.abs(maximum) < Number.MAX_SAFE_INTEGER)) return '';
  return `from ${figure(minimum)} to ${figure(maximum)}`;
}

function defaultOf(field) {
  return 'default' in field ? `(${field.default} unless set)` : '';
}
