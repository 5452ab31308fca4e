import { describe, expect, test } from 'vitest';
import type { EventsAfterUnlink } from '../../../src/accounts/erase-user.ts';
import type { TurnOffResult, TurnOnResult } from '../../../src/accounts/webhook-subscriptions.ts';
import {
  reportsOffQuestion,
  reportsOffView,
  reportsOnView,
  webhookQuestion,
} from '../../../src/features/notifications/report-views.ts';
import { leftAccountNote } from '../../../src/features/views/account-links.ts';
import { OPERATORS_REPORTS as OPERATORS, OWN_REPORTS as OWN } from '../../../src/features/views/reports.ts';
import { LANGUAGES } from '../../../src/i18n/texts.ts';
import { buttonsOf, expectWithinLimits } from '../../i18n/telegram-limits.ts';
import { TEXTS } from '../../support/texts.ts';

const texts = TEXTS;
const refused = { kind: 'refused', reason: `<b>${'no '.repeat(2_000)}` } as const;
const ON: TurnOnResult[] = [
  ...(['on', 'already-on', 'weak', 'busy', 'unexpected', 'unclear'] as const).map((kind) => ({ kind })),
  refused,
];
const OFF: TurnOffResult[] = [
  ...(['off', 'already-off', 'busy'] as const).map((kind) => ({ kind })),
  { kind: 'possibly-on', failure: refused },
  { kind: 'possibly-on', failure: { kind: 'unexpected' } },
  { kind: 'possibly-on', failure: { kind: 'unclear' } },
];

describe.each(LANGUAGES)('in %s', (language) => {
  const words = texts.in(language);

  test.each(ON)('the text for turning on with $kind is within the limits', (outcome) => {
    expectWithinLimits(reportsOnView(words, outcome, OWN));
  });

  test.each(OFF)('the text for turning off with $kind is within the limits', (outcome) => {
    for (const shared of [true, false]) expectWithinLimits(reportsOffView(words, outcome, OWN, shared));
  });

  test('the question for the operator account names it and has the same warning', () => {
    const [own, operators] = [webhookQuestion(words), webhookQuestion(words, { operator: 1000 })];
    expectWithinLimits(operators);
    expect(operators.html).toMatch(/1000[\s\S]/);
    expect(operators.html).toContain(
      words.html('reports-ask', { later: words.plain('button-reports-later') }),
    );
    expect(operators.html.match(/⚠️ [^:]+/)?.[0]).toBe(own.html.match(/⚠️ [^:]+/)?.[0]);
    expect(Object.values(buttonsOf(own))).toEqual(['reports:on', 'reports:later']);
    expect(Object.values(buttonsOf(operators))).toEqual(['reports:operator-on', 'reports:operator-later']);
  });
});

const en = texts.in('en');
test.each<[TurnOnResult['kind'], string[]]>([
  ['on', ['menu:open']],
  ['already-on', ['reports:operator-off', 'menu:open']],
  ['weak', ['reports:operator-on', 'menu:open']],
  ['busy', ['reports:operator-on', 'menu:open']],
  ['unclear', ['reports:operator-on', 'menu:open']],
  ['refused', ['reports:operator-on', 'menu:open']],
])('after %s offers next steps for the same account', (kind, ways) => {
  const outcome = ON.find((one) => one.kind === kind) ?? refused;
  expect(Object.values(buttonsOf(reportsOnView(en, outcome, OPERATORS)))).toEqual(ways);
});

test('the question for the operator account names it and leads back to the events', () => {
  const view = reportsOffQuestion(en, OPERATORS, { account: 1000, others: 0, origin: '' });
  expect(view.html).toMatch(/Operator account 1000<\/b>[\s\S]*Guests' payments/);
  expect(buttonsOf(view)).toEqual({ 'Turn off': 'reports:operator-off-yes', '‹ Back': 'events:open' });
});

test('truncates and escapes texts of the service', () => {
  const { html } = reportsOnView(en, refused, OWN);
  expect(html).toContain('&#60;b&#62;no no');
  expect(html.length).toBeLessThan(500);
});

test('leaving an account is mentioned only if its events change', () => {
  const note = (events: EventsAfterUnlink) => leftAccountNote(en, { account: 1001, events, unchecked: 0 });
  expect(note('unchanged')).toBe('');
  expect(note('off')).toContain('alerts of account 1001 are off');
  expect(note('possibly-on')).toContain('may keep sending');
});
