import { describe, expect, test } from 'vitest';
import type { TurnedOff, TurnedOn } from '../../src/accounts/event-receiving.ts';
import { leftAccount, turnedOff, turnedOn } from '../../src/bot/reports-outcome.ts';
import { reportsQuestion } from '../../src/texts/reports-question.ts';
import { createTexts, LANGUAGES } from '../../src/texts/texts.ts';
import { buttonsOf, expectWithinLimits } from '../texts/telegram-limits.ts';

const texts = createTexts();
const OWN = { ask: 'open', on: 'on', off: 'off', saysOn: 'reports-on' } as const;
const refused = { kind: 'refused', reason: `<b>${'no '.repeat(2_000)}` } as const;
const ON: TurnedOn[] = [
  ...(['on', 'was-on', 'weak', 'busy', 'unclear'] as const).map((kind) => ({ kind })),
  refused,
];
const OFF: TurnedOff[] = [
  ...(['off', 'was-off', 'busy'] as const).map((kind) => ({ kind })),
  { kind: 'stays', why: refused },
  { kind: 'stays', why: { kind: 'unclear' } },
];

describe.each(LANGUAGES)('in %s', (language) => {
  const words = texts.in(language);

  test.each(ON)('turned on with $kind is said within the limits', (outcome) => {
    expectWithinLimits(turnedOn(words, outcome, OWN));
  });

  test.each(OFF)('turned off with $kind is said within the limits', (outcome) => {
    for (const shared of [true, false]) expectWithinLimits(turnedOff(words, outcome, OWN, shared));
  });

  test('the question is the same for the operator, below whose account it is', () => {
    const [own, operators] = [reportsQuestion(words), reportsQuestion(words, { operator: 1000 })];
    expectWithinLimits(operators);
    expect(operators.html).toMatch(/1000[\s\S]/);
    expect(operators.html.endsWith(own.html)).toBe(true);
    expect(Object.values(buttonsOf(own))).toEqual(['reports:on', 'reports:later']);
    expect(Object.values(buttonsOf(operators))).toEqual(['reports:operator-on', 'reports:operator-later']);
  });
});

const en = texts.in('en');
const OPERATORS = {
  ask: 'operator',
  on: 'operator-on',
  off: 'operator-off',
  saysOn: 'reports-operator-on',
} as const;

test.each<[TurnedOn['kind'], string[]]>([
  ['on', ['menu:open']],
  ['was-on', ['reports:operator-off', 'menu:open']],
  ['weak', ['reports:operator-on', 'menu:open']],
  ['busy', ['reports:operator-on', 'menu:open']],
  ['unclear', ['reports:operator-on', 'menu:open']],
  ['refused', ['reports:operator-on', 'menu:open']],
])('after %s there is a way on, for the same account', (kind, ways) => {
  const outcome = ON.find((one) => one.kind === kind) ?? refused;
  expect(Object.values(buttonsOf(turnedOn(en, outcome, OPERATORS)))).toEqual(ways);
});

test('to turn off what is being changed can be tried again, for the same account', () => {
  const view = turnedOff(en, { kind: 'busy' }, OPERATORS, false);
  expect(Object.values(buttonsOf(view))).toEqual(['reports:operator-off', 'menu:open']);
});

test('what a service said is capped, and no markup', () => {
  const { html } = turnedOn(en, refused, OWN);
  expect(html).toContain('&#60;b&#62;no no');
  expect(html.length).toBeLessThan(500);
});

test('an account that is left says something only where its events go elsewhere than before', () => {
  expect(leftAccount(en, 1001, 'as-before')).toBe(false);
  expect(leftAccount(en, 1001, 'nowhere')).toContain('no longer sends me');
  expect(leftAccount(en, 1001, 'stays')).toContain("couldn't have the service stop sending me");
});
