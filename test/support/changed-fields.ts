/** The path of a field in JSON, and the JSON with another value there. */
export type ChangedField = [path: string, json: string];

/** Every field of a JSON value, at any depth, changed in turn: numbers and texts by a little, the rest taken away. */
export function changedFields(json: string): ChangedField[] {
  return fieldsOf(JSON.parse(json), []).map((path) => {
    const changed = JSON.parse(json);
    const holder = path.slice(0, -1).reduce((value, part) => value[part], changed);
    const last = path.at(-1) ?? '';
    holder[last] = other(holder[last]);
    return [path.join('.'), JSON.stringify(changed)];
  });
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
