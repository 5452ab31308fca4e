import { randomBytes } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { createLinks } from '../../../src/accounts/links.ts';
import { createDepositEvents } from '../../../src/notices/events/deposit.ts';
import { createMemoryStorage } from '../../../src/storage/memory.ts';
import { createSeal } from '../../../src/storage/seal.ts';
import { createTurns } from '../../../src/storage/turns.ts';
import type { Sender } from '../../../src/telegram/sender.ts';
import { createTexts } from '../../../src/texts/texts.ts';
import { ACCOUNT } from '../../operations/rental-stand-in.ts';
import { USER } from '../../operations/room.ts';
import { recordingLog, silentLog } from '../../support/log-lines.ts';
import { signedRecords } from '../../support/records.ts';
import { expectWithinLimits } from '../../texts/telegram-limits.ts';

const texts = createTexts();
const KEY = 'a-key-of-the-tests';
const deposit = (data: Record<string, unknown>) => ({ type: 'deposit.confirmed', id: 'deposit:1', data });

/** One who speaks English and one who speaks Russian hold the account; a third holds another. */
async function openDeposits() {
  const storage = createMemoryStorage();
  const links = createLinks({
    storage,
    records: signedRecords(storage),
    seal: createSeal([randomBytes(32)]),
    now: () => 1_000,
  });
  await links.link(USER, ACCOUNT, KEY, 'en');
  await links.link(USER + 1, ACCOUNT, KEY, 'ru');
  await links.link(USER + 2, ACCOUNT + 1, KEY, 'en');
  const turns = createTurns({ storage });
  const send = vi.fn<Sender['send']>(async () => ({ kind: 'sent', messageId: 1 }));
  const { log, lines } = recordingLog();
  const { types, handle } = createDepositEvents({ turns, links, sender: { send }, texts, log });
  const told = () => send.mock.calls.map(([user, { html }]) => [user, html]);
  return {
    lines,
    links,
    send,
    types,
    handle: (data: Record<string, unknown>) => handle(ACCOUNT, deposit(data)),
    told,
  };
}

test('it hears deposits, and nothing else', async () => {
  expect((await openDeposits()).types).toEqual(['deposit.confirmed']);
});

test.each([
  ['12.5', 'TRX', '12.5'],
  [12.5, 'USDT', '12.5'],
  ['0.000001', 'TRX', '0.000001'],
  [1e-6, 'TRX', '0.000001'],
  ['1000000', 'TRX', '1000000'],
])(
  'a deposit of %j %s is told to everybody who holds the account, each in their language',
  async (amount, currency, said) => {
    const { handle, told, send } = await openDeposits();
    await handle({ id: 1, amount, currency });
    expect(told()).toEqual([
      [USER, texts.in('en').html('deposit-arrived', { amount: said, currency })],
      [USER + 1, texts.in('ru').html('deposit-arrived', { amount: said, currency })],
    ]);
    expect(told()[0]?.[1]).toContain(`${said} ${currency}`);
    for (const [, { html, keyboard = [] }] of send.mock.calls) expectWithinLimits({ html, keyboard });
  },
);

describe('a deposit of which the event does not tell how much', () => {
  const odd: [string, Record<string, unknown>][] = [
    ['naming nothing', {}],
    ['without a currency', { amount: '12.5' }],
    ['in another currency', { amount: '12.5', currency: 'BTC' }],
    ['without an amount', { currency: 'TRX' }],
    ['of nothing', { amount: '0', currency: 'TRX' }],
    ['of less than nothing', { amount: '-1', currency: 'TRX' }],
    ['of more than there is', { amount: '1e15', currency: 'TRX' }],
    ['of a number that is none', { amount: Number.NaN, currency: 'TRX' }],
    ['of an object', { amount: { trx: 1 }, currency: 'TRX' }],
    ['of words', { amount: 'a lot', currency: 'TRX' }],
    ['of an empty text', { amount: '', currency: 'TRX' }],
    ['of two numbers', { amount: '1,000.50', currency: 'TRX' }],
    ['of markup', { amount: '<b>1</b>', currency: 'TRX' }],
  ];
  test.each(odd)('is told without: %s', async (_, data) => {
    const { handle, told } = await openDeposits();
    await handle(data);
    expect(told()).toEqual([
      [USER, texts.in('en').html('deposit-arrived-bare')],
      [USER + 1, texts.in('ru').html('deposit-arrived-bare')],
    ]);
  });
});

