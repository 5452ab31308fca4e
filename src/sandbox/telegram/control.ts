import { type Context, Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { streamSSE } from 'hono/streaming';
import { z } from 'zod';
import type { Acts } from './acts.ts';
import type { Chat } from './chats.ts';
import { addFiles } from './control-files.ts';
import { addShares } from './control-shares.ts';
import { type Faults, faultOrder } from './faults.ts';
import type { Journal } from './journal.ts';
import { messageView } from './message-view.ts';
import { BOT, type Person } from './people.ts';
import { anyAborted } from './signals.ts';
import type { World } from './world.ts';

const writing = z.object({ text: z.string().trim().min(1).max(4096), from: z.number().optional() });
const tapping = z.object({
  message_id: z.number().int(),
  data: z.string().min(1),
  from: z.number().optional(),
});
const acting = z.object({ from: z.number().optional() });

/** The people's side: what their clients show and do, and what a test or the chat page wants to know and order. */
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
  const actor = (chat: Chat, from: number | undefined): Person => {
    const person = chat.person ?? people.find(({ id }) => id === (from ?? people[0]?.id));
    if (!person || (chat.person && from !== undefined && from !== person.id)) {
      throw new HTTPException(400, { message: 'This person is not in the chat.' });
    }
    return person;
  };
  const writableBy = (chat: Chat): void => {
    if (chat.blocked) throw new HTTPException(409, { message: 'The bot is blocked in this chat.' });
  };

  control.onError((error, c) => {
    if (error instanceof HTTPException) return c.json({ error: error.message }, error.status);
    if (error instanceof z.ZodError) return c.json({ error: z.prettifyError(error) }, 400);
    return c.json({ error: 'The sandbox failed.' }, 500);
  });

  control.get('/people', (c) => c.json(people));
  control.get('/bot', (c) => {
    const language = c.req.query('language') ?? '';
    const inLanguage = (texts: ReadonlyMap<string, string>) => texts.get(language) || texts.get('') || '';
    return c.json({
      ...BOT,
      commands: profile.menu(language),
      description: inLanguage(profile.descriptions),
      short_description: inLanguage(profile.shortDescriptions),
    });
  });
  addFiles(control, world);

  control.get('/chats/:chat/messages', (c) => c.json([...chatOf(c).messages.values()].map(messageView)));
  control.post('/chats/:chat/messages', async (c) => {
    const { text, from } = writing.parse(await body(c));
    const chat = chatOf(c);
    writableBy(chat);
    const { messageId, updateId } = acts.write(chat, actor(chat, from), text);
    return c.json({ message_id: messageId, update_id: updateId ?? null });
  });
  control.delete('/chats/:chat/messages/:id', (c) =>
    acts.remove(chatOf(c), Number(c.req.param('id')))
      ? c.json({ ok: true })
      : c.json({ error: 'There is no such message.' }, 404),
  );
  control.post('/chats/:chat/taps', async (c) => {
    const { message_id, data, from } = tapping.parse(await body(c));
    const chat = chatOf(c);
    writableBy(chat);
    const tapped = acts.tap(chat, actor(chat, from), message_id, data);
    if (!tapped) return c.json({ error: 'There is no such message.' }, 404);
    return c.json({ update_id: tapped.updateId ?? null, callback_id: tapped.callbackId });
  });
  for (const [path, isBlocked] of [
    ['block', true],
    ['unblock', false],
  ] as const) {
    control.post(`/chats/:chat/${path}`, async (c) => {
      const chat = chatOf(c);
      const { from } = acting.parse(await body(c));
      return c.json({ update_id: acts.block(chat, actor(chat, from), isBlocked) ?? null });
    });
  }
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

/** The JSON of a request; nothing is an empty object. */
async function body(c: Context): Promise<unknown> {
  const text = await c.req.text();
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    throw new HTTPException(400, { message: 'This is not JSON.' });
  }
}
