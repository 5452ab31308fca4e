/**
 * Where a request goes, and with what body: fields that the path names in braces (section 4, path conventions) go into it,
 * the others into the body, if there are any.
 */
export function targetOf(path: string, request: unknown): { path: string; body?: string } {
  const fields = new Map(Object.entries(request ?? {}));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = fields.get(name);
    fields.delete(name);
    return encodeURIComponent(String(value));
  });
  return fields.size === 0
    ? { path: filled }
    : { path: filled, body: JSON.stringify(Object.fromEntries(fields)) };
}
