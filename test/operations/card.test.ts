import { describe, expect, test } from 'vitest';
import { formatWait, LANGUAGES, withoutTags } from '../../src/i18n/texts.ts';
import {
  type CardContext,
  inShort,
  movedCard,
  operationCard,
  operationFollowUp,
  supportButtons,
} from '../../src/operations/card.ts';
import type { Result } from '../../src/operations/kinds/kind.ts';
import { type Operation, type Refusal, refusalOf } from '../../src/operations/operation.ts';
import { rentedUntil } from '../../src/operations/order-state.ts';
import { HOUR_MS } from '../../src/platform/clock.ts';
import { OPERATOR_ACCOUNT } from '../../src/rental-api/client.ts';
import { codes } from '../../src/sandbox/rental/api-error.ts';
import { formatMessageText } from '../../src/sandbox/telegram/html.ts';
import { buttonsOf, buttonWith, expectWithinLimits } from '../i18n/telegram-limits.ts';
import { OTHER_ADDRESS } from '../rental-api/fixture.ts';
import { TEXTS } from '../support/texts.ts';
import {
  ABOUT,
  ADDRESS,
  ALMOST,
  card,
  en,
  IN_FOURS,
  kindOf,
  LONG,
  NUMBER,
  type OperationFields,
  operationIn,
  REASONS,
  REQUESTS,
  STATES,
  SUPPORT,
} from './cards.ts';
import { ACTIVATION, BANDWIDTH, ENERGY, MARKET, SMART_MODE, START, WITHDRAWAL } from './operations-setup.ts';
import { HASH } from './rental-stand-in.ts';

const texts = TEXTS;
/** Every state of every kind in each language. */
const ALL = LANGUAGES.flatMap((language) =>
  REQUESTS.flatMap((request) =>
    STATES.map((state) => ({ language, request, state, kind: request.kind, words: texts.in(language) })),
  ),
);

describe.each(ALL)('the card in $language of $kind in state $state', ({ words, request, state }) => {
  const kind = kindOf(request);
  const views = [{}, LONG].flatMap((more) =>
    [true, false].map((reported) => {
      const operation = operationIn(state, { request, ...more });
      return operationCard(words, operation, { ...ABOUT, kind, reported });
    }),
  );

  test("fits Telegram's limits, as do its follow-up and the moved card", () => {
    for (const view of views) expectWithinLimits(view);
    for (const more of [{}, LONG]) {
      const operation = operationIn(state, { request, ...more });
      const html = operationFollowUp(words, operation, { ...ABOUT, kind, reported: true });
      expectWithinLimits({ html, keyboard: [] });
      expectWithinLimits(movedCard(words));
    }
  });

  test('shows the state, the operation and the address in its first three lines', () => {
    for (const { html } of views) {
      const [first = '', second, third] = html.split('\n');
      expect(first).toMatch(/<b>.+<\/b>/);
      expect(second).toBe(kind.title(words, request));
      expect(third).toBe(words.html(kind.targetText ?? 'operation-address', { address: ADDRESS }));
    }
  });

  test('contains the complete address once, ready to copy, and its number if a person may have to help', () => {
    for (const { html } of views) {
      expect(html.split(`<code>${ADDRESS}</code>`)).toHaveLength(2);
      const isAsked = ['unknown', 'likely', 'closed', 'refused', 'void'].includes(state);
      const isWithdrawn = state === 'done' && kind.withdrawalAmount !== undefined;
      expect(html.includes(NUMBER)).toBe(isAsked || isWithdrawn);
      // Shown in groups of four if the address resembles a known one, or if money leaves the account.
      const isCompared = html.includes(ALMOST) || kind.withdrawalAmount !== undefined;
      expect(html.includes(IN_FOURS)).toBe(state === 'draft' && isCompared);
    }
  });
});

test.each([
  ['SMART_MODE_CONFLICT', 'already has Smart Mode'],
  ['PACKAGE_CONFLICT', 'has a transfer package'],
  ['INVALID_STATE', 'state at the service'],
  ['SUBSCRIPTION_NOT_FOUND', 'no longer exists'],
])('explains the conflict %s and offers no other attempt', (code, text) => {
  const { html, keyboard } = card('refused', {
    request: SMART_MODE,
    refusal: { reason: 'other', code, seconds: 0 },
  });
  expect(html).toContain(text);
  expect(html).not.toContain(code);
  expect(JSON.stringify(keyboard)).not.toContain('operation:again');
});

test.each([
  [{}, true],
  [{ usesOperatorAccount: true }, false],
] as const)('offers a deposit after a refusal for lack of balance: %j', (more, isOffered) => {
  const refusal = { reason: 'insufficient', code: 'INSUFFICIENT_BALANCE', seconds: 0 } as const;
  const { keyboard } = card('refused', { request: SMART_MODE, refusal, ...more });
  expect(keyboard.flat().some(({ text }) => text === TEXTS.in('en').plain('button-deposit'))).toBe(isOffered);
});

test.each([...Object.keys(codes), 'ANOTHER_CODE'])('shows no raw code after a refusal with %s', (code) => {
  const refusal = refusalOf({ kind: 'rejected', status: 400, code, message: code });
  for (const request of REQUESTS)
    expect(card('refused', { request, refusal }).html).not.toMatch(/[A-Z0-9]+_[A-Z0-9]/);
});

test('starts differently for each state of a kind, except for the two states under way', () => {
  for (const request of REQUESTS) {
    const firsts = STATES.map((state) => card(state, { request }).html.split('\n')[0]);
    expect(new Set(firsts).size).toBe(STATES.length - 1);
  }
});

test.each([
  ['Bought', ENERGY],
  ['Bought', BANDWIDTH],
  ['Activated', ACTIVATION],
  ['Smart Mode is on', SMART_MODE],
])('says %s once the operation is done: %j', (word, request) => {
  expect(card('done', { request }).html).toContain(word);
});