test('is told in the language that its user speaks by then', async () => {
  const { links, handle, told } = await openDeposits();
  await links.speak(USER, 'ru');
  await handle({});
  expect(told()[0]).toEqual([USER, texts.in('ru').html('deposit-arrived-bare')]);
});

test('who has unlinked the account, or linked another, is told nothing', async () => {
  const { links, handle, told } = await openDeposits();
  await links.unlink(USER);
  await links.link(USER + 1, ACCOUNT + 1, KEY, 'en');
  await handle({});
  expect(told()).toEqual([]);
});

test('what Telegram refuses for now comes again, and what it refuses for good does not', async () => {
  const { handle, send } = await openDeposits();
  send.mockResolvedValueOnce({ kind: 'later', afterMs: 1_000 });
  await expect(handle({})).rejects.toThrow('could not be told yet');
  for (const kind of ['blocked', 'gone'] as const) {
    send.mockClear();
    send.mockResolvedValueOnce({ kind });
    await handle({});
    await handle({});
    expect(send.mock.calls.length).toBeLessThanOrEqual(1);
  }
});

test('a holder who was told is not told again because another could not be told yet', async () => {
  const { handle, send, told } = await openDeposits();
  send.mockResolvedValueOnce({ kind: 'sent', messageId: 1 });
  send.mockResolvedValueOnce({ kind: 'failed', reason: 'away' });
  await expect(handle({})).rejects.toThrow('could not be told yet');
  await handle({});
  expect(told().map(([user]) => user)).toEqual([USER, USER + 1, USER + 1]);
});

test('a holder whom the news may have reached is not told twice, and the log says so', async () => {
  const { handle, send, told, lines } = await openDeposits();
  send.mockResolvedValueOnce({ kind: 'unclear', reason: 'UND_ERR_SOCKET' });
  await handle({});
  await handle({});
  expect(told().map(([user]) => user)).toEqual([USER, USER + 1]);
  expect(lines()).toMatchObject([{ level: 'warn', user: USER, reason: 'UND_ERR_SOCKET' }]);
});

test.each([
  { kind: 'failed', reason: 'away' },
  { kind: 'later', afterMs: 1_000 },
  { kind: 'refused', reason: 'Bad Request: nobody knows why' },
] as const)('a holder to whom sending is $kind keeps it from no other', async (sent) => {
  const { handle, send, told } = await openDeposits();
  send.mockResolvedValueOnce(sent);
  await handle({}).catch(() => undefined);
  expect(told().map(([user]) => user)).toEqual([USER, USER + 1]);
});

test('of copies that are told at once, each holder hears one; the others come again', async () => {
  const { handle, told } = await openDeposits();
  const copies = await Promise.allSettled(Array.from({ length: 10 }, () => handle({})));
  expect(copies.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0);
  await handle({});
  expect(told().map(([user]) => user)).toEqual([USER, USER + 1]);
});

test('whoever linked another account while it was told is told nothing', async () => {
  const send = vi.fn<Sender['send']>();
  const link = { account: ACCOUNT + 1, tail: 'ests', linkedAt: 1_000, language: 'en' } as const;
  const links = {
    holders: async () => [USER, USER + 1],
    find: async (user: number) => (user === USER ? link : undefined),
  };
  const turns = createTurns({ storage: createMemoryStorage() });
  const { handle } = createDepositEvents({
    turns,
    links,
    sender: { send },
    texts,
    log: silentLog(),
  });
  await handle(ACCOUNT, deposit({}));
  expect(send).not.toHaveBeenCalled();
});

test('a holder to whom Telegram will never have it said is named in the log, once, and the event is over', async () => {
  const { handle, send, lines } = await openDeposits();
  send.mockResolvedValueOnce({ kind: 'refused', reason: 'Bad Request: nobody knows why' });
  await handle({});
  await handle({});
  expect(lines().map(({ level, user }) => [level, user])).toEqual([['error', USER]]);
});
