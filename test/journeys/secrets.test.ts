import { expect, test } from 'vitest';
import { journey as it } from '../support/journey.ts';
import { redisUrl } from '../support/redis.ts';
import { linkAccount } from '../support/steps.ts';
import { ADDRESS, HOLDER, inWorld } from '../support/world.ts';

/** Looks like an API key, but isn't a seeded one, so that no account is linked with it. */
const PASTED = 'rk_live_4f9aK2mQ7xT1bV8nZ3cD6wE0';
const HASH = 'a3f1'.repeat(16);

/** Texts with something that looks like a key, as users paste it. */
const KEYS = [
  PASTED,
  `here it is: ${PASTED} thanks`,
  `/start ${PASTED}`,
  `/link ${PASTED}`,
  `/nosuchcommand ${PASTED}`,
  `is ${PASTED} the right one?`,
  '4f9a1c22-7b1d-4c0e-9a53-0d5b8f6e2a17',
];

test.concurrent.each(KEYS)('deletes “%s” if no key was requested, and tells the user why', (words) =>
  inWorld({ redisUrl: undefined }, async (world) => {
    const person = world.person(HOLDER);
    const { message_id } = await person.say(words);
    const reply = await person.reads('I deleted your message because it looked like an API key');
    expect(reply.text).toContain('Link account');
    expect((await person.messages()).map((message) => message.message_id)).not.toContain(message_id);
    const calls = await world.control<{ method: string }[]>('GET', '/telegram/calls');
    expect(calls.filter(({ method }) => /delete|send|edit/i.test(method))[0]?.method).toBe('deleteMessage');
    expect(world.log.join()).not.toContain(PASTED);
    await person.tapAndRead('Link account', 'Waiting for your key');
  }),
);

it('deletes a key after a command while waiting for a key, and does not use it', async (person, world) => {
  await person.say('/start');
  await person.tapAndRead('Link account', 'Waiting for your key');
  for (const command of ['/link', '/start', '/nosuchcommand']) {
    const { message_id } = await person.say(`${command} ${PASTED}`);
    await world.settled();
    expect((await person.messages()).map((message) => message.message_id)).not.toContain(message_id);
  }
  expect(await world.countCallsWithText('I deleted your message')).toBe(3);
  expect(world.countRequests('GET /account/profile')).toBe(0);
});

test.concurrent('deletes a key that is pasted during a flow, and continues the flow', async () => {
  const url = await redisUrl();
  await inWorld({ redisUrl: url }, async (world) => {
    const person = await linkAccount(world.person(HOLDER));
    await person.sayAndRead('/buy', 'Which address');
    await person.sayAndRead('demo-key-4f9aK2mQ7xT1bV8nZ3cD', 'I deleted your message');
    await person.sayAndRead(ADDRESS, 'What is it for');
    const left = (await person.messages()).filter(({ from }) => from === 'person');
    expect(left.map(({ text }) => text)).toEqual(['/start', '/buy', ADDRESS]);
  });
});

test.concurrent.each([
  ADDRESS,
  'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6',
  '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
  HASH,
  `0x${HASH}`,
  `https://explorer.example/tx/${HASH}?from=a1b2c3d4e5f6a7b8c9d0e1f2`,
  'what does an unconditionallylongwordwithoutdigits mean',
])('does not delete “%s”, which is not a key', (words) =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    const { message_id } = await person.say(words);
    await world.settled();
    expect((await person.messages()).map((message) => message.message_id)).toContain(message_id);
    expect(await world.countCallsWithText('looked like an API key')).toBe(0);
  }),
);

it('keeps a question while waiting for a key, but deletes a possible key', async (person) => {
  await person.say('/start');
  await person.tapAndRead('Link account', 'Waiting for your key');
  const { message_id } = await person.say('where do I find this key?');
  await person.reads("I'm waiting for your API key. You find it in your account");
  expect((await person.messages()).map((message) => message.message_id)).toContain(message_id);
  const other = await person.say('its name is demo');
  await person.reads("That doesn't look like an API key");
  expect((await person.messages()).map((message) => message.message_id)).not.toContain(other.message_id);
  await person.sayAndRead('demo-key', 'Account linked');
});

it('warns the user if a pasted key cannot be deleted', async (person, world) => {
  await world.telegramFault('deleteMessage', 'error', { times: 3 });
  const { message_id = 0 } = await person.say(PASTED);
  await person.reads("looks like an API key, and I couldn't delete it");
  await person.remove(message_id);
});
