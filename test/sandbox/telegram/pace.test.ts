import { describe, expect, it } from 'vitest';
import { PEOPLE } from '../../../src/sandbox/telegram/people.ts';
import { startTelegram } from './telegram-server.ts';

describe('the rate limit of messages', () => {
  it('is one a second per chat, after a burst of three', async () => {
    const { call, write, clock } = await startTelegram({});
    await write('/start');
    const send = async () => (await call('sendMessage', { chat_id: 501, text: 'x' })).status;
    expect([await send(), await send(), await send(), await send()]).toEqual([200, 200, 200, 429]);
    expect(await call('sendMessage', { chat_id: 501, text: 'x' })).toMatchObject({
      status: 429,
      description: 'Too Many Requests: retry after 1',
      parameters: { retry_after: 1 },
    });
    clock.advance(1_000);
    expect([await send(), await send()]).toEqual([200, 429]);
  });

  it('is 30 a second in total', async () => {
    const people = Array.from({ length: 31 }, (_, index) => ({
      ...PEOPLE[0],
      id: 9_000 + index,
    })) as typeof PEOPLE;
    const { call, write, clock } = await startTelegram({ people });
    const send = (chat_id: number) => call('sendMessage', { chat_id, text: 'x' });
    for (const { id } of people) await write('/start', id);
    for (const { id } of people.slice(0, 30)) expect((await send(id)).status).toBe(200);
    expect(await send(9_030)).toMatchObject({ status: 429, parameters: { retry_after: 1 } });
    clock.advance(1_000);
    expect((await send(9_030)).status).toBe(200);
  });

  it('does not count edits, callback answers and rejected messages', async () => {
    const { call, write, control } = await startTelegram({});
    await write('/start');
    const { result } = await call('sendMessage', { chat_id: 501, text: 'x' });
    for (let edit = 0; edit < 5; edit += 1) {
      const text = `edit ${edit}`;
      const edited = await call('editMessageText', { chat_id: 501, message_id: result?.message_id, text });
      expect(edited.status).toBe(200);
      const tap = await control('POST /chats/501/taps', { message_id: result?.message_id, data: 'a' });
      const answered = await call('answerCallbackQuery', { callback_query_id: tap.callback_id });
      expect(answered.status).toBe(200);
      expect((await call('sendMessage', { chat_id: 501, text: '' })).status).toBe(400);
    }
    expect((await call('sendMessage', { chat_id: 501, text: 'x' })).status).toBe(200);
  });

  it('is applied to any second, not to fixed ones', async () => {
    const { call, write, clock } = await startTelegram({ limits: { perSecond: 3, perChatPerSecond: 1 } });
    for (const id of [501, 502, 503, 504]) await write('/start', id);
    const send = async (chat_id: number) => (await call('sendMessage', { chat_id, text: 'x' })).status;
    expect([await send(501), await send(502)]).toEqual([200, 200]);
    clock.advance(600);
    expect([await send(503), await send(504)]).toEqual([200, 429]);
    clock.advance(400);
    expect([await send(501), await send(502), await send(503)]).toEqual([200, 200, 429]);
    clock.advance(600);
    expect([await send(503), await send(504)]).toEqual([200, 429]);
  });

  it('reports the rejected messages by limit and the highest rate', async () => {
    const { call, write, control, clock } = await startTelegram({
      limits: { perSecond: 4, perChatPerSecond: 1 },
    });
    const none = { refused: { overall: 0, chat: 0 }, most_in_a_second: 0, last_refused_at: null };
    expect(await control('GET /pace')).toEqual(none);
    for (const id of [501, 502]) await write('/start', id);
    const send = (chat_id: number) => call('sendMessage', { chat_id, text: 'x' });
    for (let count = 0; count < 3; count += 1) await send(501);
    clock.advance(600);
    await send(501);
    const refusedAt = clock.now();
    clock.advance(399);
    await send(502);
    expect(await control('GET /pace')).toEqual({
      refused: { overall: 0, chat: 1 },
      most_in_a_second: 4,
      last_refused_at: refusedAt,
    });
    await send(502);
    clock.advance(1);
    await send(502);
    expect(await control('GET /pace')).toEqual({
      refused: { overall: 1, chat: 1 },
      most_in_a_second: 4,
      last_refused_at: clock.now() - 1,
    });
    await control('POST /reset');
    expect(await control('GET /pace')).toEqual(none);
  });

  it('measures the highest rate without limits too, and does not count faults', async () => {
    const { call, write, control, clock } = await startTelegram({ limits: false });
    await write('/start');
    await control('POST /faults', { kind: 'rate-limit', times: 1 });
    for (let count = 0; count < 51; count += 1) await call('sendMessage', { chat_id: 501, text: 'x' });
    clock.advance(1_000);
    for (let count = 0; count < 10; count += 1) await call('sendMessage', { chat_id: 501, text: 'x' });
    expect(await control('GET /pace')).toMatchObject({
      refused: { overall: 0, chat: 0 },
      most_in_a_second: 50,
    });
  });

  it('can be changed and turned off', async () => {
    const slow = await startTelegram({ limits: { perSecond: 1, perChatPerSecond: 0.1 } });
    await slow.write('/start');
    await slow.write('/start', 502);
    expect((await slow.call('sendMessage', { chat_id: 501, text: 'x' })).status).toBe(200);
    expect((await slow.call('sendMessage', { chat_id: 502, text: 'x' })).status).toBe(429);
    const free = await startTelegram({ limits: false });
    await free.write('/start');
    for (let count = 0; count < 40; count += 1) {
      expect((await free.call('sendMessage', { chat_id: 501, text: 'x' })).status).toBe(200);
    }
  });
});
