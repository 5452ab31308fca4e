import type { Hono } from 'hono';
import type { World } from './world.ts';

/** Adds the control routes for files of messages. */
export function addFiles(control: Hono, { files }: Pick<World, 'files'>): void {
  for (const kind of ['photo', 'video'] as const) {
    control.get(`/${kind}s/:name`, (c) => {
      const file = files.byPath(`${kind}s/${c.req.param('name')}`);
      if (!file) return c.json({ error: `There is no such ${kind}.` }, 404);
      return c.body(file.bytes, 200, { 'content-type': file.mime, 'x-content-type-options': 'nosniff' });
    });
  }
  control.get('/documents/:name', (c) => {
    const document = files.byPath(`documents/${c.req.param('name')}`);
    if (document?.kind !== 'document') return c.json({ error: 'There is no such document.' }, 404);
    return c.body(document.bytes, 200, {
      'content-type': document.mime,
      'content-disposition': `attachment; filename*=UTF-8''${extendedValue(document.name)}`,
      'x-content-type-options': 'nosniff',
    });
  });
}

/** https://www.rfc-editor.org/rfc/rfc8187#section-3.2 */
const extendedValue = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
