import { expect } from 'vitest';
import { callbackData } from '../../src/views/callback-data.ts';
import { eventually } from '../support/eventually.ts';
import { journeysWith } from '../support/journey.ts';
import { tapUpdate } from '../support/person.ts';
import { linkAccount } from '../support/steps.ts';
import { textUpdate } from '../support/updates.ts';
import { ADMIN, GUEST, HOLDER, MERCHANT, type World } from '../support/world.ts';

const ACCOUNT = callbackData('account', 'open');
/** Restores the default of `slowMs`, which other journeys raise. */
const appOptions = { pace: { slowMs: undefined } };
/** More than Telegram returns in one response to `getUpdates`. */
const TAPS = 120;
/** Maximum updates of one chat in progress at once. */
const OPEN = 5;
const OTHERS = [GUEST, MERCHANT, ADMIN];

/** Links an account and delays all later profile responses. Returns the ID of the message with the account button. */
async function hangAccountOf(world: World): Promise<number> {
  const person = await linkAccount(world.person(HOLDER));
  const { message_id } = await person.reads('Account linked');
  await world.settled();
  await world.fault('GET /account/profile', 'latency', { ms: 30_000, times: 1_000 });
  return message_id;
}

/** Ends the delay and waits until each tap got a response. Asserts that some responses warn of the flood. */
async function expectAllAnswered(world: World, before: number): Promise<void> {
  await world.control('DELETE', '/rental/faults');
  await eventually(async () => expect(await answers(world)).toBe(before + TAPS));
  expect(await world.countCallsWithText('Too fast')).toBeGreaterThan(0);
}

async function answers(world: World): Promise<number> {
  return (await world.control<unknown[]>('GET', '/telegram/calls?method=answerCallbackQuery')).length;
}

journeysWith({ appOptions })(
  'with webhooks, a flood of taps while the service hangs leaves connections for others',
  async (_person, world) => {
    await Promise.all(OTHERS.map((chat) => world.person(chat).say('hello')));
    const message_id = await hangAccountOf(world);
    const before = await answers(world);
    const deliver = overConnections(40, (update: object) => world.deliver(update));
    const statuses: number[] = [];
    const tap = async () =>
      void statuses.push(await deliver(tapUpdate({ chat: HOLDER, message_id, data: ACCOUNT })));
    const flooded = Promise.all(Array.from({ length: TAPS }, tap));
    const others = OTHERS.map((chat) => deliver(textUpdate(800_000 + chat, chat, '/start')));
    expect(await Promise.all(others)).toEqual([200, 200, 200]);
    await eventually(() => expect(statuses.length).toBeGreaterThanOrEqual(TAPS - OPEN));
    await expectAllAnswered(world, before);
    await flooded;
    expect(new Set(statuses)).toEqual(new Set([200]));
  },
);

/** Limits concurrent runs to `most` and queues the others in order, as Telegram does with a bot's webhook. */
function overConnections<Arg, T>(most: number, run: (arg: Arg) => Promise<T>) {
  const waiting: (() => void)[] = [];
  let underWay = 0;
  return async (arg: Arg): Promise<T> => {
    if (underWay >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    underWay += 1;
    try {
      return await run(arg);
    } finally {
      underWay -= 1;
      waiting.shift()?.();
    }
  };
}
