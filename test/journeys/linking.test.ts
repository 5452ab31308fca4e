import { expect } from 'vitest';
import { journey as it } from '../support/journey.ts';
import { linkAccount } from '../support/steps.ts';
import type { World } from '../support/world.ts';

interface Call {
  method: string;
  params: { message_id?: number; text?: string };
}

/** Returns the Bot API calls about chats after the first `from` ones. */
async function callsSince(world: World, from: number): Promise<Call[]> {
  const calls = await world.control<Call[]>('GET', '/telegram/calls');
  // The bot describes itself while it already replies.
  return calls.filter(({ method }) => !method.startsWith('setMy')).slice(from);
}

it('deletes the message with the key first, and shows only the end of the key', async (person, world) => {
  await person.say('/start');
  const question = await person.tapAndRead('Link account', 'Send your API key');
  expect(question.text).toContain('This key controls the account');
  await world.settled();
  const before = (await callsSince(world, 0)).length;
  const profiles = world.countRequests('GET /account/profile');
  await world.telegramFault('deleteMessage', 'latency', { ms: 200 });
  const { message_id } = await person.say('demo-key');
  const linked = await person.reads('Account linked');
  expect(linked.text).toContain('key …-key');
  expect(linked.text).toContain('Another app that gets them now');
  expect(linked.text).toContain('Balance: 1,000.00 TRX');
  expect(world.countRequests('GET /account/profile')).toBe(profiles + 1);

  const [first] = await callsSince(world, before);
  expect(first).toMatchObject({ method: 'deleteMessage', params: { message_id } });
  expect((await person.messages()).map((message) => message.message_id)).not.toContain(message_id);
});

it('explains an invalid key, a rejected key and an unavailable service, and stays at the step', async (person, world) => {
  await person.say('/start');
  await person.tapAndRead('Link account', 'Send your API key');
  await person.sayAndRead('a wrong key', "This doesn't look like an API key");
  await person.sayAndRead('wrong-key-0001', "The service doesn't accept this key");
  await world.fault('GET /account/profile', 'error-before', { times: 3 });
  await person.say('demo-key');
  await person.reads("I didn't keep the key");
  await person.sayAndRead('demo-key', 'Account linked');
  const left = (await person.messages()).filter(({ from }) => from === 'person').map(({ text }) => text);
  expect(left).toEqual(['/start']);
});

it('pauses linking after five rejected keys within an hour', async (person, world) => {
  await person.say('/start');
  await person.tapAndRead('Link account', 'Send your API key');
  for (let n = 1; n <= 5; n++) {
    await person.ask(`not-a-key-of-anybody-${n}`, "doesn't accept this key");
  }
  const requestsBefore = world.countRequests('GET /account/profile');
  const { message_id = 0 } = await person.say('demo-key');
  const paused = await person.reads('Try again in 60 min', { message_id });
  expect((await person.messages()).map((shown) => shown.message_id)).not.toContain(message_id);
  await person.say('/start');
  await person.tapAndRead('Link account', 'Try again in 60 min', paused);
  expect(world.countRequests('GET /account/profile')).toBe(requestsBefore);
  await world.advance(3600);
  await linkAccount(person);
});

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
