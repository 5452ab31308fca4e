import type { Context, Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { z } from 'zod';
import type { Chat } from './chat.ts';
import { readLink } from './links.ts';
import type { Person } from './people.ts';
import type { World } from './world.ts';

const sharing = z.object({
  from: z.number(),
  url: z.string().refine((url) => readLink(url).ok, 'expected a link'),
  text: z.string().max(4096).default(''),
});

/** Adds the control routes for links that people share with each other. */
export function addShares(
  control: Hono,
  {
    world: { people, shares },
    chatOf,
    body,
  }: { world: World; chatOf: (c: Context) => Chat; body: (c: Context) => Promise<unknown> },
): void {
  const personOf = (c: Context): Person => {
    const { person } = chatOf(c);
    if (!person) throw new HTTPException(404, { message: 'Nothing can be shared with a group here.' });
    return person;
  };

  control.get('/chats/:chat/shares', (c) => c.json(shares.with(personOf(c).id)));
  control.post('/chats/:chat/shares', async (c) => {
    const shared = sharing.parse(await body(c));
    const isKnown = people.some(({ id }) => id === shared.from);
    if (!isKnown) throw new HTTPException(400, { message: 'There is no such person.' });
    return c.json(shares.add(personOf(c).id, shared));
  });
  control.delete('/chats/:chat/shares/:id', (c) =>
    shares.remove(personOf(c).id, Number(c.req.param('id')))
      ? c.json({ ok: true })
      : c.json({ error: 'That was not shared.' }, 404),
  );
}
