import { Hono } from 'hono';

const NOT_PASSED_ON = ['host', 'connection', 'content-length', 'transfer-encoding'];

/** Handling of the service's next events: forward them, respond 502, or drop them with a 200. */
type Events = 'pass' | 'refuse' | 'swallow';

/** Forwards each request to the next replica in turn, ready or not, as a plain proxy would. */
export function createForwarding({ delivered }: { delivered: (update: number) => void }) {
  let origins: string[] = [];
  let events: Events = 'pass';
  let turn = 0;

  async function forward(request: Request): Promise<Response> {
    const origin = origins[turn++ % Math.max(1, origins.length)];
    if (origin === undefined) return new Response(null, { status: 502 });
    const { pathname, search } = new URL(request.url);
    const headers = new Headers(request.headers);
    for (const name of NOT_PASSED_ON) headers.delete(name);
    const body = await request.text();
    try {
      const response = await fetch(`${origin}${pathname}${search}`, {
        method: request.method,
        headers,
        body,
      });
      if (response.ok) note(body);
      return new Response(await response.text(), { status: response.status });
    } catch {
      return new Response(null, { status: 502 });
    }
  }

  function note(body: string): void {
    const { update_id } = JSON.parse(body) as { update_id?: number };
    if (update_id !== undefined) delivered(update_id);
  }

  const front = new Hono();
  front.post('/events/*', async (c) =>
    events === 'pass' ? forward(c.req.raw) : c.body(null, events === 'refuse' ? 502 : 200),
  );
  front.post('/updates/*', (c) => forward(c.req.raw));

  const control = new Hono();
  control.post('/', async (c) => {
    const asked = (await c.req.json()) as { origins?: string[]; events?: Events };
    origins = asked.origins ?? origins;
    events = asked.events ?? events;
    return c.json({ origins, events });
  });
  return { front, control };
}