test.each([
  ['start', 'active', 'is on</b>'],
  ['pause', 'paused', 'is paused:</b>'],
  ['resume', 'active', 'is on again</b>'],
  ['end', 'deactivated', 'has ended:</b> no more fees'],
])('says what became of Smart Mode: %s', (action, status, said) => {
  const request = { ...SMART_MODE, action };
  const { html } = card('done', { request, result: { status } });
  expect(html).toContain(`✅ <b>Smart Mode ${said}`);
});

test.each([
  ['en', ENERGY, 32_500, '🟠 Partly delivered', 'Delivered so far: 32,500 of 65,000 energy.'],
  ['ru', ENERGY, 32_500, '🟠 Доставлено частично', 'Пока доставлено: 32 500 из 65 000 энергии.'],
  ['en', BANDWIDTH, 999, '🟠 Partly delivered', 'Delivered so far: 999 of 1,000 bandwidth.'],
  ['ru', BANDWIDTH, 999, '🟠 Доставлено частично', 'Пока доставлено: 999 из 1 000 bandwidth.'],
] as const)(
  'shows both amounts of a partly delivered order in %s: %j',
  (language, request, delivered, first, both) => {
    const words = texts.in(language);
    const result = { order: 7, status: 'pending', price: '2.32', delivered, deliveredAt: START };
    const operation = operationIn('done', { request, result, market: MARKET });
    const kind = kindOf(request);
    const about = { ...ABOUT, kind, reported: true };
    const [receipt = '', ...others] = [
      operationCard(words, operation, about).html,
      operationFollowUp(words, operation, about),
      inShort(words, operation, { kinds: { of: kindOf }, now: START }),
    ].map((html) => withoutTags(html).replaceAll(/[\u00a0\u202f]/g, ' '));
    expect(receipt.split('\n')[0]).toBe(first);
    for (const said of [receipt, ...others]) expect(said).toContain(both);
    // The saving is only known once everything has arrived.
    expect(receipt).not.toContain('%');
    expect(rentedUntil(kind, operation)).toBe(START + request.duration_hours * 3_600_000);
  },
);

/** A purchase for an address that is no contract. */
const TO_WALLET = { ...ENERGY, address: OTHER_ADDRESS };
const energyFor = (energy_amount: number) => ({ ...TO_WALLET, energy_amount }) as Operation['request'];

