import { type Context, Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { streamSSE } from 'hono/streaming';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { z } from 'zod';
import { BotApiError } from './bot-api-error.ts';
import type { Chat } from './chat.ts';
import { type Faults, faultOrder, type Journal } from './faults.ts';
import { readLink } from './links.ts';
import { messageView, readWriting } from './messages.ts';
import { BOT, type Person } from './people.ts';
import { anyAborted } from './updates.ts';
import type { UserActions } from './user-actions.ts';
import type { World } from './world.ts';

const tapBody = z.object({
  message_id: z.number().int(),
  data: z.string().min(1),
  from: z.number().optional(),
});
const senderBody = z.object({ from: z.number().optional() });
const inlineQueryBody = z.object({ from: z.number(), query: z.string().max(256).default('') });

/** Adds the control routes for people's actions in their chats with the bot. */
function addUserActionRoutes(
  control: Hono,
  {
    world: { people, chats, files },
    userActions,
    chatOf,
    body,
  }: {
    world: World;
    userActions: UserActions;
    chatOf: (c: Context) => Chat;
    body: (c: Context) => Promise<unknown>;
  },
): void {
  const personOf = (id: number): Person => {
    const person = chats.find(id)?.person;
    if (!person) throw new HTTPException(400, { message: 'There is no such person.' });
    return person;
  };
  const senderOf = (chat: Chat, from: number | undefined): Person => {
    const person = chat.person ?? people.find(({ id }) => id === (from ?? people[0]?.id));
    if (!person || (chat.person && from !== undefined && from !== person.id)) {
      throw new HTTPException(400, { message: 'This person is not in the chat.' });
    }
    return person;
  };
  const requireWritable = (chat: Chat): void => {
    if (chat.blocked) throw new HTTPException(409, { message: 'The bot is blocked in this chat.' });
    if (chat.deactivated) throw new HTTPException(409, { message: 'This person has deleted their account.' });
  };

  control.get('/chats/:chat/messages', (c) => c.json([...chatOf(c).messages.values()].map(messageView)));
  control.post('/chats/:chat/messages', async (c) => {
    const chat = chatOf(c);
    requireWritable(chat);
    const { from, forwardFrom, read } = await readWriting(c, () => body(c));
    const author = senderOf(chat, from);
    const forwardedFrom = forwardFrom === undefined ? undefined : personOf(forwardFrom);
    const { messageId, updateId } = userActions.write(chat, author, { ...read(files), forwardedFrom });
    return c.json({ message_id: messageId, update_id: updateId ?? null });
  });
  control.delete('/chats/:chat/messages/:id', (c) =>
    userActions.remove(chatOf(c), Number(c.req.param('id')))
      ? c.json({ ok: true })
      : c.json({ error: 'There is no such message.' }, 404),
  );
  control.post('/chats/:chat/taps', async (c) => {
    const { message_id, data, from } = tapBody.parse(await body(c));
    const chat = chatOf(c);
    requireWritable(chat);
    const tapped = userActions.tap(chat, senderOf(chat, from), message_id, data);
    if (!tapped) return c.json({ error: 'There is no such message.' }, 404);
    return c.json({ update_id: tapped.updateId ?? null, callback_id: tapped.callbackId });
  });
  for (const [path, isBlocked] of [
    ['block', true],
    ['unblock', false],
  ] as const) {
    control.post(`/chats/:chat/${path}`, async (c) => {
      const chat = chatOf(c);
      const { from } = senderBody.parse(await body(c));
      return c.json({ update_id: userActions.block(chat, senderOf(chat, from), isBlocked) ?? null });
    });
  }
  control.post('/chats/:chat/deactivate', (c) => {
    const chat = chatOf(c);
    if (!chat.person) throw new HTTPException(400, { message: 'This is a group.' });
    chat.deactivated = true;
    return c.json({ ok: true });
  });
  control.post('/inline-queries', async (c) => {
    const { from, query } = inlineQueryBody.parse(await body(c));
    const { updateId, queryId } = userActions.query(personOf(from), query);
    return c.json({ update_id: updateId ?? null, inline_query_id: queryId });
  });
}

const every = z.number().int().positive().optional();
const crowdBody = z.object({
  first_id: z.number().int().positive(),
  count: z.number().int().positive().max(1_000_000),
  language_code: z.string().min(1).default('en'),
  blocked_every: every,
  deactivated_every: every,
});

/** Adds the control routes for the crowd (many simulated users), its received messages and the message rate. */
function addCrowdRoutes(
  control: Hono,
  { world: { crowd, rateLimiter }, body }: { world: World; body: (c: Context) => Promise<unknown> },
): void {
  control.post('/crowd', async (c) => {
    const { first_id, count, language_code, blocked_every, deactivated_every } = crowdBody.parse(
      await body(c),
    );
    const isAdded = crowd.add({
      firstId: first_id,
      count,
      languageCode: language_code,
      blockedEvery: blocked_every,
      deactivatedEvery: deactivated_every,
    });
    return isAdded ? c.json({ ok: true }) : c.json({ error: 'One of these ids is somebody’s already.' }, 409);
  });
  control.get('/crowd', (c) => {
    const { missedCount, missed, ...figures } = crowd.figures();
    const withMissed = c.req.query('missed') === '1';
    return c.json({ ...figures, missed_count: missedCount, ...(withMissed && { missed }) });
  });
  control.get('/pace', (c) => {
    const { refused, maxPerSecond, lastRefusedAt } = rateLimiter.figures();
    return c.json({ refused, most_in_a_second: maxPerSecond, last_refused_at: lastRefusedAt ?? null });
  });
}

/** Adds the control routes for files of messages. */
function addFileRoutes(control: Hono, { files }: Pick<World, 'files'>): void {
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

const shareBody = z.object({
  from: z.number(),
  url: z.string().refine((url) => readLink(url).ok, 'expected a link'),
  text: z.string().max(4096).default(''),
});

/** Adds the control routes for links that people share with each other. */
function addShareRoutes(
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

  control.get('/chats/:chat/shares', (c) => c.json(shares.listFor(personOf(c).id)));
  control.post('/chats/:chat/shares', async (c) => {
    const shared = shareBody.parse(await body(c));
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

const webhookBody = z.object({ url: z.string() });
const nextIdBody = z.object({ next: z.number().int().positive() });

/** Creates the control API: people's clients, and the state and orders for tests and the chat page. */
export function createControl({
  world,
  userActions,
  journal,
  faults,
  reset,
}: {
  world: World;
  userActions: UserActions;
  journal: Journal;
  faults: Faults;
  reset: () => void;
}): Hono {
  const control = new Hono();
  const { people, chats, updates, delivery, profile, feed } = world;

  const chatOf = (c: Context): Chat => {
    const chat = chats.find(Number(c.req.param('chat')));
    if (!chat) throw new HTTPException(404, { message: 'There is no such chat.' });
    return chat;
  };

  control.onError((error, c) => {
    if (error instanceof HTTPException) return c.json({ error: error.message }, error.status);
    if (error instanceof BotApiError) {
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
  addFileRoutes(control, world);

  addUserActionRoutes(control, { world, userActions, chatOf, body });
  addCrowdRoutes(control, { world, body });
  addShareRoutes(control, { world, chatOf, body });
  control.get('/chats/:chat/stream', (c) => {
    const { id } = chatOf(c);
    return streamSSE(c, async (stream) => {
      const unsubscribe = feed.subscribe(id, (event, data) => {
        void stream.writeSSE({ event, data: JSON.stringify(data) });
      });
      await stream.write(': open\n\n');
      const disconnected = new AbortController();
      stream.onAbort(() => disconnected.abort());
      await anyAborted(disconnected.signal, world.stopSignal);
      unsubscribe();
    });
  });

  control.post('/updates', async (c) => {
    const update = z.record(z.string(), z.unknown()).parse(await body(c));
    return c.json({ update_id: updates.addRaw(update) });
  });
  control.post('/update-ids', async (c) => {
    const { next } = nextIdBody.parse(await body(c));
    return updates.restartIds(next) ? c.json({ ok: true }) : c.json({ error: 'Updates are waiting.' }, 409);
  });
  control.post('/webhook', async (c) => {
    const { url } = webhookBody.parse(await body(c));
    const settings = { url, secretToken: undefined, maxConnections: 40 };
    delivery.use(url === '' ? undefined : settings);
    return c.json({ ok: true });
  });
  control.get('/pending', (c) => c.json(updates.waiting().length));
  control.get('/calls', (c) => c.json(journal.calls(c.req.query('method'))));
  control.delete('/calls', (c) => {
    journal.clear();
    return c.json({ ok: true });
  });
  control.post('/faults', async (c) => {
    faults.add(faultOrder.parse(await body(c)));
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
