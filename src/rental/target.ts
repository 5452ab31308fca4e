/**
 * Returns path and body of a request. Fields in the path's braces (section 4, path conventions) are inserted there, the others
 * form the body. Without other fields there is no body.
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