describe('the buttons of an operation', () => {
  const DAY_OF_ENERGY = { ...ENERGY, duration_hours: 24 } as Operation['request'];
  const about = (button: string) => `operation:${button}:${NUMBER}`;
  const again = [about('again'), about('menu')];
  test.each<[Operation['state'], string[]]>([
    ['cancelled', [about('menu')]],
    ['replaced', []],
    ['expired', again],
    ['awaiting', [about('cancel')]],
    ['claimed', []],
    ['sent', []],
    ['done', again],
    ['refused', again],
    ['unknown', [about('checked'), '+help:topic:unknown', '', about('menu')]],
    ['likely', [about('checked'), '+help:topic:unknown', '', about('menu')]],
    ['closed', again],
  ])('match its state %s', (state, data) => {
    expect(Object.values(buttonsOf(card(state)))).toEqual(data);
  });

  test('choose amount and hours of an energy draft, mark the chosen ones, and lead to everything else', () => {
    expect(buttonsOf(card('draft', { ...PRICED, request: DAY_OF_ENERGY }))).toEqual({
      '• 65,000 · recipient has USDT': about('option').concat('_energy65000'),
      '131,000 · recipient has no USDT': about('option').concat('_energy131000'),
      '1 hour': about('option').concat('_hours1'),
      '• 24 hours': about('option').concat('_hours24'),
      '✅ Confirm': about('confirm'),
      'Other amount': about('back').concat('_amount'),
      '⋯ More actions': about('more'),
      '‹ Back': about('back'),
      '✕ Cancel': about('cancel'),
    });
  });

  test('confirm another draft, go back and cancel', () => {
    const view = card('draft', { ...PRICED, request: BANDWIDTH });
    expect(Object.values(buttonsOf(view))).toEqual([about('confirm'), about('back'), about('cancel')]);
  });

  test.each(['key', 'unlinked'] as const)('link the account after a refusal that names it (%s)', (reason) => {
    const refusal = { reason, code: 'HTTP_401', seconds: 0 };
    expect(Object.values(buttonsOf(card('refused', { refusal })))).toEqual(['link:open', ...again]);
    const ofAdmin = card('refused', { refusal, usesOperatorAccount: true });
    expect(Object.values(buttonsOf(ofAdmin))).toEqual(again);
  });

  const PENDING: OperationFields = { result: { order: 7, status: 'pending', price: '2.32' } };

  test.each<[name: string, fields: OperationFields, about: Partial<CardContext>, isOffered: boolean]>([
    ['of a pending order', {}, {}, true],
    ['of a filled order', { result: { ...PENDING.result, status: 'filled' } }, {}, false],
    ['of an order whose delivery is reported', {}, { reported: true }, false],
    ['of an order whose rental time is over', {}, { now: START + HOUR_MS }, false],
    ['of a bot without a public address', {}, { canAlert: false }, false],
    ['of an order from the operator account', { account: OPERATOR_ACCOUNT }, {}, false],
    ['of an admin who uses the operator account', { usesOperatorAccount: true }, {}, false],
    ['of an operation that no event reports', { request: WITHDRAWAL }, { kind: kindOf(WITHDRAWAL) }, false],
  ])('offer alerts of the delivery, %s: %s', (_, fields, about, isOffered) => {
    const operation = operationIn('done', { ...PENDING, ...fields });
    const view = operationCard(en, operation, { ...ABOUT, canAlert: true, ...about });
    expect(Object.values(buttonsOf(view)).includes(`reports:on:${NUMBER}`)).toBe(isOffered);
    expect(view.html.includes('would lose them')).toBe(isOffered);
  });

  test('name no end of a rental that is over', () => {
    const at = (now: number, attempt = {}, status = 'pending') => {
      const operation = operationIn('done', { ...PENDING, attempt, result: { ...PENDING.result, status } });
      const about = { ...ABOUT, reported: true, now };
      return operationCard(en, operation, about).html + operationFollowUp(en, operation, about);
    };
    expect(at(START)).toContain('Use it before');
    expect(at(START)).toContain('Usually there within a minute');
    expect(at(START + HOUR_MS / 2)).toMatch(/^⏳ <b>Bought\.<\/b> I couldn't see it arrive/);
    expect(at(START + HOUR_MS)).toMatch(/^⌛ <b>Rental over\.<\/b> I couldn't see whether it arrived/);
    expect(at(START + HOUR_MS)).not.toMatch(/Use it before|I'll tell you/);
    expect(at(START + HOUR_MS, { reported: true })).toContain("I'll tell you when it arrives");
    expect(at(START + 24 * HOUR_MS, { reported: true })).toMatch(/^⌛/);
    expect(at(START, {}, 'filled')).toMatch(/by <tg-time[^>]*>13:00 UTC/);
    expect(at(START + HOUR_MS, {}, 'filled')).not.toMatch(/13:00 UTC/);
  });

  test('do not offer to repeat a one-time operation', () => {
    expect(Object.values(buttonsOf(card('done', { request: ACTIVATION })))).toEqual([about('menu')]);
    expect(Object.values(buttonsOf(card('refused', { request: ACTIVATION })))).toEqual(again);
  });

  test.each<[Refusal['reason'], boolean]>([
    ['code', true],
    ['already', false],
  ])('offer another try after a refusal that another try can change: %s', (reason, isOffered) => {
    const view = card('refused', { refusal: { reason, code: '', seconds: 0 } });
    expect(Object.keys(buttonsOf(view)).includes('↻ Try again')).toBe(isOffered);
  });

  test('show a possible duplicate first, and Confirm in red', () => {
    const view = card('draft', { ...PRICED, request: BANDWIDTH, warnings: { like: 'WXYZ9876' } });
    expect(buttonsOf(view)).toEqual({
      'Show earlier card': 'operation:show:WXYZ9876',
      'Buy anyway': about('confirm'),
      '‹ Back': about('back'),
      '✕ Cancel': about('cancel'),
    });
    expect(buttonWith(view, about('confirm'))).toMatchObject({ style: 'danger' });
    expect(buttonWith(card('draft', { ...PRICED, request: TO_WALLET }), about('confirm'))).toMatchObject({
      style: 'success',
    });
    expect(buttonWith(card('draft', PRICED), about('confirm'))).not.toHaveProperty('style');
  });

  test('show a void card again, and its repetition with Confirm in red', () => {
    expect(buttonsOf(card('void'))).toEqual({
      '↻ Show card again': about('again'),
      '☰ Menu': about('menu'),
    });
    const view = card('draft', { ...PRICED, request: BANDWIDTH, warnings: { voided: 'WXYZ9876' } });
    expect(Object.keys(buttonsOf(view))).toEqual(['Buy anyway', '‹ Back', '✕ Cancel']);
    expect(buttonWith(view, about('confirm'))).toMatchObject({ style: 'danger' });
    // Another order of the address wouldn't repeat the warning.
    expect(buttonWith(card('draft', { warnings: { voided: 'WXYZ9876' } }), about('more'))).toBeUndefined();
    expect(buttonWith(card('draft'), about('more'))).toBeDefined();
    for (const state of ['cancelled', 'replaced', 'expired'] as const) {
      const { html } = card(state, { warnings: { voided: 'WXYZ9876' } });
      expect(html).toContain('Your earlier card WXYZ9876 may have been used');
      expect(html).not.toContain('Nothing was charged');
    }
  });

  test('never offer to repeat an operation with an uncertain outcome', () => {
    for (const request of REQUESTS) {
      for (const state of ['claimed', 'sent', 'unknown', 'likely'] as const) {
        expect(JSON.stringify(card(state, { request }).keyboard)).not.toMatch(/again|confirm/);
      }
    }
  });
});

describe('the moved card', () => {
  test('only refers to the card below, where the order may change, and has no buttons', () => {
    expect(movedCard(en)).toEqual({ html: '⤵️ <b>Continued below.</b>', keyboard: [] });
  });
});

const CONTACT = { text: '💬 Contact support', url: SUPPORT };

describe('an order whose delivery the bot cannot see', () => {
  const search = { checks: 3, since: START, at: START } as const;
  const shown = (balance: 'back' | 'either' | 'same' | 'moved', { over = true, price = '2.32' } = {}) => {
    const refund = { ...search, balance, over, ...(balance === 'either' && { rise: '2.32' }) };
    const operation = operationIn('done', {
      result: { ...CHARGED, balanceLeft: '995.36', price, refund },
      market: MARKET,
    });
    const about = { ...ABOUT, canAlert: true, now: over ? START + HOUR_MS : START };
    return [operationCard(en, operation, about).html, operationFollowUp(en, operation, about)] as const;
  };

  test('was probably refunded if the balance is up by its price', () => {
    for (const html of shown('back', { over: false })) {
      expect(html).toMatch(
        /^↩️ <b>The balance is up by 2\.32 TRX:<\/b> probably the order failed and was refunded\./,
      );
      expect(html).toContain('check the address before you buy again');
      expect(html).not.toMatch(/You save|Balance left|Use it before|🔔/);
      expect(html).toContain(NUMBER);
    }
  });

  test('says that it cannot tell which order was refunded, and offers alerts only above their button', () => {
    const [receipt, followUp] = shown('either', { over: false });
    expect(receipt).toContain('🔔');
    expect(followUp).not.toContain('🔔');
    for (const html of [receipt, followUp]) {
      expect(html).toContain('probably the refund of this order or of another one');
      expect(html).toMatch(/^⏳ <b>Bought/);
      expect(html).not.toMatch(/check the address|Balance left/);
    }
    // The text about the refund contains the later balance.
    for (const html of shown('moved')) expect(html).not.toContain('Balance left');
  });

  test('reads as not seen after three minutes, and as late after half an hour', () => {
    const operation = operationIn('done', { result: CHARGED });
    const at = (now: number) => operationCard(en, operation, { ...ABOUT, now }).html;
    expect(at(START + 2 * 60_000)).toMatch(/^⏳ <b>Bought\.<\/b> Usually there within a minute/);
    expect(at(START + 2 * 60_000)).toContain("I can't see it arrive: check the address before");
    for (const minutes of [3, 29]) {
      expect(at(START + minutes * 60_000)).toMatch(/^⏳ <b>Bought\.<\/b> I couldn't see it arrive/);
      expect(at(START + minutes * 60_000)).toContain('\nCheck the address before');
    }
    expect(at(START + 31 * 60_000)).toContain("contact support with the order's number");
    const keyboardAt = (now: number) => operationCard(en, operation, { ...ABOUT, now }).keyboard;
    expect(keyboardAt(START + 29 * 60_000)).not.toContainEqual([CONTACT]);
    expect(keyboardAt(START + 31 * 60_000)).toContainEqual([CONTACT]);
  });

  test.each([
    ['same', 'Your balance shows no refund.', false],
    ['moved', "I can't tell if this was refunded", true],
  ] as const)('ends with what its balance shows: %s', (balance, said, isHelpful) => {
    const [html] = shown(balance);
    expect(html).toMatch(/^⌛ <b>Rental over/);
    expect(html).toContain(said);
    expect(html.includes('Compare your balance')).toBe(isHelpful);
    expect(html.includes("If it never arrived, contact support with the order's number.")).toBe(!isHelpful);
    const refund = { ...search, balance, over: true };
    const operation = operationIn('done', { result: { ...CHARGED, refund } });
    const { keyboard } = operationCard(en, operation, { ...ABOUT, now: START + HOUR_MS });
    expect(keyboard.flat()).toContainEqual(CONTACT);
    expect(supportButtons(en, operation, ABOUT)).toEqual([[CONTACT]]);
  });
});

describe('the follow-up of an operation', () => {
  const followUp = (...about: Parameters<typeof operationIn>) => {
    const operation = operationIn(...about);
    return operationFollowUp(en, operation, { ...ABOUT, kind: kindOf(operation.request), reported: true });
  };

  test('shows a delivery with the shortened address, and until when to use it', () => {
    const told = { result: { order: 7, status: 'filled', price: '2.32' } };
    expect(followUp('done', told)).toBe(
      '✅ <b>Energy delivered.</b> Send your USDT by <tg-time unix="1748782800" format="t">13:00 UTC</tg-time>.\n' +
        `⚡ 65,000 energy · 1 h → TR7NHq…gjLj6t · Order <b>7</b>`,
    );
    const inRussian = operationFollowUp(TEXTS.in('ru'), operationIn('done', told), ABOUT);
    expect(inRussian).toMatch(
      /^✅ <b>Энергия на месте\.<\/b> Отправьте USDT до <tg[^\n]*\n[^\n]* → TR7NHq…gjLj6t · Заказ <b>7<\/b>$/,
    );
    // Less than a transfer needs, and bandwidth, aren't enough to send USDT.
    expect(followUp('done', { ...told, request: SMALL })).toContain('</b> Use it by <tg');
    expect(followUp('done', { ...told, request: BANDWIDTH })).toMatch(
      /^✅ <b>Bandwidth delivered\.<\/b> Use it by <tg/,
    );
  });

  test('warns against repeating an outcome that is unknown again, whatever was found', () => {
    const html = followUp('unknown', { search: { ...SEARCH, over: false } });
    expect(html).toContain("Don't repeat");
    expect(html).not.toContain('No sign');
  });

  test('shows that the search is over', () => {
    expect(followUp('unknown', { search: { ...SEARCH, over: true } })).toContain("couldn't find the result");
  });

  test('does not call a failed order bought', () => {
    const html = followUp('done', { result: { order: 7, status: 'failed' } });
    expect(html).toMatch(/^❌ <b>Not delivered/);
    expect(html).not.toContain('Bought');
  });

  const search = { checks: 8, since: START, at: START, over: true };
  test.each<[string, Result, string]>([
    ['not seen yet', {}, "Charged: <b>2.32 TRX</b>\nNo refund seen yet. I'll check again.\n"],
    ['reported', { refunded: '2.30' }, 'The service reports a refund of <b>2.30 TRX</b>.\n'],
    [
      'seen',
      { refund: { ...search, balance: 'back' } },
      'The balance is up <b>2.32 TRX</b>: probably the refund.\n',
    ],
    [
      'not seen in the end',
      { refund: { ...search, balance: 'same' } },
      `<b>No refund seen in an hour.</b>\nCompare your balance with <i>💰 Balance → ↕️ Movements</i>. Money missing? Contact support.\n`,
    ],
    [
      'not visible',
      { refund: { ...search, balance: 'moved' } },
      "I can't tell if this was refunded: other orders or payments may have changed your balance.",
    ],
    [
      'seen, then reported',
      { refunded: '2.32', refund: { ...search, balance: 'back' } },
      'The service confirms this refund: <b>2.32 TRX</b>.\n',
    ],
    [
      'unclear, with the balances',
      { refund: { ...search, left: { trx: '942.86', at: START, until: START }, balance: 'moved' } },
      `changed your balance.\nBalance before this order: 945.18 TRX, last seen: 942.86 TRX.\nMoney missing? Contact support.\n`,
    ],
    [
      'not clear yet, with the balances',
      {
        refund: {
          ...search,
          over: false,
          left: { trx: '942.86', at: START, until: START },
          balance: 'moved',
        },
      },
      "I'll check again.\nBalance before this order: 945.18 TRX, last seen: 942.86 TRX.\n",
    ],
    [
      'seen, with the balance',
      { refund: { ...search, left: { trx: '997.68', at: START, until: START }, balance: 'back' } },
      'probably the refund.\nBalance after the refund: 997.68 TRX\n',
    ],
    ['unread', { refund: { ...search, balance: 'unread' } }, "I couldn't check if this was refunded."],
  ])('shows the charge of a failed order, and that a refund is %s', (_, more, says) => {
    const attempt = { balanceBefore: '945.18' };
    const failed = { attempt, result: { order: 7, status: 'failed', price: '2.32', ...more } };
    expect(followUp('done', failed)).toContain(says);
    expect(card('done', failed).html).toContain(says.trim());
    expect(card('done', failed).html).toContain('Charged: <b>2.32 TRX</b>');
  });

  test('shows that a balance is as before a failed order whose price is unknown', () => {
    const result = { order: 7, status: 'failed', refund: { ...search, balance: 'back' } } as const;
    expect(followUp('done', { result })).toContain('The balance is what it was before this order');
  });
});

const SMALL: typeof ENERGY & { energy_amount: number } = { ...ENERGY, energy_amount: 32_000 };
const LOOKALIKE = ALMOST.replaceAll(' ', '');
const TWICE = { ...ENERGY, energy_amount: 130_000 };
const CHARGED = { order: 7, status: 'pending', price: '2.32', balanceLeft: '997.68' };
const SEARCH = { count: 3, balance: 'same', over: false, at: START } as const;
const FOR_CUSTOMER = {
  kind: 'invoice',
  address: ADDRESS,
  transfers: 1,
  duration_hours: 1,
  shared: true,
} as const;
const PRICED = { estimate: '2.32', balance: '1000.00' };

type Row = [behaviour: string, more: OperationFields, texts: (string | RegExp)[], missing?: string[]];

/** Runs one test for each row: what the card contains, and what it doesn't. */
function showsTexts(state: Operation['state'], rows: Row[], reported = false): void {
  test.each(rows)('%s', (_, more, texts, missing = []) => {
    const { html } = card(state, more, reported);
    for (const text of texts) expect(html).toMatch(text);
    for (const text of missing) expect(html).not.toContain(text);
  });
}

describe('a draft', () => {
  test('shows how long ago the earlier purchase was when the card is sent again', () => {
    const earlier = {
      state: 'there',
      id: 'EARLIER1',
      energy: 65_000,
      hours: 1,
      at: START - 14_000,
      until: START + 3_000_000,
    } as const;
    const operation = operationIn('draft', { warnings: { earlier } });
    for (const [waitMs, age] of [
      [0, '14 s ago'],
      [180_000, '3 min ago'],
    ] as const)
      expect(operationCard(en, operation, { ...ABOUT, now: START + waitMs }).html).toContain(age);
  });

  showsTexts('draft', [
    [
      'shows what is bought, at what price, and that it cannot be undone',
      PRICED,
      [
        'Review and confirm',
        '65,000 energy · 1 h',
        `<code>${ADDRESS}</code>`,
        'about <b>2.32 TRX</b>',
        '1,000.00 TRX',
        "can't be undone",
      ],
      ['Look closely', 'operator'],
    ],
    [
      'warns that the address is a contract',
      PRICED,
      ['This is the USDT contract, not a wallet.</b> Energy and bandwidth for it are wasted'],
      [],
    ],
    [
      'warns of no contract if the address is a wallet',
      { ...PRICED, request: { ...ENERGY, address: 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4' } as typeof ENERGY },
      ['TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4'],
      ['contract'],
    ],
    [
      'shows that the operator account pays',
      { ...PRICED, usesOperatorAccount: true },
      ['Paid from the <b>operator account</b>'],
    ],
    [
      'shows the saving and USD from what the service said, exactly',
      { ...PRICED, request: TO_WALLET, market: MARKET },
      ['about <b>2.32 TRX</b> <i>≈ $0.75</i>', 'You save <b>4.18 TRX</b> (64%)'],
    ],
    [
      'shows no saving if burning costs as much, and no USD below a cent',
      { estimate: '6.5', request: TO_WALLET, market: { burnTrx: '6.5', usdRate: '0.0001' } },
      ['about <b>6.50 TRX</b>', 'No saving: without this energy'],
      ['You save', '$'],
    ],
    [
      'rounds the saving down',
      { ...PRICED, request: TO_WALLET, market: { burnTrx: '6.509' } },
      ['You save <b>4.18 TRX</b> (64%)'],
    ],
    [
      'shows no saving for energy that the transfers do not use',
      { estimate: '6.5', request: energyFor(129_999), market: MARKET },
      ['about <b>6.50 TRX</b>'],
      ['You save'],
    ],
    [
      'shows the whole saving for a transfer to a wallet without USDT',
      { estimate: '3.1', request: energyFor(131_500), market: MARKET },
      ['You save <b>10.00 TRX</b> (76%)'],
    ],
    [
      'shows no saving for a contract',
      { ...PRICED, market: MARKET },
      ['This is the USDT contract'],
      ['You save'],
    ],
    [
      "tells a merchant who pays, and of no saving of the merchant's",
      { ...PRICED, request: FOR_CUSTOMER, market: MARKET },
      ['Creating costs nothing', 'The payment goes to the service for the energy', 'about <b>2.32 TRX</b>'],
      ['You save', "can't be undone"],
    ],
    [
      'compares only energy with burning',
      { ...PRICED, request: BANDWIDTH, market: MARKET },
      ['≈ $0.75'],
      ['You save'],
    ],
    ['shows that the price or balance is unknown', {}, [/<b>unknown right now\.<\/b>[\s\S]*unavailable/]],
    [
      "tells a merchant when the customer learns an invoice's price",
      { request: FOR_CUSTOMER },
      ['The invoice will name it before your customer pays.'],
    ],
    [
      'warns of a possible duplicate that is unresolved, by its number',
      { warnings: { like: 'WXYZ9876' } },
      [/^⚠️ <b>Possible duplicate<\/b> of Ref\. <code>WXYZ9876<\/code>, whose result is unknown\.$/m],
    ],
    [
      'warns that it repeats a void card, by its number',
      { warnings: { voided: 'WXYZ9876' } },
      [/^⚠️ <b>Your earlier card WXYZ9876 may already have been used\.<\/b>/m],
    ],
  ]);

  test.each(REQUESTS)('shows what cannot be undone, and until when it can be confirmed: %o', (request) => {
    const draft = operationIn('draft', { request, expiresAt: START + 5 * 60_000 });
    // The time is the stored one, whenever the card is shown again.
    for (const now of [START, START + 2 * 60_000])
      expect(operationCard(en, draft, { ...ABOUT, kind: kindOf(request), now }).html).toMatch(
        /(can't be (undone|cancelled)|may not be refunded)[\s\S]*Card valid until <tg-time[^>]*>12:05 UTC</i,
      );
  });

  test('warns of a similar address and shows both grouped in fours', () => {
    const { html } = card('draft', { warnings: { lookalike: LOOKALIKE } });
    expect(html).toMatch(/Possible scam[\s\S]*Yours[\s\S]*This one/);
    expect(html.indexOf(ALMOST)).toBeLessThan(html.indexOf(IN_FOURS));
    expect(html.split(IN_FOURS)).toHaveLength(2);
    expect(html).not.toContain(`<code>${IN_FOURS}`);
  });

  test.each(['cancelled', 'claimed', 'done', 'unknown'] as const)(
    'shows no warnings when it is %s',
    (state) => {
      const { html } = card(state, { warnings: { lookalike: LOOKALIKE, like: 'WXYZ9876' } });
      expect(html).not.toMatch(/Possible scam|WXYZ9876/);
    },
  );
});

describe('a done operation', () => {
  showsTexts('done', [
    [
      'shows the order, the charged price and the remaining balance',
      { result: CHARGED, estimate: '2.32' },
      [
        'Order <b>7</b>',
        'Charged: <b>2.32 TRX</b>',
        '997.68 TRX',
        /^⏳ <b>Bought\.<\/b> Usually there within a minute\./,
        'check the address',
      ],
      ['estimated', 'You save', '$', '✅'],
    ],
    [
      'shows the saving by the charged price, twice the energy by twice the cost of burning',
      { request: TWICE, result: { ...CHARGED, status: 'filled' }, market: MARKET },
      ['You saved <b>10.68 TRX</b> (82%)', '<b>2.32 TRX</b> <i>≈ $0.75</i>'],
    ],
    [
      'shows no saving before the delivery is known',
      { request: TWICE, result: CHARGED, market: MARKET },
      ['Charged'],
      ['You save'],
    ],
    [
      'shows the estimate next to a different price',
      { result: CHARGED, estimate: '2.30' },
      [/<b>2\.32 TRX<\/b> \(estimated 2\.30 TRX\)/],
    ],
    [
      'refers to the balance if the report has no price',
      { result: { order: 7, status: 'filled' } },
      ['see your balance'],
    ],
    [
      'explains that the order arrived',
      { result: { ...CHARGED, status: 'filled' } },
      [/^✅ <b>Bought and delivered/],
    ],
    [
      'is not called bought if the order failed',
      { result: { ...CHARGED, status: 'failed' } },
      ['Charged: <b>2.32', 'Not delivered'],
      ['Bought'],
    ],
    [
      'escapes an unknown status',
      { result: { ...CHARGED, status: '<odd>' } },
      ['<code>&#60;odd&#62;</code>'],
    ],
  ]);
  showsTexts(
    'done',
    [
      [
        'promises a notification of a delivery that is reported',
        { result: CHARGED, attempt: { reported: true } },
        [/^⏳ <b>Bought, on its way/, "I'll tell you when it arrives"],
        ['✅'],
      ],
      [
        'promises only a later delivery if alerts were turned on after the purchase',
        { result: CHARGED },
        ['may be there already: check the address', 'only if the energy is there', 'fails from now on'],
        ["Don't send"],
      ],
      [
        'shows the transaction of a kind without deliveries, and no delivery',
        { request: ACTIVATION, result: { txHash: HASH, price: '1.10' } },
        [`<code>${HASH}</code>`, '1.10 TRX'],
        ['Status', 'Order'],
      ],
    ],
    true,
  );

  test.each<[string, OperationFields, number, string]>([
    ['from the purchase', { settledBy: 'reply', result: CHARGED }, START, 't'],
    ['from the delivery', { result: { ...CHARGED, deliveredAt: START + 9_000 } }, START + 9_000, 't'],
    [
      'from the request if only evidence proves it',
      { attempt: { sentAt: START - 60_000 }, result: CHARGED },
      START - 60_000,
      't',
    ],
  ])('shows until when it can be used, %s', (_, more, from, format) => {
    const { text, entities } = formatMessageText({ text: card('done', more).html, parse_mode: 'HTML' });
    expect(text).toMatch(/Use it before 1[23]:\d\d UTC\./);
    expect(entities).toContainEqual(
      expect.objectContaining({ type: 'date_time', unix_time: from / 1000 + 3600, date_time_format: format }),
    );
    const day = { request: { ...BANDWIDTH, duration_hours: 24 }, ...more };
    expect(card('done', day).html).toMatch(/format="Dt">\d+ Jun, 1[12]:\d\d UTC</);
  });

  test.each<[string, OperationFields]>([
    ['a failed order', { result: { ...CHARGED, status: 'failed' } }],
    ['an activation', { request: ACTIVATION, result: { txHash: HASH, price: '1.10' } }],
    ['a manual resolution', { decided: { reason: '', admin: 7 } }],
  ])('shows no end of %s', (_, more) => {
    const html = card('done', { settledBy: 'reply', ...more }).html;
    expect(html).not.toContain('Use it before');
  });

  test('links to its address and transaction in the explorer', () => {
    const shown = (...of: Parameters<typeof card>) => {
      const { entities } = formatMessageText({ text: card(...of).html, parse_mode: 'HTML' });
      return entities.flatMap(({ url = [] }) => url);
    };
    const [address, transaction] = [
      `https://explorer.example/address/${ADDRESS}`,
      `https://explorer.example/transaction/${HASH}`,
    ];
    expect(shown('done', { request: WITHDRAWAL, result: { txHash: HASH } })).toEqual([address, transaction]);
    expect(shown('done', { result: { ...CHARGED, txHash: '../evil' } })).toEqual([address]);
    expect(shown('unknown')).toEqual([address]);
    for (const state of ['draft', 'refused', 'sent'] as const) expect(shown(state)).toEqual([]);
  });

  test('turns no text of the service into a link, mention or command', () => {
    const status = 'https://evil.example @evil_bot /pay';
    const { html } = card('done', { result: { ...CHARGED, status } });
    const { text, entities } = formatMessageText({ text: html, parse_mode: 'HTML' });
    expect(text).toContain(status);
    expect(new Set(entities.map(({ type }) => type))).toEqual(
      new Set(['bold', 'code', 'date_time', 'text_link']),
    );
    expect(entities.flatMap(({ url = [] }) => url)).toEqual([`https://explorer.example/address/${ADDRESS}`]);
  });
});

describe('an uncertain outcome', () => {
  test.each(REQUESTS)('shows its number, a support contact and not to repeat it: %o', (request) => {
    for (const state of ['unknown', 'likely'] as const)
      for (const search of [undefined, { ...SEARCH, over: true }]) {
        const { html, keyboard } = card(state, { request, search });
        for (const text of ["Don't repeat", `Ref. <code>${NUMBER}</code>`]) expect(html).toContain(text);
        expect(keyboard.flat()).toContainEqual(CONTACT);
      }
  });

  showsTexts('unknown', [
    ['shows that the balance is the same', { search: SEARCH }, ["Your balance hasn't changed."]],
    [
      'shows that the balance has changed',
      { search: { ...SEARCH, balance: 'moved' } },
      ['Your balance has changed.'],
    ],
    [
      'shows how far the balance fell',
      {
        attempt: { balanceBefore: '1000.00' },
        search: { ...SEARCH, balance: 'moved', seen: { left: '994.15' } },
      },
      ['Your balance has changed (−5.85 TRX).'],
    ],
    [
      'shows no sum that other operations may have changed',
      {
        attempt: { balanceBefore: '1000.00' },
        search: { ...SEARCH, balance: 'mixed', seen: { left: '946.68' } },
      },
      ['It may still go through', 'Your balance has changed, perhaps by other operations.'],
      ['53.32'],
    ],
    [
      'shows the sum if it is exactly the price, although other operations may have changed it',
      {
        estimate: '2.32',
        attempt: { balanceBefore: '1000.00' },
        search: { ...SEARCH, balance: 'mixed', seen: { left: '997.68' } },
      },
      [
        "The service hasn't confirmed it so far. It may have gone through.",
        'Your balance is <b>2.32 TRX</b> lower, exactly this price. Another operation may have caused that.',
      ],
      ['no sign of it'],
    ],
    [
      'names the unknown operations one of which may have lowered the balance',
      {
        estimate: '2.32',
        attempt: { balanceBefore: '1000.00' },
        search: { ...SEARCH, balance: 'mixed', seen: { left: '997.68', or: ['T6HDRDKX'] } },
      },
      [
        /is <b>2\.32 TRX<\/b> lower: probably one of these was charged, Ref\. \S+ or T6HDRDKX\. I can't tell which/,
      ],
      ['no sign of it', 'exactly this price'],
    ],
    [
      'shows that the balance is unchanged apart from later purchases',
      {
        attempt: { balanceBefore: '1000.00' },
        search: { ...SEARCH, seen: { left: '997.68', charged: '2.32' } },
      },
      ["Apart from later purchases (2.32 TRX), your balance hasn't changed."],
    ],
    [
      'shows that the balance was unchanged before the next operation',
      { search: { ...SEARCH, seen: { left: '1000.00', next: 'T6HDRDKX' } } },
      ["Before your next operation (Ref. T6HDRDKX), your balance hadn't changed."],
    ],
    [
      'shows that it may still go through',
      { search: SEARCH },
      ['no sign of it so far. It may still go through.'],
    ],
    [
      "shows that the balance couldn't be read",
      { search: { ...SEARCH, balance: 'unread' } },
      ["I couldn't read your balance so far. I check for a day."],
      ['no sign of it'],
    ],
    ['does not call a response lost', {}, ['This may have gone through'], ['lost']],
    [
      "shows when the search has ended, and the user's options",
      { search: { ...SEARCH, over: true } },
      [/I couldn't find the result[\s\S]*Mark as checked/, 'Your balance was unchanged when last checked.'],
      ["I'll write"],
    ],
    [
      'leads with what is most likely once the balance was unchanged a minute after the request',
      { search: { ...SEARCH, at: START + 60_000 } },
      [
        /^⚠️ <b>Most likely nothing was charged<\/b>/,
        "Your balance hasn't changed.\nIt may still go through. <b>Don't repeat it:</b>",
      ],
      ['Result unknown', 'may have gone through', 'no sign of it'],
    ],
    [
      'does not contradict itself when that search has ended',
      { search: { ...SEARCH, at: START + 60_000, over: true } },
      [
        /^⚠️ <b>Most likely nothing was charged<\/b>/,
        "Your balance was unchanged when last checked.\n<b>Don't repeat it</b> before",
        'Then tap <i>Mark as checked</i>.',
      ],
      ['may have gone through', 'may still go through', "I couldn't find the result"],
    ],
    [
      'promises nothing from a balance less than a minute after the request, or before another operation',
      { search: { ...SEARCH, at: START + 60_000, seen: { left: '1000.00', next: 'T6HDRDKX' } } },
      [/^⚠️ <b>Result unknown<\/b>/],
      ['Most likely'],
    ],
  ]);

  showsTexts('likely', [
    [
      'says that the user has to check it',
      {},
      [
        /If it arrived, it's rented until .*\nI can't learn more: once you've checked, tap <i>Mark as checked/,
      ],
    ],
  ]);
  showsTexts(
    'likely',
    [['promises a report', {}, ['may still report this order within a day'], ["can't learn more"]]],
    true,
  );
  showsTexts('closed', [['says what closing did', {}, ["I've stopped checking."], ['still reports']]]);
  showsTexts(
    'closed',
    [
      [
        'promises a report',
        {},
        ["I've stopped checking; if the service still reports this order, I'll tell you."],
      ],
    ],
    true,
  );

  test('offers no support contact if none is configured', () => {
    const view = operationCard(en, operationIn('unknown'), { ...ABOUT, supportUrl: undefined });
    expect(view.html).not.toContain('Support');
  });
});

describe('a refused operation', () => {
  test.each([
    ['a guest', { account: OPERATOR_ACCOUNT }],
    ['an admin', { usesOperatorAccount: true as const }],
  ])('on the operator account tells %s nothing about a key or balance of their own', (_, about) => {
    // Only withdrawals end with this reason.
    for (const reason of REASONS.filter((one) => one !== 'balance'))
      expect(card('refused', { ...about, refusal: { reason, code: '', seconds: 0 } }).html).not.toMatch(
        /\byour (API )?(key|balance|account)\b/i,
      );
  });

  test('shows that nothing was charged and when to retry', () => {
    const refusal = { reason: 'limited', code: 'HTTP_429', seconds: 12 } as const;
    expect(card('refused', { refusal }).html).toMatch(/Nothing was charged[\s\S]*in 12 s/);
    expect(card('refused', { refusal: { ...refusal, seconds: 0 } }).html).toContain('in 60 s');
  });

  test.each([
    [120, 'Try again in 120 s.', 'Попробуйте ещё раз через 120\u00a0с.'],
    [121, 'Try again in 3 min.', 'Попробуйте ещё раз через 3\u00a0мин.'],
    [3_540, 'Try again in 59 min.', 'Попробуйте ещё раз через 59\u00a0мин.'],
    [3_600, 'Try again later.', 'Попробуйте ещё раз позже.'],
    [999_999_999, 'Try again later.', 'Попробуйте ещё раз позже.'],
  ])('shows a wait of %i seconds as people read it', (seconds, en, ru) => {
    const refusal = { reason: 'limited', code: 'HTTP_429', seconds } as const;
    expect(card('refused', { refusal }).html).toContain(en);
    const inRussian = operationCard(TEXTS.in('ru'), operationIn('refused', { refusal }), ABOUT);
    expect(inRussian.html).toContain(ru);
  });

  test('is one line once a card has followed a wrong code', () => {
    const refusal = { reason: 'code', code: 'CODE_REFUSED', seconds: 0 } as const;
    const view = card('refused', { request: WITHDRAWAL, refusal, isRepeated: true });
    expect(view.html).toMatch(
      /^❌ <b>Not withdrawn\.<\/b> Nothing was charged\. The code was wrong or already used\. Ref\. <code>\w+<\/code>$/,
    );
    expect(view.keyboard).toEqual([]);
  });

  test.each(LANGUAGES)('explains the reason in %s', (language) => {
    const words = TEXTS.in(language);
    for (const reason of REASONS) {
      // Shown with its reason instead, see below. Only Smart Mode can have the wanted state already.
      if (reason === 'by-hand' || reason === 'unchanged') continue;
      const operation = operationIn('refused', {
        estimate: '2.32',
        refusal: { reason, code: '<ODD>', seconds: 7, price: '3.90' },
        attempt: { sentAt: START },
      });
      const view = operationCard(words, operation, ABOUT);
      expectWithinLimits(view);
      const prices = { price: '3.90', estimate: '2.32', balance: 'none', missing: 'none' };
      const about = { code: '<ODD>', codes: 0, when: formatWait(words, 7), minutes: 1, ...prices };
      expect(view.html).toContain(
        words.html(reason === 'already' ? 'operation-already' : `refusal-${reason}`, about),
      );
      expect(view.html).not.toContain('<ODD>');
    }
  });
});

describe('a manually resolved operation', () => {
  const decided = { reason: 'seen <b>there</b>', admin: 7 };
  const refusal = { reason: 'by-hand', code: 'BY_HAND', seconds: 0 } as const;

  test('shows the escaped reason, but neither the admin nor unknown facts', () => {
    const done = card('done', { decided }).html;
    const refused = card('refused', { decided, refusal }).html;
    expect(done).toContain('✅ <b>Bought</b>');
    expect(done).toContain('👤 Support checked, this went through:');
    // Only the service knows whether nothing was charged.
    expect(refused).toContain("Support checked: this didn't go through");
    expect(refused).not.toContain('Nothing was charged');
    for (const html of [done, refused]) {
      expect(html).toContain('<i>seen &#60;b&#62;there&#60;/b&#62;</i>');
      expect(html).not.toMatch(/Status|Order|admin|<b>7/);
    }
    const request = { ...SMART_MODE, action: 'pause' };
    const paused = card('done', { decided, request }).html;
    expect(paused.split('\n')[0]).toBe(en.html('smart-mode-done'));
  });

  test.each(LANGUAGES)('fits a message and has the reason in its follow-up (%s)', (language) => {
    const words = TEXTS.in(language);
    for (const request of REQUESTS)
      for (const outcome of ['done', 'not-done'] as const) {
        const operation = operationIn(outcome === 'done' ? 'done' : 'refused', {
          request,
          result: {},
          refusal,
          decided: { ...decided, reason: '<'.repeat(200) },
        });
        const about = { ...ABOUT, kind: kindOf(request) };
        expectWithinLimits(operationCard(words, operation, about));
        const unknown = { price: 'none', before: 'none', left: 'none' };
        const said = words.html('operation-by-hand', { outcome, reason: '<'.repeat(200), ...unknown });
        expect(operationFollowUp(words, operation, about)).toContain(said);
      }
  });
});
