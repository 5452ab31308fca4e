import { Bot, type Context, InlineKeyboard, InputFile, webhookCallback } from 'grammy';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PEOPLE } from '../../../src/sandbox/telegram/people.ts';
import { startHttpServer } from '../../support/http-server.ts';
import { CUT } from '../../support/send.ts';
import { badRequest, PIXEL, startTelegram, TOKEN, useTelegram } from './telegram-server.ts';

const telegram = useTelegram();
const { call, clock, control, messages, write } = telegram;

const read = async (response: Response) => ({
  status: response.status,
  ...((await response.json()) as object),
});

describe('the Bot API server', () => {
  it('returns the bot', async () => {
    expect((await call('getMe')).result).toMatchObject({
      id: 700,
      is_bot: true,
      first_name: 'Energy Rental',
      username: 'rental_demo_bot',
      can_read_all_group_messages: false,
    });
  });

  it.each([
    ['a wrong token', 'bot700:wrong/getMe', 401, 'Unauthorized'],
    ['a malformed token', 'botnonsense/getMe', 404, 'Not Found'],
    ['no token', 'getMe', 404, 'Not Found'],
    ['an unknown method', `bot${TOKEN}/sendGift`, 404, 'Not Found: method not found'],
    ['an unknown file', `file/bot${TOKEN}/photos/file_1.png`, 404, 'Not Found'],
    ['a file with a wrong token', 'file/bot700:wrong/photos/file_1.png', 401, 'Unauthorized'],
  ])('rejects %s', async (_, path, status, description) => {
    expect(await read(await fetch(`${telegram.server.apiRoot}/${path}`))).toEqual({
      status,
      ok: false,
      error_code: status,
      description,
    });
  });

  it('accepts parameters as query, JSON, urlencoded or multipart form, and method names in any case', async () => {
    await write('/start');
    const url = `${telegram.server.apiRoot}/bot${TOKEN}/sendMessage`;
    const markup = JSON.stringify({ inline_keyboard: [[{ text: 'Buy', callback_data: 'buy' }]] });
    const form = new FormData();
    form.set('chat_id', '501');
    form.set('text', 'form');
    form.set('reply_markup', markup);
    const json = JSON.stringify({ chat_id: 501, text: 'json', reply_markup: JSON.parse(markup) });
    const urlencoded = new URLSearchParams({ chat_id: '501', text: 'urlencoded', reply_markup: markup });
    const headers = { 'content-type': 'application/json' };
    const requests: [string, RequestInit?][] = [
      [`${url}?chat_id=501&text=query&reply_markup=${encodeURIComponent(markup)}`],
      [url, { method: 'POST', body: json, headers }],
      [url.replace('sendMessage', 'SENDmessage'), { method: 'POST', body: urlencoded }],
      [url, { method: 'POST', body: form }],
    ];
    for (const [address, init] of requests) {
      expect((await fetch(address, init)).status).toBe(200);
    }
    expect((await messages()).slice(1)).toMatchObject(
      ['query', 'json', 'urlencoded', 'form'].map((text) => ({
        text,
        keyboard: [[{ text: 'Buy', kind: 'callback', data: 'buy' }]],
      })),
    );
  });

  it.each(['{"chat_id":', '"text"', 'null'])('rejects the body %s', async (body) => {
    const response = await fetch(`${telegram.server.apiRoot}/bot${TOKEN}/getMe`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect(await read(response)).toMatchObject(badRequest("can't parse JSON object"));
  });

  it.each(['no parts at all', '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\ncut off'])(
    'rejects the form %j',
    async (body) => {
      const response = await fetch(`${telegram.server.apiRoot}/bot${TOKEN}/getMe`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'multipart/form-data; boundary=x' },
      });
      expect(await read(response)).toMatchObject(badRequest('failed to parse the form'));
    },
  );

  it('rejects a field of a wrong type', async () => {
    expect(await call('deleteMessage', { chat_id: 501, message_id: 'the last' })).toMatchObject({
      status: 400,
      description: expect.stringContaining('message_id'),
    });
  });

  it('records every call with its response, newest last, and filters them by method', async () => {
    await call('getMe');
    await call('sendMessage', { chat_id: 77, text: 'x' });
    expect(await control('GET /calls')).toEqual([
      { method: 'getMe', params: {}, status: 200, at: expect.any(Number) },
      {
        method: 'sendMessage',
        params: { chat_id: 77, text: 'x' },
        status: 400,
        description: 'Bad Request: chat not found',
        at: expect.any(Number),
      },
    ]);
    expect(await control('GET /calls?method=getMe')).toHaveLength(1);
  });
});

