/** Path of a field, and the JSON with another value in this field. */
export type ChangedField = [path: string, json: string];

/** Returns one variant of the JSON for each field at any depth. Changes numbers and strings, removes other values. */
export function changedFields(json: string): ChangedField[] {
  return fieldsOf(JSON.parse(json), []).map((path) => {
    const changed = JSON.parse(json);
    const holder = path.slice(0, -1).reduce((value, part) => value[part], changed);
    const last = path.at(-1) ?? '';
    holder[last] = other(holder[last]);
    return [path.join('.'), JSON.stringify(changed)];
  });
}

/** Returns variants of a signed record's text, like `changedFields`. Each keeps the signature of the original. */
export function tamperedTexts(text: string): [path: string, text: string][] {
  const [version, mac, ...content] = text.split('.');
  return changedFields(content.join('.')).map(([path, changed]) => [path, `${version}.${mac}.${changed}`]);
}

function fieldsOf(value: unknown, path: string[]): string[][] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([name, field]) => fieldsOf(field, [...path, name]));
}

function other(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'string') return `${value.slice(0, -1)}${value.endsWith('x') ? 'y' : 'x'}`;
  return undefined;
}
