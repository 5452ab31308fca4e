import { expect, test } from 'vitest';
import { beginningOf, fixedPart } from '../support/locales.ts';
import type { Chat, Seen } from './chat.ts';
import { createHealth } from './health.ts';
import type { MoneyRequest } from './journal.ts';
import type { Tap } from './person.ts';
import { judge } from './verdict.ts';

const ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const PURCHASE = `energy/65000/1/${ADDRESS}`;
const CARD = 7;
const OPEN = card(fixedPart('operation-check'));
const GOING = card('⏳ Buying…');
const BOUGHT = card(beginningOf('order-awaited'));
const NOW = Date.now();

function card(headline: string): string {
  return `${headline}\n⚡ 65,000 energy · 1 h\nEnergy for (the sender): ${ADDRESS}`;
}

function shows(text: string, at: number): Seen {
  const message = { message_id: CARD, from: 'bot' as const, text, html: text, operation: '0123ABCD' };
  return { at: NOW + at, kind: 'edit', message_id: CARD, message };
}

/** Judges a chat in which the user tapped *Confirm* at 0, followed by `seen`. */
function verdictOn(seen: Seen[], { requests = 1, executed = 1, toast = '' } = {}) {
  const tap: Tap = {
    ...{
      chat: 1,
      at: NOW,
      until: NOW + 5,
      label: fixedPart('button-confirm'),
      message: CARD,
      text: OPEN,
      isLive: true,
    },
    ...{ operation: '0123ABCD', callback: 'c', update: 1 },
  };
  const all = [
    shows(OPEN, -10),
    ...seen,
    { at: NOW + 1, kind: 'toast' as const, callback: 'c', text: toast },
  ];
  const last = all.findLast(({ message }) => message)?.message;
  const chat = { id: 1, seen: all, messages: () => (last ? [last] : []) } as unknown as Chat;
  const request: MoneyRequest = { at: NOW + 20, over: NOW + 30, purchase: PURCHASE };
  return judge({
    chats: [chat],
    taps: [tap],
    journal: { money: Array(requests).fill(request), delivered: [[1, NOW + 2]], polled: [] },
    executed: new Map(executed > 0 ? [[PURCHASE, executed]] : []),
    health: { ...createHealth(), wellSince: () => NOW - 100 },
  });
}

const kinds = (verdict: ReturnType<typeof judge>) => verdict.findings.map(({ kind }) => kind);

test('accepts a purchase that was made once and reported soon', () => {
  const verdict = verdictOn([shows(GOING, 10), shows(BOUGHT, 1_000)]);
  expect(verdict).toMatchObject({ findings: [], confirmations: 1, executions: 1, reportedWithinMs: 970 });
});

test('finds two requests for one purchase even if one was executed', () => {
  expect(kinds(verdictOn([shows(BOUGHT, 1_000)], { requests: 2 }))).toEqual(['doubled']);
});

test.each([
  ['remains in progress forever', [shows(GOING, 10)], { executed: 0 }],
  ['was executed although its receipt says rejected', [shows(card(beginningOf('energy-refused')), 10)], {}],
  ['was executed although its card is void', [shows(card(beginningOf('operation-void')), 10)], {}],
  ['was not executed although its receipt says bought', [shows(BOUGHT, 10)], { executed: 0, requests: 0 }],
])('finds a purchase that %s', (_, seen, service) => {
  expect(kinds(verdictOn(seen, service))).toEqual(['unreported']);
});

test('finds an outcome shown later than 20 s after the last disturbance', () => {
  expect(kinds(verdictOn([shows(GOING, 10), shows(BOUGHT, 20_031)]))).toEqual(['late']);
});

test('ignores the delay of an operation that was never executed', () => {
  const replaced = [shows(card('⤵️ Replaced by a newer card.'), 40_000)];
  expect(kinds(verdictOn(replaced, { requests: 0, executed: 0 }))).toEqual([]);
});

test('finds a tap without a result unless a toast explains it', () => {
  expect(kinds(verdictOn([], { requests: 0, executed: 0 }))).toEqual(['silent']);
  expect(kinds(verdictOn([], { requests: 0, executed: 0, toast: 'This card has expired.' }))).toEqual([]);
});

test('ignores texts about other operations or after the next action', () => {
  const other = { message_id: 9, from: 'bot' as const, html: '', text: 'Bought', operation: '9999ZZZZ' };
  const news: Seen = { at: NOW + 3, kind: 'message', message_id: 9, message: other };
  const menu: Seen = { ...news, at: NOW + 9, message: { ...other, text: 'Energy and bandwidth on TRON' } };
  expect(kinds(verdictOn([news, menu], { requests: 0, executed: 0 }))).toEqual(['silent']);
});
