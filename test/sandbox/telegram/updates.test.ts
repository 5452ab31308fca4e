import { describe, expect, it, onTestFinished } from 'vitest';
import { startHttpServer } from '../../support/http-server.ts';
import { recordProcessWarnings } from '../../support/process-warnings.ts';
import { badRequest, useTelegram } from './telegram-server.ts';

const { call, clock, control, messages, send, write } = useTelegram();

const ids = (result: unknown) => (result as { update_id: number }[]).map(({ update_id }) => update_id);

describe('getUpdates', () => {
  it('returns updates again until an offset confirms them', async () => {
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
    for (const text of ['one', 'two', 'three']) await write(text);
    expect((await call('getUpdates', { offset: -1 })).result).toMatchObject([{ message: { text: 'three' } }]);
    expect((await call('getUpdates')).result).toHaveLength(1);
  });

  it('waits for the next update', async () => {
    const waiting = call('getUpdates', { timeout: 30 });
    await call('getMe');
    await write('now');
    expect((await waiting).result).toMatchObject([{ message: { text: 'now' } }]);
  });

  it('returns nothing when its time is over', async () => {
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
    const caller = new AbortController();
    const waiting = call('getUpdates', { timeout: 30 }, caller.signal);
    await call('getMe');
    caller.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    await write('still there');
    expect((await call('getUpdates')).result).toHaveLength(1);
  });

  it('is rejected while a webhook is set, and ended by setting one', async () => {
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
    const poll = { question: 'any', made_up: true };
    const { update_id } = await control('POST /updates', { poll });
    expect((await call('getUpdates')).result).toEqual([{ update_id, poll }]);
  });

  it('is delivered again if its id was confirmed already', async () => {
    const { update_id } = await write('one');
    const { result } = await call('getUpdates');
    const offset = (update_id ?? 0) + 1;
    await call('getUpdates', { offset });
    await control('POST /updates', (result as unknown as object[])[0]);
    expect((await call('getUpdates', { offset })).result).toEqual(result);
    expect((await call('getUpdates', { offset })).result).toEqual([]);
  });

  it('raises the next ids if its id is high', async () => {
    await control('POST /updates', { update_id: 500_000, poll: {} });
    expect((await write('next')).update_id).toBe(500_001);
  });
});

interface Delivered {
  update: Record<string, unknown>;
  secret: string | undefined;
  answer: (response: Response) => void;
}

/** Starts a webhook whose responses the test gives. */
async function startReceiver() {
  const delivered: Delivered[] = [];
  const server = await startHttpServer(async (request) => {
    const update = (await request.json()) as Record<string, unknown>;
    const secret = request.headers.get('x-telegram-bot-api-secret-token') ?? undefined;
    return new Promise<Response>((answer) => delivered.push({ update, secret, answer }));
  });
  onTestFinished(async () => {
    for (const { answer } of delivered) answer(new Response());
    await server.close();
  });
  return {
    url: `${server.origin}/hook`,
    delivered,
    async next(count: number): Promise<Delivered> {
      await expect.poll(() => delivered.length).toBeGreaterThanOrEqual(count);
      const one = delivered[count - 1];
      if (!one) throw new Error('nothing was delivered');
      return one;
    },
  };
}

const withWebhook = async (settings: object = {}) => {
  const receiver = await startReceiver();
  await call('setWebhook', { url: receiver.url, secret_token: 'a-Secret_1', ...settings });
  return receiver;
};
const OK = () => new Response();
const FAILED = () => new Response(null, { status: 503 });

