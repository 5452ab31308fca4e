import { expect, test } from 'vitest';
import { linkAccount } from '../support/steps.ts';
import { ADDRESS, HOLDER, inWorld, type World } from '../support/world.ts';

const GROUP = -1_001_000_502;

interface Call {
  method: string;
  params: Record<string, unknown>;
}

let updates = 700_000;

/** Sends a text of the account holder in a group. Returns the bot's calls for this group. */
async function sayInGroup(world: World, text: string): Promise<Call[]> {
  const before = (await world.control<Call[]>('GET', '/telegram/calls')).length;
  const [command] = /^\/\w+(@\w+)?/.exec(text) ?? [];
  const update = {
    update_id: updates++,
    message: {
      message_id: updates,
      date: 0,
      chat: { id: GROUP, type: 'supergroup', title: 'A group' },
      from: { id: HOLDER, is_bot: false, first_name: 'Holder', language_code: 'en' },
      text,
      ...(command && { entities: [{ type: 'bot_command', offset: 0, length: command.length }] }),
    },
  };
  expect(await world.deliver(update)).toBe(200);
  const calls = (await world.control<Call[]>('GET', '/telegram/calls')).slice(before);
  // Ignores late messages about the link, which go to the private chat.
  return calls.filter(({ params }) => Number(params.chat_id) === GROUP);
}

test('links to the private chat in a group instead of showing balances or starting flows', () =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkAccount(person);
    const shown = (await person.messages()).length;
    for (const command of ['/start', '/account', '/deposit', '/withdraw 5', `/buy ${ADDRESS} 65000 24`]) {
      const calls = await sayInGroup(world, command);
      expect(calls.map(({ method }) => method)).toEqual(['sendMessage']);
      const { chat_id: _, ...said } = calls[0]?.params ?? {};
      expect(JSON.stringify(said)).toContain('start=group');
      expect(JSON.stringify(said)).not.toMatch(/1001|1000\.00|demo@example/);
    }
    for (const words of [ADDRESS, 'hello', `tron:${ADDRESS}`])
      expect(await sayInGroup(world, words)).toEqual([]);
    expect((await person.messages()).length).toBe(shown);
    expect((await world.rental()).orders).toEqual([]);
  }));

test.each([
  ['a key', 'whsk1234567890abcdefghijklmnop12', 'Replace the key at the rental service now'],
  ['a code', '/withdraw@rental_demo_bot 123456', "don't use it any more"],
])('deletes %s written in a group without using it, and notifies its owner', (_, text, told) =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkAccount(person);
    const asked = world.asked('GET /account/profile');
    const calls = await sayInGroup(world, text);
    expect(calls.map(({ method }) => method)).toEqual(['deleteMessage']);
    await person.reads(told);
    expect(world.asked('GET /account/profile')).toBe(asked);
  }),
);
