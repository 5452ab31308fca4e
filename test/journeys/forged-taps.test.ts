import { expect } from 'vitest';
import { journey as it, journeysWith } from '../support/journey.ts';
import { tapUpdate } from '../support/person.ts';
import { dataOf, linkAccount, operationOf, TARGET, toCard, toEnds } from '../support/steps.ts';
import { ADDRESS, ADMIN, GUEST, HOLDER, TOKEN, type World } from '../support/world.ts';

const BUY = 'POST /energy/buy';

/** Asserts that the card was not confirmed: only a draft can be cancelled. */
async function expectStillDraft(world: World, message_id: number): Promise<void> {
  const person = world.person(HOLDER);
  await person.tapToShow('Cancel', { message_id }, 'Cancelled. Nothing was charged');
  expect(world.countRequests(BUY)).toBe(0);
}

it('confirms a card only for its owner, and only from its own message', async (person, world) => {
  const other = await linkAccount(world.person(GUEST), 'merchant-key');
  const theirs = await toCard(other);
  await linkAccount(person);
  const card = await toCard(person);
  await world.settled();
  const before = { mine: await person.messages(), theirs: await other.messages() };

  const [elsewhere] = before.mine.filter(({ from }) => from === 'bot');
  for (const label of ['Confirm', 'Back', 'Cancel']) {
    const data = dataOf(card, label);
    await other.tapData(theirs.message_id, data);
    await world.deliver(tapUpdate({ chat: HOLDER, from: GUEST, message_id: card.message_id, data }));
    await person.tapData(elsewhere?.message_id ?? 0, data);
  }
  await other.tapData(theirs.message_id, `operation:checked:${operationOf(card)}`);
  await world.settled();
  expect({ mine: await person.messages(), theirs: await other.messages() }).toEqual(before);
  await expectOnlyToasts(
    world,
    'This card has been decided already.',
    'This button has expired. Open the menu again.',
  );
  await expectStillDraft(world, card.message_id);
});

