import { describe, expect, it } from 'vitest';
import { CUT } from '../../support/send.ts';
import { startTelegram, TOKEN } from './telegram-server.ts';

const read = async (response: Response) => ({
  status: response.status,
  ...((await response.json()) as object),
});

describe('the Bot API server', () => {
  it('returns the bot', async () => {
    const { call } = await startTelegram();
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
    const { apiRoot } = await startTelegram();
    expect(await read(await fetch(`${apiRoot}/${path}`))).toEqual({
      status,
      ok: false,
      error_code: status,
      description,
    });
  });

  it('accepts parameters as query, JSON, urlencoded or multipart form, and method names in any case', async () => {
    const { apiRoot, write, messages } = await startTelegram();
    await write('/start');
    const url = `${apiRoot}/bot${TOKEN}/sendMessage`;
    const markup = JSON.stringify({ inline_keyboard: [[{ text: 'Buy', callback_data: 'buy' }]] });
    const form = new FormData();
    form.set('chat_id', '501');
    form.set('text', 'form');
    form.set('reply_markup', markup);
    const requests: [string, RequestInit?][] = [
      [`${url}?chat_id=501&text=query&reply_markup=${encodeURIComponent(markup)}`],
      [
        url,
        {
          method: 'POST',
          body: JSON.stringify({ chat_id: 501, text: 'json', reply_markup: JSON.parse(markup) }),
          headers: { 'content-type': 'application/json' },
        },
      ],
      [
        url.replace('sendMessage', 'SENDmessage'),
        {
          method: 'POST',
          body: new URLSearchParams({ chat_id: '501', text: 'urlencoded', reply_markup: markup }),
        },
      ],
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
    const { apiRoot } = await startTelegram();
    const response = await fetch(`${apiRoot}/bot${TOKEN}/getMe`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect(await read(response)).toMatchObject({
      status: 400,
      description: "Bad Request: can't parse JSON object",
    });
  });

  it.each(['no parts at all', '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\ncut off'])(
    'rejects the form %j',
    async (body) => {
      const { apiRoot } = await startTelegram();
      const response = await fetch(`${apiRoot}/bot${TOKEN}/getMe`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'multipart/form-data; boundary=x' },
      });
      expect(await read(response)).toMatchObject({
        status: 400,
        description: 'Bad Request: failed to parse the form',
      });
    },
  );

  it('rejects a field of a wrong type', async () => {
    const { call } = await startTelegram();
    expect(await call('deleteMessage', { chat_id: 501, message_id: 'the last' })).toMatchObject({
      status: 400,
      description: expect.stringContaining('message_id'),
    });
  });

  it('records every call with its response, newest last, and filters them by method', async () => {
    const { call, control } = await startTelegram();
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
    const { call, control, write, messages } = await startTelegram();
    await write('/start');
    await control('POST /faults', { method: 'sendMessage', kind: 'error', times: 2 });
    const send = () => call('sendMessage', { chat_id: 501, text: 'x' });
    expect([(await send()).status, (await send()).status, (await send()).status]).toEqual([500, 500, 200]);
    expect(await messages()).toHaveLength(2);
  });

  it('respond 429 with the requested wait', async () => {
    const { call, control } = await startTelegram();
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
    const { call, control, write, messages } = await startTelegram();
    await write('/start');
    await control('POST /faults', { method: 'sendMessage', kind: 'cut', times: 1, after });
    await expect(call('sendMessage', { chat_id: 501, text: 'x' })).rejects.toThrow(CUT);
    expect(await messages()).toHaveLength(written);
  });

  it('hang until the caller disconnects', async () => {
    const { call, control } = await startTelegram();
    await control('POST /faults', { method: 'getMe', kind: 'hang', times: 1 });
    const caller = new AbortController();
    const hanging = call('getMe', {}, caller.signal);
    await expect.poll(() => control('GET /calls')).toMatchObject([{ method: 'getMe', status: 0 }]);
    caller.abort(new Error('gone'));
    await expect(hanging).rejects.toThrow('gone');
    expect((await call('getMe')).status).toBe(200);
  });

  it('respond late, only after the requested time', async () => {
    const { call, control, clock } = await startTelegram();
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
    const { call, control } = await startTelegram();
    await control('POST /faults', { kind: 'error', times: 2 });
    expect((await call('getUpdates')).status).toBe(200);
    expect((await call('getMe')).status).toBe(500);
    await control('DELETE /faults');
    expect((await call('getMe')).status).toBe(200);
  });
});
