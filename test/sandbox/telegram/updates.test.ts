import { describe, expect, it } from 'vitest';
import { startTelegram } from './telegram-server.ts';

const ids = (result: unknown) => (result as { update_id: number }[]).map(({ update_id }) => update_id);

describe('getUpdates', () => {
  it('returns updates again until an offset confirms them', async () => {
    const { call, control, write } = await startTelegram();
    const first = (await write('one')).update_id ?? 0;
    await write('two');
    const { result } = await call('getUpdates');
    expect(ids(result)).toEqual([first, first + 1]);
    expect(result).toMatchObject([{ message: { text: 'one' } }, { message: { text: 'two' } }]);
    expect(ids((await call('getUpdates', { limit: 1 })).result)).toEqual([first]);
    expect(await control('GET /pending')).toBe(2);
    expect(ids((await call('getUpdates', { offset: first + 1 })).result)).toEqual([first + 1]);
    expect((await call('getUpdates', { offset: first + 2 })).result).toEqual([]);
    expect(await control('GET /pending')).toBe(0);
  });

  it('keeps only the latest ones with a negative offset', async () => {
    const { call, write } = await startTelegram();
    for (const text of ['one', 'two', 'three']) await write(text);
    expect((await call('getUpdates', { offset: -1 })).result).toMatchObject([{ message: { text: 'three' } }]);
    expect((await call('getUpdates')).result).toHaveLength(1);
  });

  it('waits for the next update', async () => {
    const { call, write } = await startTelegram();
    const waiting = call('getUpdates', { timeout: 30 });
    await call('getMe');
    await write('now');
    expect((await waiting).result).toMatchObject([{ message: { text: 'now' } }]);
  });

  it('returns nothing when its time is over', async () => {
    const { call, clock } = await startTelegram();
    let answer: unknown;
    void call('getUpdates', { timeout: 30 }).then(({ result }) => {
      answer = result;
    });
    await call('getMe');
    clock.advance(29_999);
    await call('getMe');
    expect(answer).toBeUndefined();
    await expect
      .poll(() => {
        clock.advance(1_000);
        return answer;
      })
      .toEqual([]);
  });

  it('ends with a conflict when another call is made', async () => {
    const { call, write } = await startTelegram();
    const first = call('getUpdates', { timeout: 30 });
    await call('getMe');
    const second = call('getUpdates', { timeout: 30 });
    expect(await first).toMatchObject({
      status: 409,
      description:
        'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
    });
    await write('for the second');
    expect((await second).result).toHaveLength(1);
  });

  it('loses nothing if its caller disconnects', async () => {
    const { call, write } = await startTelegram();
    const caller = new AbortController();
    const waiting = call('getUpdates', { timeout: 30 }, caller.signal);
    await call('getMe');
    caller.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    await write('still there');
    expect((await call('getUpdates')).result).toHaveLength(1);
  });

  it('is rejected while a webhook is set, and ended by setting one', async () => {
    const { call } = await startTelegram();
    const waiting = call('getUpdates', { timeout: 30 });
    await call('getMe');
    await call('setWebhook', { url: 'http://127.0.0.1:1/hook' });
    expect((await waiting).description).toBe('Conflict: terminated by setWebhook request');
    expect(await call('getUpdates')).toMatchObject({
      status: 409,
      description:
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
    });
    await call('deleteWebhook');
    expect((await call('getUpdates')).status).toBe(200);
  });

  it('returns only the requested types, also in later calls', async () => {
    const { call, control, send } = await startTelegram();
    const message_id = await send();
    await call('getUpdates', { offset: -1, allowed_updates: ['callback_query'] });
    await control('POST /chats/501/messages', { text: 'unheard' });
    await control('POST /chats/501/taps', { message_id, data: 'heard' });
    expect((await call('getUpdates', { offset: 100_002 })).result).toMatchObject([
      { callback_query: { data: 'heard' } },
    ]);
    await call('getUpdates', { offset: -1, allowed_updates: [] });
    await control('POST /chats/501/messages', { text: 'heard again' });
    expect((await call('getUpdates')).result).toHaveLength(2);
  });

  it('drops callback queries after 150 seconds and messages after a day', async () => {
    const { call, control, send, clock } = await startTelegram();
    const message_id = await send();
    await control('POST /chats/501/taps', { message_id, data: 'a' });
    expect((await call('getUpdates')).result).toHaveLength(2);
    clock.advance(150_000);
    expect((await call('getUpdates')).result).toMatchObject([{ message: { text: '/start' } }]);
    clock.advance(24 * 60 * 60 * 1_000);
    expect((await call('getUpdates')).result).toEqual([]);
  });
});

describe('a raw update', () => {
  it('is queued unchanged, with a new id if it has none', async () => {
    const { call, control } = await startTelegram();
    const poll = { question: 'any', made_up: true };
    const { update_id } = await control('POST /updates', { poll });
    expect((await call('getUpdates')).result).toEqual([{ update_id, poll }]);
  });

  it('is delivered again if its id was confirmed already', async () => {
    const { call, control, write } = await startTelegram();
    const { update_id } = await write('one');
    const { result } = await call('getUpdates');
    const offset = (update_id ?? 0) + 1;
    await call('getUpdates', { offset });
    await control('POST /updates', (result as unknown as object[])[0]);
    expect((await call('getUpdates', { offset })).result).toEqual(result);
    expect((await call('getUpdates', { offset })).result).toEqual([]);
  });

  it('raises the next ids if its id is high', async () => {
    const { control, write } = await startTelegram();
    await control('POST /updates', { update_id: 500_000, poll: {} });
    expect((await write('next')).update_id).toBe(500_001);
  });
});