it('does not confirm a card whose text differs from its record, and says so', async (person, world) => {
  await linkAccount(person);
  const card = await toCard(person);
  const data = dataOf(card, 'Confirm');
  const text = card.text ?? '';
  const others = [
    text.replace(ADDRESS, 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4'),
    text.replace('65,000', '165,000'),
    text.replace('1 hour', '24 hours'),
    '',
  ];
  for (const other of others) {
    expect(other).not.toBe(text);
    await world.deliver(tapUpdate({ chat: HOLDER, message_id: card.message_id, text: other, data }));
  }
  const toasts = await world.control<{ params: { text?: string } }[]>(
    'GET',
    '/telegram/calls?method=answerCallbackQuery',
  );
  const differing = toasts.filter(({ params }) => params.text?.startsWith("This message doesn't say"));
  expect(differing).toHaveLength(others.length);
  await expectStillDraft(world, card.message_id);
});

it('ignores made-up callback data in a flow and outside of one', async (person, world) => {
  await linkAccount(person);
  const question = await person.sayAndRead('/buy', 'Which address');
  await world.settled();
  const before = await person.messages();
  const [menu] = before.filter(({ from }) => from === 'bot');
  const madeUp = [
    'operation:confirm:XXXXXXXX',
    'operation:confirm:',
    'operation:confirm:../../x',
    'operation:confirm',
    'operation:__proto__',
    'answer=99',
    'answer=',
    'x',
  ];
  for (const data of [...madeUp, 'answer=holder', 'link:yes', '__proto__', 'constructor', '\u0000', '💥']) {
    await person.tapData(question.message_id, data);
    await person.tapData(menu?.message_id ?? 0, data);
  }
  await world.settled();
  expect(await person.messages()).toEqual(before);
  await expectOnlyToasts(
    world,
    'This card has been decided already.',
    'This button is out of date.',
    'This question is out of date. Please use the latest one.',
  );
  await person.sayAndRead(ADDRESS, 'What is it for');
});

it('does not confirm a card after Cancel or Back', async (person, world) => {
  await linkAccount(person);
  const cancelled = await toCard(person);
  await person.tapToShow('Cancel', cancelled, 'Cancelled');
  const left = await toCard(person);
  await person.tapToShow('Back', left, 'Cancelled');
  await person.reads('3 of 3', left);
  await world.settled();
  const before = await person.messages();
  for (const card of [cancelled, left]) {
    await person.tapData(card.message_id, dataOf(card, 'Confirm'));
    await person.tapData(card.message_id, dataOf(card, 'Cancel'));
  }
  await world.settled();
  expect(await person.messages()).toEqual(before);
  await person.tapAndRead('24 hours', 'Check before you confirm');
  await person.tapAndRead('Confirm', 'Bought');
  expect(world.countRequests(BUY)).toBe(1);
  expect((await world.rental()).orders[0]).toMatchObject({ duration_hours: 24 });
});

it('a card expires after five minutes', async (person, world) => {
  await linkAccount(person);
  const card = await toCard(person);
  await world.advance(301);
  const expired = await person.confirm(card, 'This card has expired. Nothing was charged.');
  expect(dataOf(expired, 'Confirm')).toBe('');
  await person.tapData(card.message_id, dataOf(card, 'Confirm'));
  await world.settled();
  expect((await world.rental()).orders).toEqual([]);
  expect(world.countRequests(BUY)).toBe(0);
  expect(await world.countEmptyEdits()).toBe(0);
});

/** Asserts that all taps got one of these toasts, which don't reveal why a tap was rejected. */
async function expectOnlyToasts(world: World, ...words: string[]): Promise<void> {
  const answers = await world.control<{ params: { text?: string } }[]>(
    'GET',
    '/telegram/calls?method=answerCallbackQuery',
  );
  const said = new Set(answers.flatMap(({ params }) => params.text ?? []));
  expect([...said].filter((text) => !words.includes(text))).toEqual([]);
  expect(said.size).toBeGreaterThan(0);
}

it('a newer card removes the buttons of an older one, which can no longer be confirmed', async (person, world) => {
  await linkAccount(person);
  const older = await toCard(person);
  await person.say(`/buy ${ADDRESS} 650000 1`);
  const newer = await person.until('a second card', (shown) =>
    shown.find((m) => m.message_id > older.message_id && m.text?.includes('Check before you confirm')),
  );
  await world.settled();
  const left = (await person.messages()).find((m) => m.message_id === older.message_id);
  expect(left?.keyboard ?? []).toEqual([]);

  await person.tapData(older.message_id, dataOf(older, 'Confirm'));
  await world.settled();
  expect(world.countRequests(BUY)).toBe(0);
  await person.tapData(newer.message_id, dataOf(newer, 'Confirm'));
  await person.shows(newer, 'Bought');
  expect(world.countRequests(BUY)).toBe(1);
});

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

it('a disguised button of a token thief does not erase, unlink or block anything', async (person, world) => {
  await linkAccount(person);
  await toEnds(person);
  const announced = await person.sayAndRead(TARGET.slice(-6), 'In 10 minutes');
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
  expect(world.countRequests('POST /webhooks/configure')).toBe(0);
  await world.advance(600);
  await person.reads('You can withdraw to this address now');
  await person.sayAndRead('/account', 'Two-factor codes');
});

journeysWith({ config: { rentalApiKey: 'operator-key' } })(
  'a disguised button of a token thief changes nothing when an admin taps it',
  async (_person, world) => {
    const [admin, person] = [world.person(ADMIN), world.person(HOLDER)];
    await person.sayAndRead('/start', 'Energy and bandwidth on TRON');
    await admin.sayAndRead('/start', 'Energy and bandwidth on TRON');
    await world.settled();
    const before = await admin.messages();
    const taps = ['state:turn-on', `people:bar-yes:${HOLDER}`, 'operator:link', 'reports:operator-on'];
    for (const data of taps) await tapForged(world, ADMIN, data);
    expect((await toasts(world)).slice(-taps.length)).toEqual(taps.map(() => EXPIRED));
    const after = (await admin.messages()).filter(({ text }) => text !== 'Thank you for being with us!');
    expect(after).toEqual(before);
    expect(world.countRequests('POST /webhooks/configure')).toBe(0);
    await person.ask('/help', 'How this works');
    await admin.sayAndRead('/log', 'Nothing was done');
    await admin.sayAndRead('/account', 'For this you need an account');
  },
);
