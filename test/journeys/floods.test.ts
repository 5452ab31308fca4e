import { expect, test } from 'vitest';
import { callbackData } from '../../src/texts/callback-data.ts';
import { eventually } from '../support/eventually.ts';
import { tapUpdate } from '../support/person.ts';
import { linkAccount } from '../support/steps.ts';
import { textUpdate } from '../support/updates.ts';
import { ADMIN, GUEST, HOLDER, inWorld, MERCHANT, type World } from '../support/world.ts';

const ACCOUNT = callbackData('account', 'open');
/** As many as Telegram hands out at once to who polls. */
const TAPS = 100;
/** Of one chat under way at once. */
const OPEN = 5;
const OTHERS = [GUEST, MERCHANT, ADMIN];
/** Each for five seconds. */
const HANGING = 2;
const FLOOD = 'a lot at once';
const HANGS = "doesn't answer right now";

/** Somebody with an account, whose screen hangs when it is opened next; answers the message that shows its button. */
async function hangAccountOf(world: World): Promise<number> {
  const person = world.person(HOLDER);
  await linkAccount(person);
  const { message_id } = await person.reads('Account linked');
  await world.settled();
  await world.fault('GET /account/profile', 'latency', { ms: 30_000, times: HANGING });
  return message_id;
}

test.concurrent('by polling: while one taps on and on and the service hangs, all others are answered', () =>
  inWorld({ push: false }, async (world) => {
    const message = await hangAccountOf(world);
    const flooder = world.person(HOLDER);
    for (let tap = 0; tap < TAPS; tap++) await flooder.tapData(message, ACCOUNT);
    const others = OTHERS.map((chat) => world.person(chat));
    await Promise.all(others.map((person) => person.say('/start')));
    await Promise.all(others.map((person) => person.reads(/./)));
    expect(await world.told(HANGS)).toBeLessThan(HANGING);
    await eventually(async () => expect(await world.told(FLOOD)).toBeGreaterThan(TAPS - 2 * OPEN));
    expect(await world.told(HANGS)).toBeLessThan(HANGING);
  }));

test.concurrent('by webhook: one who taps on and on while the service hangs leaves connections to all others', () =>
  inWorld({}, async (world) => {
    await Promise.all(OTHERS.map((chat) => world.person(chat).say('hello')));
    await world.settled();
    const message_id = await hangAccountOf(world);
    const deliver = overConnections(40, (update: object) => world.deliver(update));
    const flood = Array.from({ length: TAPS }, () =>
      deliver(tapUpdate({ chat: HOLDER, message_id, data: ACCOUNT })),
    );
    let isOver = false;
    const flooded = Promise.all(flood).then((statuses) => {
      isOver = true;
      return statuses;
    });
    const others = OTHERS.map((chat) => deliver(textUpdate(800_000 + chat, chat, '/start')));
    expect(await Promise.all(others)).toEqual(OTHERS.map(() => 200));
    expect(isOver).toBe(false);
    expect(await flooded).toEqual(flood.map(() => 200));
    await eventually(async () => expect(await world.told(FLOOD)).toBe(TAPS - OPEN));
  }));

/** Runs at most `most` at once, the others in their order, as Telegram does with a bot's webhook. */
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
