import { describe, expect, it } from 'vitest';
import { startTelegram } from './telegram-server.ts';

/** Reads the events of a stream. */
async function openStream(url: string) {
  const response = await fetch(url);
  if (!response.body) throw new Error('no stream');
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let buffered = '';
  const block = async (): Promise<string | undefined> => {
    for (;;) {
      const [first, ...rest] = buffered.split('\n\n');
      if (rest.length > 0) {
        buffered = rest.join('\n\n');
        return first;
      }
      const { done, value } = await reader.read();
      if (done) return undefined;
      buffered += value;
    }
  };
  expect(await block()).toBe(': open');
  return {
    async next() {
      const [event, data] = (await block())?.split('\n') ?? [];
      return event && { event: event.slice(7), data: JSON.parse(data?.slice(6) ?? '') };
    },
  };
}

describe('a user', () => {
  it('is one of four, or a member of the group', async () => {
    const { control } = await startTelegram();
    expect(await control('GET /people')).toMatchObject([
      { id: 501, role: 'guest', language_code: 'en' },
      { id: 502, role: 'account holder', language_code: 'en' },
      { id: 503, role: 'merchant', language_code: 'ru' },
      { id: 504, role: 'admin', language_code: 'en' },
    ]);
  });

  it('writes to the bot, with message ids that are shared by both sides', async () => {
    const { call, write, clock } = await startTelegram();
    const { message_id, update_id } = await write('/start pay_42');
    expect(message_id).toBe(1);
    const { result } = await call('sendMessage', { chat_id: 501, text: 'Hello' });
    expect(result?.message_id).toBe(2);
    expect((await write('and /help@rental_demo_bot')).message_id).toBe(3);
    expect((await call('getUpdates')).result).toEqual([
      {
        update_id,
        message: {
          message_id: 1,
          from: { id: 501, is_bot: false, first_name: 'Guest', username: 'demo_guest', language_code: 'en' },
          chat: { id: 501, type: 'private', first_name: 'Guest', username: 'demo_guest' },
          date: clock.now() / 1_000,
          text: '/start pay_42',
          entities: [{ type: 'bot_command', offset: 0, length: 6 }],
        },
      },
      expect.objectContaining({
        message: expect.objectContaining({
          entities: [{ type: 'bot_command', offset: 4, length: 21 }],
        }),
      }),
    ]);
  });

  it('sees the chat as their client shows it', async () => {
    const { send, messages, clock } = await startTelegram();
    await send({ text: '<b>Hi</b>', parse_mode: 'HTML' });
    expect(await messages()).toEqual([
      {
        message_id: 1,
        date: clock.now() / 1_000,
        from: 'person',
        from_id: 501,
        text: '/start',
        entities: [{ type: 'bot_command', offset: 0, length: 6 }],
        html: '<span class="command" data-command="/start">/start</span>',
        edited: false,
      },
      {
        message_id: 2,
        date: clock.now() / 1_000,
        from: 'bot',
        from_id: 700,
        text: 'Hi',
        entities: [{ type: 'bold', offset: 0, length: 2 }],
        html: '<b>Hi</b>',
        edited: false,
      },
    ]);
  });

  it('can send any callback data', async () => {
    const { call, control, send } = await startTelegram();
    const message_id = await send();
    const { update_id, callback_id } = await control('POST /chats/501/taps', { message_id, data: 'made up' });
    const { result } = await call('getUpdates');
    expect((result as unknown as unknown[])[1]).toEqual({
      update_id,
      callback_query: {
        id: callback_id,
        from: expect.objectContaining({ id: 501 }),
        message: expect.objectContaining({ message_id, text: 'Hello' }),
        chat_instance: expect.stringMatching(/^\d+$/),
        data: 'made up',
      },
    });
  });

  it('receives one answer to a tap, if it is in time', async () => {
    const { call, control, send, clock } = await startTelegram();
    const message_id = await send();
    const tap = async () => (await control('POST /chats/501/taps', { message_id, data: 'a' })).callback_id;
    const answer = (callback_query_id: unknown) => call('answerCallbackQuery', { callback_query_id });
    const first = await tap();
    expect((await answer(first)).result).toBe(true);
    const second = await answer(first);
    const late = await tap();
    clock.advance(150_001);
    for (const refused of [second, await answer(late), await answer('never'), await answer('')]) {
      expect(refused).toMatchObject({
        status: 400,
        description: 'Bad Request: query is too old and response timeout expired or query ID is invalid',
      });
    }
  });

  it('blocks the bot, which is notified once, and can write again only after unblocking', async () => {
    const { call, control, write } = await startTelegram();
    await control('POST /chats/501/block');
    await control('POST /chats/501/block');
    expect(await write('hello?')).toMatchObject({ error: expect.any(String) });
    await control('POST /chats/501/unblock');
    expect((await call('getUpdates')).result).toMatchObject([
      {
        my_chat_member: {
          chat: { id: 501 },
          from: { id: 501 },
          old_chat_member: { user: { id: 700 }, status: 'member' },
          new_chat_member: { user: { id: 700 }, status: 'kicked' },
        },
      },
      { my_chat_member: { old_chat_member: { status: 'kicked' }, new_chat_member: { status: 'member' } } },
    ]);
    expect(await write('hello')).toMatchObject({ message_id: 1 });
  });

  it.each([
    ['POST /chats/77/messages', { text: 'x' }, 'There is no such chat.'],
    ['POST /chats/501/messages', { text: ' ' }, 'text'],
    ['POST /chats/501/messages', { text: 'x', from: 502 }, 'This person is not in the chat.'],
    ['POST /chats/501/taps', { message_id: 9, data: 'a' }, 'There is no such message.'],
    ['DELETE /chats/501/messages/9', undefined, 'There is no such message.'],
    ['POST /faults', { kind: 'fire' }, 'kind'],
    ['GET /photos/none.png', undefined, 'There is no such photo.'],
    ['GET /nothing', undefined, 'There is no such thing.'],
  ])('receives an error when %s is invalid', async (request, body, error) => {
    const { control } = await startTelegram();
    expect(await control(request, body)).toEqual({ error: expect.stringContaining(error) });
  });
});

