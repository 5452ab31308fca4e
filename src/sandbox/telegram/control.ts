import { type Context, Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { streamSSE } from 'hono/streaming';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { z } from 'zod';
import type { Acts } from './acts.ts';
import type { Chat } from './chat.ts';
import { addActs } from './control-acts.ts';
import { addCrowd } from './control-crowd.ts';
import { addFiles } from './control-files.ts';
import { addShares } from './control-shares.ts';
import { type Faults, faultOrder } from './faults.ts';
import type { Journal } from './journal.ts';
import { BOT } from './people.ts';
import { Refusal } from './refusal.ts';
import { anyAborted } from './signals.ts';
import type { World } from './world.ts';

/** Creates the control API: people's clients, and the state and orders for tests and the chat page. */
export function createControl({
  world,
  acts,
  journal,
  faults,
  reset,
}: {
  world: World;
  acts: Acts;
  journal: Journal;
  faults: Faults;
  reset: () => void;
}): Hono {
  const control = new Hono();
  const { people, chats, updates, profile, feed } = world;

  const chatOf = (c: Context): Chat => {
    const chat = chats.find(Number(c.req.param('chat')));
    if (!chat) throw new HTTPException(404, { message: 'There is no such chat.' });
    return chat;
  };

  control.onError((error, c) => {
    if (error instanceof HTTPException) return c.json({ error: error.message }, error.status);
    if (error instanceof Refusal) {
      return c.json({ error: error.message }, error.status as ContentfulStatusCode);
    }
    if (error instanceof z.ZodError) return c.json({ error: z.prettifyError(error) }, 400);
    return c.json({ error: 'The sandbox failed.' }, 500);
  });

  control.get('/people', (c) => c.json(people));
  control.get('/bot', (c) => {
    const language = c.req.query('language') ?? '';
    const chat = Number(c.req.query('chat') ?? 0);
    const inLanguage = (texts: ReadonlyMap<string, string>) => texts.get(language) || texts.get('') || '';
    return c.json({
      ...BOT,
      commands: profile.menu(language, chat),
      description: inLanguage(profile.descriptions),
      short_description: inLanguage(profile.shortDescriptions),
    });
  });
  addFiles(control, world);

  addActs(control, { world, acts, chatOf, body });
  addCrowd(control, { world, body });
  addShares(control, { world, chatOf, body });
  control.get('/chats/:chat/stream', (c) => {
    const { id } = chatOf(c);
    return streamSSE(c, async (stream) => {
      const unfollow = feed.follow(id, (event, data) => {
        void stream.writeSSE({ event, data: JSON.stringify(data) });
      });
      await stream.write(': open\n\n');
      const left = new AbortController();
      stream.onAbort(() => left.abort());
      await anyAborted(left.signal, world.stopped);
      unfollow();
    });
  });

  control.post('/updates', async (c) => {
    const update = z.record(z.string(), z.unknown()).parse(await body(c));
    return c.json({ update_id: updates.addRaw(update) });
  });
  control.get('/pending', (c) => c.json(updates.waiting().length));
  control.get('/calls', (c) => c.json(journal.calls(c.req.query('method'))));
  control.post('/faults', async (c) => {
    faults.order(faultOrder.parse(await body(c)));
    return c.json({ ok: true });
  });
  control.delete('/faults', (c) => {
    faults.clear();
    return c.json({ ok: true });
  });
  control.post('/reset', (c) => {
    reset();
    return c.json({ ok: true });
  });
  control.all('*', (c) => c.json({ error: 'There is no such thing.' }, 404));
  return control;
}

/** Parses a request's JSON body. An empty body is an empty object. */
async function body(c: Context): Promise<unknown> {
  const text = await c.req.text();
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    throw new HTTPException(400, { message: 'This is not JSON.' });
  }
}
