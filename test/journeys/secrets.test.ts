import { expect } from 'vitest';
import { journey as it, journeysWith } from '../support/journey.ts';
import { linkAccount } from '../support/steps.ts';
import { ADDRESS } from '../support/world.ts';

/** Looks like an API key, but isn't a seeded one, so that no account is linked with it. */
const PASTED = 'rk_live_4f9aK2mQ7xT1bV8nZ3cD6wE0';

it('deletes a pasted key before it replies, and tells the user why', async (person, world) => {
  const { message_id } = await person.say(`is ${PASTED} the right one?`);
  const reply = await person.reads('I deleted what looks like an API key');
  expect(reply.text).toContain('Link account');
  expect((await person.messages()).map((message) => message.message_id)).not.toContain(message_id);
  const calls = await world.control<{ method: string }[]>('GET', '/telegram/calls');
  expect(calls.filter(({ method }) => /delete|send|edit/i.test(method))[0]?.method).toBe('deleteMessage');
  expect(world.log.join()).not.toContain(PASTED);
  await person.tapAndRead('Link account', 'Send your API key');
});

it('deletes a key after a command while waiting for a key, and does not use it', async (person, world) => {
  await person.say('/start');
  await person.tapAndRead('Link account', 'Send your API key');
  for (const command of ['/link', '/start', '/nosuchcommand']) {
    const { message_id } = await person.say(`${command} ${PASTED}`);
    await world.settled();
    expect((await person.messages()).map((message) => message.message_id)).not.toContain(message_id);
  }
  expect(await world.countCallsWithText('I deleted what looks like')).toBe(3);
  expect(world.countRequests('GET /account/profile')).toBe(0);
});

journeysWith({ onRedis: true })(
  'deletes a key that is pasted during a flow, and continues the flow',
  async (person) => {
    await linkAccount(person);
    await person.sayAndRead('/buy', 'Which address');
    await person.sayAndRead('demo-key-4f9aK2mQ7xT1bV8nZ3cD', 'I deleted what looks like');
    await person.sayAndRead(ADDRESS, 'How much energy');
    const left = (await person.messages()).filter(({ from }) => from === 'person');
    expect(left.map(({ text }) => text)).toEqual(['/start', '/buy', ADDRESS]);
  },
);

it('keeps a question while waiting for a key, but deletes a possible key', async (person) => {
  await person.say('/start');
  await person.tapAndRead('Link account', 'Send your API key');
  const { message_id } = await person.say('where do I find this key?');
  await person.reads('API settings).');
  expect((await person.messages()).map((message) => message.message_id)).toContain(message_id);
  const other = await person.say('its name is demo');
  await person.reads("This doesn't look like an API key");
  expect((await person.messages()).map((message) => message.message_id)).not.toContain(other.message_id);
  await person.sayAndRead('demo-key', 'Account linked');
});
