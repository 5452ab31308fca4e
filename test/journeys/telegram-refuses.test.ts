import { expect, test } from 'vitest';
import { formatAmount } from '../../src/i18n/texts.ts';
import { accountApi, serviceActions } from '../support/account-api.ts';
import { eventually } from '../support/eventually.ts';
import { journey as it } from '../support/journey.ts';
import type { Person } from '../support/person.ts';
import { buyEnergy, linkWithEvents, toCard } from '../support/steps.ts';
import { ADDRESS, GUEST, HOLDER, inWorld, type World } from '../support/world.ts';

const RETRY_AFTER_S = 20;
/** Time between two steps on the clock of the sandbox, in seconds. */
const STEP_S = 4;
/** Time after a 429 in which earlier calls may still arrive, in milliseconds. The clock may advance one step in between. */
const UNDER_WAY_MS = 6_000;
const STEPS = 15;
const METHODS = ['sendMessage', 'editMessageText'];
const FILLED = 'Bought and delivered';
const ACCOUNTS = { [HOLDER]: 1001, [GUEST]: 1002 };

interface Call {
  method: string;
  params: { chat_id: number; text: string };
  status: number;
  at: number;
}

const callsOf = async (world: World) =>
  (await world.control<Call[]>('GET', '/telegram/calls')).filter(({ method }) => METHODS.includes(method));

/** Returns a unique amount that doesn't end in zero. */
const amountOf = (account: number, step: number) => `${account}.${201 + 2 * step}`;

/** Returns the calls to a chat before the retry time of an earlier 429 of this chat. */
function tooEarly(calls: readonly Call[]): Call[] {
  const refusals = calls.filter(({ status }) => status === 429);
  return calls.filter(({ at, params }) =>
    refusals.some(
      (one) =>
        one.params.chat_id === params.chat_id &&
        at - one.at > UNDER_WAY_MS &&
        at - one.at < RETRY_AFTER_S * 1_000,
    ),
  );
}

async function messagesWith(person: Person, part: string): Promise<number> {
  return (await person.messages()).filter(({ text = '' }) => text.includes(part)).length;
}

it('respects the retry times while Telegram rejects all calls, then notifies once of everything', async (_person, world) => {
  const [one, other] = [world.person(HOLDER), world.person(GUEST)];
  await linkWithEvents(one);
  await linkWithEvents(other, 'merchant-key');
  await buyEnergy(one, 'Status: pending');
  const api = accountApi(world);
  const watched = await api<{ id: number }>('POST', '/smart-mode/activate', { address: ADDRESS });
  await world.settled();
  const before = (await callsOf(world)).length;
  for (const method of METHODS)
    await world.telegramFault(method, 'rate-limit', { retry_after: RETRY_AFTER_S, times: 1_000 });

  const [order] = (await world.rental()).orders;
  const meanwhile: Record<number, () => Promise<unknown>> = {
    1: () => world.control('POST', `/rental/orders/${order?.order_id}/fill`),
    4: () => world.control('POST', `/rental/smart-mode/${watched.id}/transfer`, { amount: '10' }),
    6: () => serviceActions(world).event('promo.won', { prize: 'P-6' }),
    9: () => api('POST', '/account/withdrawal', { to_address: ADDRESS, amount_trx: '5' }),
  };
  for (let step = 0; step < STEPS; step += 1) {
    const reads = world.countRequests('GET /account/deposits');
    for (const account of Object.values(ACCOUNTS))
      await serviceActions(world, account).deposit(amountOf(account, step));
    await meanwhile[step]?.();
    await eventually(() => expect(world.countRequests('GET /account/deposits')).toBeGreaterThan(reads + 1));
    await world.advance(STEP_S);
  }
  const refused = (await callsOf(world)).slice(before);
  expect([...new Set(refused.map(({ status }) => status))]).toEqual([429]);
  expect(tooEarly(refused)).toEqual([]);

  await world.control('DELETE', '/telegram/faults');
  const told: [Person, string][] = [
    ...Array.from({ length: STEPS }, (_, step) => step).flatMap((step): [Person, string][] => [
      [one, `${formatAmount(amountOf(ACCOUNTS[HOLDER], step), 'en')} TRX credited`],
      [other, `${formatAmount(amountOf(ACCOUNTS[GUEST], step), 'en')} TRX credited`],
    ]),
    [one, FILLED],
    [one, '65,000 energy, fee'],
    [one, 'prize: P-6'],
    [one, '5.00 TRX is being sent'],
  ];
  await eventually(async () => {
    await world.advance(1);
    for (const [person, part] of told)
      expect([part, await messagesWith(person, part)]).not.toEqual([part, 0]);
  });
  await world.advance(600);
  await world.settled();
  const calls = await callsOf(world);
  expect(tooEarly(calls)).toEqual([]);
  for (const [person, part] of told) {
    expect([part, await messagesWith(person, part)]).toEqual([part, 1]);
  }
});

/** Makes Telegram reject the next call of a method with a retry time of an hour. */
const refuseForAnHour = (world: World, method: string) =>
  world.telegramFault(method, 'rate-limit', { retry_after: 3_600 });

it('shows an outcome soon after Telegram accepts another message, despite a 429 for an hour', async (person, world) => {
  await linkWithEvents(person);
  const card = await toCard(person);
  await refuseForAnHour(world, 'editMessageText');
  await person.tap('Confirm');
  await eventually(() => expect(world.countRequests('POST /energy/buy')).toBe(1));
  await world.settled();
  expect((await person.shows(card, 'Review and confirm')).message_id).toBe(card.message_id);
  await world.advance(60);
  expect((await callsOf(world)).filter(({ status }) => status === 429)).toHaveLength(1);
  await person.shows(card, 'Review and confirm');
  await person.sayAndRead('/start', 'Energy and bandwidth on TRON');
  await world.advance(5);
  await person.shows(card, 'Status: pending');
});

it('sends a notification soon after Telegram accepts another message, despite a 429 for an hour', async (person, world) => {
  await linkWithEvents(person);
  await world.settled();
  await refuseForAnHour(world, 'sendMessage');
  await serviceActions(world).deposit('12.34');
  await eventually(async () =>
    expect((await callsOf(world)).filter(({ status }) => status === 429)).toHaveLength(1),
  );
  await world.advance(60);
  expect(await messagesWith(person, '12.34 TRX credited')).toBe(0);
  await person.say('/start');
  await world.settled();
  await world.advance(5);
  await person.reads('12.34 TRX credited');
  expect(await messagesWith(person, '12.34 TRX credited')).toBe(1);
});

test.each([
  ['sent', { after: true }, 2],
  ['not sent', {}, 1],
])(
  'sends a notification again if Telegram did not respond, if the first one was %s',
  async (_, more, copies) =>
    inWorld({}, async (world) => {
      const person = await linkWithEvents(world.person(HOLDER));
      await world.settled();
      await world.telegramFault('sendMessage', 'cut', more);
      await serviceActions(world).deposit('12.34');
      await eventually(() =>
        expect(world.log.join()).toContain('a notification may not have been delivered'),
      );
      await world.advance(15);
      await person.reads('You may have seen this already');
      await world.advance(600);
      await world.settled();
      expect(await messagesWith(person, '12.34 TRX credited')).toBe(copies);
    }),
);