describe('a webhook', () => {
  it('receives updates with the secret token', async () => {
    const { next } = await withWebhook();
    await write('/start');
    const { update, secret, answer } = await next(1);
    expect(update).toMatchObject({ update_id: expect.any(Number), message: { text: '/start' } });
    expect(secret).toBe('a-Secret_1');
    expect(await control('GET /pending')).toBe(1);
    answer(OK());
    await expect.poll(() => control('GET /pending')).toBe(0);
  });

  it('receives messages of one chat in order, and others and taps concurrently', async () => {
    const { next, delivered } = await withWebhook();
    await write('one');
    await write('two');
    await write('from another', 502);
    const sent = await call('sendMessage', { chat_id: 501, text: 'x' });
    const tap = { message_id: sent.result?.message_id, data: 'a' };
    await control('POST /chats/501/taps', tap);
    await control('POST /chats/501/taps', tap);
    await next(3);
    await control('GET /pending');
    expect(delivered.map(({ update }) => update)).toEqual([
      expect.objectContaining({ message: expect.objectContaining({ text: 'one' }) }),
      expect.objectContaining({ message: expect.objectContaining({ text: 'from another' }) }),
      expect.objectContaining({ callback_query: expect.objectContaining({ data: 'a' }) }),
    ]);
    delivered[0]?.answer(OK());
    expect((await next(4)).update).toMatchObject({ message: { text: 'two' } });
  });

  it('receives at most max_connections updates concurrently', async () => {
    const { next, delivered } = await withWebhook({ max_connections: 1 });
    await write('one', 501);
    await write('two', 502);
    const first = await next(1);
    await control('GET /pending');
    expect(delivered).toHaveLength(1);
    first.answer(OK());
    expect((await next(2)).update).toMatchObject({ message: { text: 'two' } });
  });

  it('receives updates of many chats at once without a warning about listeners', async () => {
    const warnings = recordProcessWarnings();
    const { next } = await withWebhook();
    await control('POST /crowd', { first_id: 1_000, count: 20 });
    for (let chat = 1_000; chat < 1_020; chat += 1) await write('one', chat);
    await next(20);
    expect(await warnings()).toEqual([]);
  });

  it('receives an update again after 1, 2, 4 … seconds until it accepts it', async () => {
    const { next, delivered } = await withWebhook();
    await write('again');
    for (const [attempt, wait] of [1_000, 2_000, 4_000].entries()) {
      (await next(attempt + 1)).answer(FAILED());
      await expect
        .poll(async () => (await call('getWebhookInfo')).result?.last_error_date)
        .toBe(Math.floor(clock.now() / 1_000));
      clock.advance(wait - 1);
      await call('getMe');
      expect(delivered).toHaveLength(attempt + 1);
      clock.advance(1);
    }
    const last = await next(4);
    expect(last.update).toEqual(delivered[0]?.update);
    last.answer(OK());
    await expect
      .poll(async () => (await call('getWebhookInfo')).result)
      .toMatchObject({
        pending_update_count: 0,
        last_error_message: 'Wrong response from the webhook: 503 Service Unavailable',
      });
  });

  it('delays only the messages of a chat whose update failed', async () => {
    const { next, delivered } = await withWebhook();
    await write('one');
    await write('two');
    (await next(1)).answer(FAILED());
    await expect.poll(async () => (await call('getWebhookInfo')).result?.last_error_date).toBeDefined();
    await write('from another', 502);
    expect((await next(2)).update).toMatchObject({ message: { text: 'from another' } });
    clock.advance(1_000);
    expect((await next(3)).update).toEqual(delivered[0]?.update);
  });

  it('receives no tap after 150 seconds of failures', async () => {
    const { next } = await withWebhook({ allowed_updates: ['callback_query'] });
    await write('/start');
    const { result } = await call('sendMessage', { chat_id: 501, text: 'x' });
    await control('POST /chats/501/taps', { message_id: result?.message_id, data: 'a' });
    (await next(1)).answer(FAILED());
    await expect.poll(async () => (await call('getWebhookInfo')).result?.last_error_date).toBeDefined();
    clock.advance(150_000);
    expect(await control('GET /pending')).toBe(0);
  });

  it('makes an API call by its response', async () => {
    const { next } = await withWebhook();
    await write('/start');
    (await next(1)).answer(Response.json({ method: 'sendMessage', chat_id: 501, text: 'by answer' }));
    await expect.poll(() => messages()).toMatchObject([{}, { from: 'bot', text: 'by answer' }]);
    expect(await control('GET /calls?method=sendMessage')).toMatchObject([{ status: 200 }]);
  });

  it('is retried if the connection is refused', async () => {
    await call('setWebhook', { url: 'http://127.0.0.1:1/hook' });
    await write('anybody?');
    await expect
      .poll(async () => (await call('getWebhookInfo')).result)
      .toMatchObject({ last_error_message: 'Connection failed', pending_update_count: 1 });
    const { url, delivered, next } = await startReceiver();
    await call('setWebhook', { url });
    expect((await next(1)).update).toMatchObject({ message: { text: 'anybody?' } });
    expect(delivered[0]?.secret).toBeUndefined();
    clock.advance(1_000);
    await control('GET /pending');
    expect(delivered).toHaveLength(1);
  });

  it('is retried at once when it is set again, without repeating pending updates', async () => {
    const { next, url, delivered } = await withWebhook();
    await write('failed');
    (await next(1)).answer(FAILED());
    await expect.poll(async () => (await call('getWebhookInfo')).result?.last_error_date).toBeDefined();
    await write('unanswered', 502);
    await next(2);
    await call('setWebhook', { url, secret_token: 'a-Secret_1' });
    expect((await next(3)).update).toEqual(delivered[0]?.update);
    await control('GET /pending');
    expect(delivered).toHaveLength(3);
  });

  it('receives nothing after it was deleted, and pending updates are polled or dropped', async () => {
    const { next } = await withWebhook();
    await write('one');
    (await next(1)).answer(FAILED());
    await call('deleteWebhook');
    expect((await call('getUpdates')).result).toMatchObject([{ message: { text: 'one' } }]);
    await call('deleteWebhook', { drop_pending_updates: true });
    expect(await control('GET /pending')).toBe(0);
    expect((await call('getWebhookInfo')).result).toMatchObject({ url: '' });
  });

  it('is returned as it was set', async () => {
    const { url } = await withWebhook({ allowed_updates: ['message'], max_connections: 7 });
    expect((await call('getWebhookInfo')).result).toEqual({
      url,
      has_custom_certificate: false,
      pending_update_count: 0,
      max_connections: 7,
      allowed_updates: ['message'],
    });
  });

  it.each([
    [{ url: 'not a url' }, 'invalid webhook URL specified'],
    [{ url: 'http://example.com/hook' }, 'bad webhook: An HTTPS URL must be provided for webhook'],
    [{ url: 'ftp://127.0.0.1/hook' }, 'bad webhook: An HTTPS URL must be provided for webhook'],
    [
      { url: 'https://example.com:3000/hook' },
      'bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443',
    ],
    [{ url: 'https://example.com/hook', secret_token: 'a'.repeat(257) }, 'secret token is too long'],
    [
      { url: 'https://example.com/hook', secret_token: 'a secret' },
      'secret token contains unallowed characters',
    ],
  ])('is rejected with %j', async (params, problem) => {
    expect(await call('setWebhook', params)).toMatchObject(badRequest(problem));
    expect((await call('getWebhookInfo')).result).toMatchObject({ url: '' });
  });
});
