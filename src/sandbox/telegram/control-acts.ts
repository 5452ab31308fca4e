import type { Context, Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { z } from 'zod';
import type { Acts } from './acts.ts';
import type { Chat } from './chat.ts';
import { messageView } from './message-view.ts';
import type { Person } from './people.ts';
import type { World } from './world.ts';
import { readWriting } from './writing.ts';

const tapping = z.object({
  message_id: z.number().int(),
  data: z.string().min(1),
  from: z.number().optional(),
});
const acting = z.object({ from: z.number().optional() });
const asking = z.object({ from: z.number(), query: z.string().max(256).default('') });

/** Adds the control routes for people's actions in their chats with the bot. */
export function addActs(
  control: Hono,
  {
    world: { people, chats, files },
    acts,
    chatOf,
    body,
  }: {
    world: World;
    acts: Acts;
    chatOf: (c: Context) => Chat;
    body: (c: Context) => Promise<unknown>;
  },
): void {
  const personOf = (id: number): Person => {
    const person = chats.find(id)?.person;
    if (!person) throw new HTTPException(400, { message: 'There is no such person.' });
    return person;
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
    if (chat.deactivated) throw new HTTPException(409, { message: 'This person has deleted their account.' });
  };

  control.get('/chats/:chat/messages', (c) => c.json([...chatOf(c).messages.values()].map(messageView)));
  control.post('/chats/:chat/messages', async (c) => {
    const chat = chatOf(c);
    writableBy(chat);
    const { from, forwardFrom, read } = await readWriting(c, () => body(c));
    const author = actor(chat, from);
    const forwardedFrom = forwardFrom === undefined ? undefined : personOf(forwardFrom);
    const { messageId, updateId } = acts.write(chat, author, { ...read(files), forwardedFrom });
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
  control.post('/chats/:chat/deactivate', (c) => {
    const chat = chatOf(c);
    if (!chat.person) throw new HTTPException(400, { message: 'This is a group.' });
    chat.deactivated = true;
    return c.json({ ok: true });
  });
  control.post('/inline-queries', async (c) => {
    const { from, query } = asking.parse(await body(c));
    const { updateId, queryId } = acts.query(personOf(from), query);
    return c.json({ update_id: updateId ?? null, inline_query_id: queryId });
  });
}