describe('in the group', () => {
  it.each([
    ['/start', true],
    ['/buy@rental_demo_bot now', true],
    ['hello @Rental_Demo_Bot', true],
    ['/start@another_bot', false],
    ['hello everybody', false],
    ['not a /command at its beginning', false],
    ['mail@rental_demo_bot', false],
  ])('sends the bot in privacy mode %j: %s', async (text, isHeard) => {
    const { call, write } = await startTelegram();
    const { message_id, update_id } = await write(text, -1001, 502);
    expect(message_id).toBe(1);
    expect(update_id).toEqual(isHeard ? expect.any(Number) : null);
    const { result } = await call('getUpdates');
    expect(result).toMatchObject(
      isHeard ? [{ message: { text, from: { id: 502 }, chat: { id: -1001, type: 'group' } } }] : [],
    );
  });

  it('lets the bot write first, and any member tap', async () => {
    const { call, control } = await startTelegram();
    const { result } = await call('sendMessage', { chat_id: -1001, text: 'Hello all' });
    await control('POST /chats/-1001/taps', { message_id: result?.message_id, data: 'a', from: 503 });
    expect((await call('getUpdates')).result).toMatchObject([
      { callback_query: { from: { id: 503 }, message: { chat: { id: -1001 } } } },
    ]);
  });
});

describe("a chat's stream", () => {
  it('reports the events of its chat only', async () => {
    const { origin, call, control, write } = await startTelegram();
    const stream = await openStream(`${origin}/sandbox/telegram/chats/501/stream`);
    await write('elsewhere', 502);
    await write('/start');
    expect(await stream.next()).toMatchObject({ event: 'message', data: { from: 'person', text: '/start' } });
    const { result } = await call('sendMessage', { chat_id: 501, text: 'one' });
    expect(await stream.next()).toMatchObject({ event: 'message', data: { from: 'bot', html: 'one' } });
    const message_id = result?.message_id;
    await call('editMessageText', { chat_id: 501, message_id, text: 'two' });
    expect(await stream.next()).toMatchObject({
      event: 'edit',
      data: { message_id, html: 'two', edited: true },
    });
    const { callback_id } = await control('POST /chats/501/taps', { message_id, data: 'a' });
    await call('answerCallbackQuery', { callback_query_id: callback_id, text: 'Done', show_alert: true });
    expect(await stream.next()).toEqual({
      event: 'toast',
      data: { callback_id, text: 'Done', alert: true },
    });
    await call('deleteMessage', { chat_id: 501, message_id });
    expect(await stream.next()).toEqual({ event: 'delete', data: { message_id } });
    await control('POST /reset');
    expect(await stream.next()).toEqual({ event: 'chat', data: {} });
  });

  it('ends when the sandbox is stopped', async () => {
    const { origin, sandbox } = await startTelegram();
    const stream = await openStream(`${origin}/sandbox/telegram/chats/501/stream`);
    sandbox.stop();
    expect(await stream.next()).toBeUndefined();
  });
});

describe('a reset', () => {
  it('clears chats, queue, journal and faults, but keeps webhook, commands and id counters', async () => {
    const { call, control, write, messages } = await startTelegram();
    await call('setMyCommands', { commands: [{ command: 'start', description: 'Begin' }] });
    const before = await write('/start');
    await control('POST /faults', { kind: 'error', times: 9 });
    await control('POST /reset');
    expect(await messages()).toEqual([]);
    expect(await control('GET /pending')).toBe(0);
    expect(await control('GET /calls')).toEqual([]);
    expect((await call('sendMessage', { chat_id: 501, text: 'x' })).status).toBe(403);
    expect(await control('GET /bot')).toMatchObject({ commands: [{ command: 'start' }] });
    const after = await write('/start');
    expect(after.message_id).toBeGreaterThan(before.message_id);
    expect(after.update_id).toBeGreaterThan(before.update_id ?? 0);
  });
});