describe('requested faults', () => {
  it('respond 500 as often as requested without executing the call', async () => {
    await write('/start');
    await control('POST /faults', { method: 'sendMessage', kind: 'error', times: 2 });
    const send = () => call('sendMessage', { chat_id: 501, text: 'x' });
    expect([(await send()).status, (await send()).status, (await send()).status]).toEqual([500, 500, 200]);
    expect(await messages()).toHaveLength(2);
  });

  it('respond 429 with the requested wait', async () => {
    await control('POST /faults', { kind: 'rate-limit', retry_after: 7, times: 1 });
    expect(await call('getMe')).toMatchObject({
      status: 429,
      description: 'Too Many Requests: retry after 7',
      parameters: { retry_after: 7 },
    });
  });

  it.each([
    ['before', false, 1],
    ['after', true, 2],
  ])('cut the connection %s the call is executed', async (_, after, written) => {
    await write('/start');
    await control('POST /faults', { method: 'sendMessage', kind: 'cut', times: 1, after });
    await expect(call('sendMessage', { chat_id: 501, text: 'x' })).rejects.toThrow(CUT);
    expect(await messages()).toHaveLength(written);
  });

  it('hang until the caller disconnects', async () => {
    await control('POST /faults', { method: 'getMe', kind: 'hang', times: 1 });
    const caller = new AbortController();
    const hanging = call('getMe', {}, caller.signal);
    await expect.poll(() => control('GET /calls')).toMatchObject([{ method: 'getMe', status: 0 }]);
    caller.abort(new Error('gone'));
    await expect(hanging).rejects.toThrow('gone');
    expect((await call('getMe')).status).toBe(200);
  });

  it('respond late, only after the requested time', async () => {
    await control('POST /faults', { method: 'getMe', kind: 'latency', ms: 5_000, times: 1 });
    let answered = false;
    const late = call('getMe').then((answer) => {
      answered = true;
      return answer;
    });
    await call('getWebhookInfo');
    expect(answered).toBe(false);
    await expect
      .poll(() => {
        clock.advance(5_000);
        return answered;
      })
      .toBe(true);
    expect((await late).status).toBe(200);
  });

  it('affect any method but getUpdates by default, and are removed by DELETE', async () => {
    await control('POST /faults', { kind: 'error', times: 2 });
    expect((await call('getUpdates')).status).toBe(200);
    expect((await call('getMe')).status).toBe(500);
    await control('DELETE /faults');
    expect((await call('getMe')).status).toBe(200);
  });
});

const createBot = () => {
  const bot = new Bot(TOKEN, { client: { apiRoot: telegram.server.apiRoot } });
  bot.command('start', (ctx: Context) =>
    ctx.reply('Welcome', { reply_markup: new InlineKeyboard().text('Buy energy', 'buy') }),
  );
  bot.callbackQuery('buy', async (ctx) => {
    await ctx.answerCallbackQuery('Bought');
    await ctx.editMessageText('<b>Done</b>', { parse_mode: 'HTML' });
  });
  return bot;
};

const talk = async () => {
  await write('/start');
  await expect
    .poll(() => messages())
    .toMatchObject([{ text: '/start' }, { text: 'Welcome', keyboard: [[{ data: 'buy' }]] }]);
  await control('POST /chats/501/taps', { message_id: 2, data: 'buy' });
  await expect.poll(() => messages()).toMatchObject([{}, { html: '<b>Done</b>', edited: true }]);
};

describe('a bot on grammY', () => {
  it('works with long polling', async () => {
    const bot = createBot();
    const running = bot.start();
    await talk();
    await bot.stop();
    await running;
    expect(await control('GET /pending')).toBe(0);
  });

  it('works with webhooks', async () => {
    const bot = createBot();
    const hook = await startHttpServer(webhookCallback(bot, 'std/http', { secretToken: 'secret' }));
    onTestFinished(async () => {
      telegram.server.sandbox.stop();
      await hook.close();
    });
    await bot.api.setWebhook(`${hook.origin}/`, { secret_token: 'secret' });
    await talk();
    await expect.poll(() => control('GET /pending')).toBe(0);
  });

  it('uploads photos', async () => {
    const { api } = createBot();
    await write('/start');
    const sent = await api.sendPhoto(501, new InputFile(PIXEL, 'qr.png'), { caption: 'One' });
    expect(sent).toMatchObject({ caption: 'One', photo: [{ width: 1, height: 1 }] });
    const media = { type: 'photo', media: new InputFile(PIXEL), caption: 'Two' } as const;
    const edited = await api.editMessageMedia(501, sent.message_id, media);
    expect(edited).toMatchObject({ caption: 'Two', photo: [{ width: 1, height: 1 }] });
  });

  it('uploads documents, also with spaces in their names', async () => {
    const { api } = createBot();
    await write('/start');
    const file = new InputFile(Buffer.from('a,b'), 'my invoices; 2026.csv');
    const { document } = await api.sendDocument(501, file);
    expect(document).toMatchObject({
      file_name: 'my invoices; 2026.csv',
      mime_type: 'text/csv',
      file_size: 3,
    });
  });
});

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
