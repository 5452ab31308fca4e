import { Api } from 'grammy';
import { afterEach, beforeEach, expect, type Mock, test, vi } from 'vitest';
import { createTelegramFetch } from '../../src/telegram/fetch.ts';
import type { ChatHolds } from '../../src/telegram/sender.ts';
import { type Copier, createCopier } from '../../src/telegram/sender.ts';
import { silentLog } from '../support/log-lines.ts';
import { startTelegramStub, type TelegramStub, TOKEN } from '../support/telegram-stub.ts';

let stub: TelegramStub;
let copier: Copier;
let delivered: Mock<ChatHolds['onDelivered']>;

beforeEach(async () => {
  stub = await startTelegramStub();
  delivered = vi.fn();
  copier = createCopier({ api: stub.newsApi, holds: { onDelivered: delivered }, now: () => 7 });
});

afterEach(() => stub.close());

const from = { chat: 504, message: 9 };
const keyboard = [[{ text: 'More', url: 'https://example.com/' }]];
test('copies a message with the given buttons', async () => {
  stub.plan('copyMessage', { result: { message_id: 42 } });
  expect(await copier.copy(501, from, keyboard)).toEqual({ kind: 'sent' });
  expect(stub.calls).toMatchObject([
    {
      method: 'copyMessage',
      params: { chat_id: 501, from_chat_id: 504, message_id: 9, reply_markup: { inline_keyboard: keyboard } },
    },
  ]);
});

test.each([
  [403, 'Forbidden: bot was blocked by the user', { kind: 'unwritable', why: 'blocked' }],
  [403, 'Forbidden: user is deactivated', { kind: 'unwritable', why: 'deactivated' }],
  [403, "Forbidden: bot can't initiate conversation with a user", { kind: 'unwritable', why: 'unreachable' }],
  [400, 'Bad Request: chat not found', { kind: 'unwritable', why: 'unreachable' }],
  [400, 'Bad Request: message to copy not found', { kind: 'no-source' }],
  [400, 'Bad Request: BUTTON_URL_INVALID', { kind: 'refused', reason: 'Bad Request: BUTTON_URL_INVALID' }],
  [500, 'Internal Server Error', { kind: 'failed', reason: 'Internal Server Error' }],
])('distinguishes the response %i %s and does not retry', async (status, description, expected) => {
  stub.plan('copyMessage', { error: status, description });
  expect(await copier.copy(501, from, keyboard)).toEqual(expected);
  expect(stub.calls).toHaveLength(1);
});

test('returns the delay of a 429 at once', async () => {
  const parameters = { retry_after: 2 };
  stub.plan('copyMessage', { error: 429, description: 'Too Many Requests', parameters });
  expect(await copier.copy(501, from, keyboard)).toEqual({ kind: 'later', afterMs: 2_000 });
  expect(stub.calls).toHaveLength(1);
});

test('reports an unanswered copy as unclear', async () => {
  stub.plan('copyMessage', 'cut');
  expect(await copier.copy(501, from, keyboard)).toEqual({ kind: 'unclear' });
  expect(stub.calls).toHaveLength(1);
});

test('reports accepted copies as delivered, but not refused ones', async () => {
  stub.plan('copyMessage', { error: 400, description: 'Bad Request: chat not found' });
  await copier.copy(501, from, keyboard);
  expect(delivered).not.toHaveBeenCalled();
  await copier.copy(501, from, keyboard);
  expect(delivered.mock.calls).toEqual([[501, 7]]);
});

test('reports `away` if the connection is refused', async () => {
  const fetch = createTelegramFetch({ log: silentLog(), apiRoot: 'http://127.0.0.1:1' }).fetchOnce;
  const api = new Api(TOKEN, { apiRoot: 'http://127.0.0.1:1', fetch });
  const nowhere = createCopier({ api, holds: { onDelivered: delivered }, now: () => 7 });
  expect(await nowhere.copy(501, from, keyboard)).toEqual({ kind: 'away' });
});
