import { expect, test } from 'vitest';
import { linkAccount } from '../support/steps.ts';
import { TARGET, toEnds } from '../support/withdrawing.ts';
import { ADMIN, HOLDER, inWorld, TOKEN, type World } from '../support/world.ts';

const EXPIRED = 'This button has expired. Open the menu again.';

/** Sends a message with the bot's token, as a token thief could. The user taps its only button. */
async function tapForged(world: World, chat: number, data: string): Promise<void> {
  const response = await fetch(`${world.origin}/telegram/bot${TOKEN}/sendMessage`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ chat_id: chat, text: 'Thank you for being with us!' },
      reply_markup: { inline_keyboard: [[{ text: 'Bonus', callback_data: data }]] },
    }),
  });
  const { result } = (await response.json()) as { result: { message_id: number } };
  await world.person(chat).tapData(result.message_id, data);
  await world.settled();
}

/** Returns the texts of all toasts. */
async function toasts(world: World): Promise<(string | undefined)[]> {
  const calls = await world.control<{ params: { text?: string } }[]>(
    'GET',
    '/telegram/calls?method=answerCallbackQuery',
  );
  return calls.map(({ params }) => params.text);
}

const inAYear = () => (Date.now() + 365 * 24 * 3600_000).toString(36);

test.concurrent('a disguised button of a token thief does not erase, unlink or block anything', () =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkAccount(person);
    await toEnds(person);
    await person.say(TARGET.slice(-6));
    const announced = await person.reads('In 10 minutes');
    const [strike = ''] = announced.keyboard?.flat().flatMap(({ data }) => data ?? []) ?? [];
    await world.settled();
    const before = await person.messages();
    const taps = [
      ...[`forget:yes:${inAYear()}`, 'account:unlink-yes', 'settings:sell:yes', 'announcements:off'],
      ...[strike.replace(/~.*/, ''), 'reports:on', 'notifications:mute:withdrawals'],
    ];
    for (const data of taps) await tapForged(world, HOLDER, data);
    expect((await toasts(world)).slice(-taps.length)).toEqual(taps.map(() => EXPIRED));
    const after = (await person.messages()).filter(({ text }) => text !== 'Thank you for being with us!');
    expect(after).toEqual(before);
    expect(world.asked('POST /webhooks/configure')).toBe(0);
    await world.advance(600);
    await person.reads('You can withdraw to this address now');
    await person.say('/account');
    await person.reads('Two-factor codes');
  }));

test.concurrent('a disguised button of a token thief changes nothing when an admin taps it', () =>
  inWorld({ config: { rentalApiKey: 'operator-key' } }, async (world) => {
    const [admin, person] = [world.person(ADMIN), world.person(HOLDER)];
    await person.say('/start');
    await person.reads('Energy and bandwidth on TRON');
    await admin.say('/start');
    await admin.reads('Energy and bandwidth on TRON');
    await world.settled();
    const before = await admin.messages();
    const taps = ['state:turn-on', `people:bar-yes:${HOLDER}`, 'operator:link', 'reports:operator-on'];
    for (const data of taps) await tapForged(world, ADMIN, data);
    expect((await toasts(world)).slice(-taps.length)).toEqual(taps.map(() => EXPIRED));
    const after = (await admin.messages()).filter(({ text }) => text !== 'Thank you for being with us!');
    expect(after).toEqual(before);
    expect(world.asked('POST /webhooks/configure')).toBe(0);
    const { message_id = 0 } = await person.say('/help');
    await person.readsBelow({ message_id }, 'How this works');
    await admin.say('/log');
    await admin.reads('Nothing was done');
    await admin.say('/account');
    await admin.reads('For this you need an account');
  }));
