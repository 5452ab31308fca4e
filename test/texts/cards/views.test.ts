import { describe, expect, test } from 'vitest';
import * as account from '../../../src/texts/cards/account.ts';
import * as buying from '../../../src/texts/cards/buying.ts';
import { help, menu, settings } from '../../../src/texts/cards/menu.ts';
import { operationCard } from '../../../src/texts/cards/operation.ts';
import { createTexts, LANGUAGES, type Words } from '../../../src/texts/texts.ts';
import type { View } from '../../../src/texts/view.ts';
import { buttonsOf, expectWithinLimits } from './telegram-limits.ts';

const texts = createTexts();
const en = texts.in('en');
const ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const IN_FOURS = 'TR7N Hqje KQxG TCi8 q8ZY 4pL8 otSz gjLj 6t';
const LIMITS = {
  min: 32_000,
  max: 5_000_000,
  perTransfer: 65_000,
  perFirstTransfer: 131_000,
  maxTransfers: 76,
};
const FACTS = {
  id: 1001,
  email: '<i>@example.com',
  address: ADDRESS,
  balance: '1.00',
  totp: true,
  tail: 'abcd',
};
const SHORT = { amount: 65_000, hours: 1, estimate: '2.32', balance: '1.00', missing: '1.32' };

const everyView = (words: Words): View[] => [
  menu(words, {}),
  menu(words, { tail: 'abcd' }),
  help(words, 'https://support.example/'),
  settings(words),
  ...(['on', 'off', 'none'] as const).map((events) => account.accountCard(words, { ...FACTS, events })),
  account.linkInvitation(words),
  account.linkQuestion(words),
  account.unlinkQuestion(words, 'abcd', true),
  account.eventsQuestion(words),
  account.depositCard(words, { address: ADDRESS, rate: '3.1' }),
  buying.addressQuestion(words, []),
  buying.addressQuestion(words, Array(5).fill(ADDRESS)),
  buying.purposeQuestion(words, ADDRESS, LIMITS),
  buying.countQuestion(words, ADDRESS, LIMITS),
  buying.exactQuestion(words, ADDRESS, LIMITS),
  buying.durationQuestion(words, { address: ADDRESS, amount: 65_000, prices: {} }),
  buying.durationQuestion(words, { address: ADDRESS, amount: 65_000, prices: { 1: '2.32', 24: '9.99' } }),
  buying.fundsQuestion(words, { ...SHORT, depositAddress: ADDRESS }),
];

test.each(LANGUAGES)('in %s everything shown is within the limits', (language) => {
  for (const view of everyView(texts.in(language))) expectWithinLimits(view);
});

describe('the labels that people look for', () => {
  const labels = (view: View) => Object.keys(buttonsOf(view)).join(' | ');

  test('stand in the menu, for who has an account and who has none', () => {
    expect(labels(menu(en, {}))).toMatch(/Buy energy.*Link account.*Settings/);
    expect(labels(menu(en, { tail: 'abcd' }))).toMatch(/Buy energy.*Account.*Deposit.*Settings/);
    expect(labels(menu(en, { tail: 'abcd' }))).not.toContain('Link account');
  });

  test('stand on the card and in the questions', () => {
    const facts = { kind: 'energy', address: ADDRESS, energy_amount: 65_000, duration_hours: 1 } as const;
    const draft = operationCard(en, { id: 'A', request: facts, state: 'draft' }, { reported: false });
    expect(labels(draft)).toMatch(/Confirm.*Back.*Cancel/);
    for (const prices of [{}, { 1: '2.32', 24: '9.99' }]) {
      const view = buying.durationQuestion(en, { address: ADDRESS, amount: 65_000, prices });
      expect(labels(view)).toMatch(/\b1 hour\b.*\b24 hours\b.*Back.*Cancel/);
    }
  });

  test('lead to Back and Cancel from every question of buying', () => {
    for (const view of everyView(en).slice(-8)) {
      expect(buttonsOf(view)).toMatchObject({ '‹ Back': 'answer:back', '✖️ Cancel': 'answer:cancel' });
    }
  });
});

test('the account card shows its facts, escaped, and what can be done about events', () => {
  const view = account.accountCard(en, { ...FACTS, events: 'off' });
  for (const fact of [
    'Account 1001',
    '&#60;i&#62;@example.com',
    '1.00 TRX',
    '…abcd',
    IN_FOURS,
    'Two-factor codes: on',
  ]) {
    expect(view.html).toContain(fact);
  }
  expect(Object.values(buttonsOf(view))).toEqual(['deposit', 'events:on', 'unlink', 'menu']);
  const none = account.accountCard(en, { ...FACTS, events: 'none', totp: false });
  expect(none.html).toMatch(/Two-factor codes: off[\s\S]*not offered by this bot/);
  expect(Object.values(buttonsOf(none))).toEqual(['deposit', 'unlink', 'menu']);
});

test('before an account is linked it is said what its key can do', () => {
  expect(account.linkQuestion(en).html).toMatch(/Whoever holds this key controls the account/);
});

test('the question about events says that they replace what is set', () => {
  expect(account.eventsQuestion(en).html).toContain('replaces the one that is set there now');
});

test('a balance that does not suffice is said with what is missing and where to send it', () => {
  const view = buying.fundsQuestion(en, { ...SHORT, depositAddress: ADDRESS });
  for (const text of ['2.32 TRX', '1.00 TRX', '1.32 TRX', IN_FOURS]) expect(view.html).toContain(text);
  expect(buttonsOf(view)).toMatchObject({
    '⧉ Copy deposit address': ADDRESS,
    '↻ Check again': 'answer:again',
  });
  expect(buying.fundsQuestion(en, SHORT).html).not.toContain('<code>');
});

test('what is copied is the address without spaces', () => {
  expect(buttonsOf(account.depositCard(en, { address: ADDRESS, rate: '3.1' }))).toMatchObject({
    '⧉ Copy deposit address': ADDRESS,
  });
});
