import { expect } from 'vitest';
import { serviceActions } from '../support/account-api.ts';
import { eventually } from '../support/eventually.ts';
import { journey as it } from '../support/journey.ts';
import type { Person, ShownMessage } from '../support/person.ts';
import { dataOf, linkAccount, linkWithEvents } from '../support/steps.ts';
import { GUEST, HOLDER, type World } from '../support/world.ts';

const LOGS = 'GET /webhooks/logs';

/** Opens the log in a new message. Checks its heading first, because notifications may contain the same text. */
async function openLog(person: Person, shows: string): Promise<ShownMessage> {
  const log = await person.ask('/webhooklog', 'What the service reported about account');
  return person.shows(log, shows);
}

/** Opens the latest entry. Returns the message with its payload. */
async function openLatest(person: Person, log: ShownMessage, shows: string): Promise<ShownMessage> {
  await person.tapData(log.message_id, dataOf(log, '1'));
  return person.shows(log, shows);
}

/** Makes the service send an event and waits until its log shows this number of attempts. */
async function sent(world: World, type: string, data: object, attempts = 1): Promise<void> {
  const before = (await world.rental()).webhook_log.length;
  await serviceActions(world).event(type, data);
  await eventually(async () => {
    const log = (await world.rental()).webhook_log;
    expect(log.length).toBeGreaterThan(before);
    expect(log[0]?.attempts).toBe(attempts);
  });
}

it('shows the response and attempts of each delivery, and opens its payload', async (person, world) => {
  await linkWithEvents(person);
  await sent(world, 'order.filled', { order_id: 7, address: 'TR7NH', energy_amount: 65_000 });
  world.loseEvents();
  await sent(world, 'smart_mode.transfer', { subscription_id: 3, energy_amount: 131_000 });
  for (const attempts of [2, 3, 4]) {
    await world.advance(30);
    await eventually(async () => expect((await world.rental()).webhook_log[0]?.attempts).toBe(attempts));
  }
  const menu = await person.ask('/start', 'What would you like to do?');
  await person.tapData(menu.message_id, 'menu:more');
  await person.tapData(menu.message_id, dataOf(await person.shows(menu, 'More'), 'Webhook log'));
  const log = await person.shows(menu, 'What the service reported about account 1001');
  expect(log.text).toMatch(
    /⚠️ Delivered by Smart Mode · 131,000 energy\nnot received, HTTP 502 · 4 attempts · .* UTC\n\n2\. 📬 Order delivered · order 7 · 65,000 energy\nreceived, HTTP 2\d\d · 1 attempt · .* UTC/,
  );
  expect(log.text).toContain('Service reports come to this bot now');
  const failed = await openLatest(person, log, '"subscription_id": 3');
  expect(failed.text).toContain('not received, HTTP 502 · 4 attempts');
  await person.tapData(log.message_id, dataOf(failed, 'Webhook log'));
  const back = await person.shows(log, 'Order delivered · order 7');
  await person.tapData(back.message_id, dataOf(back, '2'));
  const opened = await person.shows(back, '"energy_amount": 65000');
  for (const part of ['"order_id": 7', '"address": "TR7NH"', 'received, HTTP 2'])
    expect(opened.text).toContain(part);
  expect(opened.html).toContain('<code>{');
});

it('truncates a huge payload, and shows markup and control characters as text', async (person, world) => {
  await linkWithEvents(person);
  const long = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`field${at}`, 'x'.repeat(2_000)]));
  await sent(world, 'something.huge', long);
  const huge = await openLatest(person, await openLog(person, 'something.huge'), '"field0"');
  expect(huge.text?.length).toBeLessThan(4_096);
  expect(huge.text).toMatch(/… and 172 lines more$/);
  expect(huge.text).not.toContain('x'.repeat(101));

  await sent(world, '<b>x</b> @somebody', {
    note: '</code><b>Send your key</b> <a href="https://evil.example">here</a> /start @somebody',
    turned: 'a\u202egnp\u200bb\nYour account is blocked',
    '<i>name</i>': [{ deep: [[['&amp;']]] }],
  });
  const log = await openLog(person, '@somebody');
  expect(log.html).not.toContain('<b>x</b>');
  const hostile = await openLatest(person, log, 'Send your key');
  expect(hostile.html).not.toMatch(/<b>Send|<a |<i>name|\u202e|\u200b/u);
  // A line break in a value doesn't start a new line, which could look like the bot's own text.
  expect(hostile.text).toMatch(/"turned": "a\\?.*Your account is blocked"/);
  expect(hostile.text).toContain('"deep": [');
  expect(hostile.text).toContain('&amp;');
});

it('says that the service does not list an entry, and offers a way back', async (person, world) => {
  await linkWithEvents(person);
  await sent(world, 'order.filled', { order_id: 1 });
  const log = await openLog(person, 'Order delivered · order 1');
  const entry = dataOf(log, '1');
  // The service keeps the latest hundred entries.
  for (let at = 0; at < 100; at++)
    await serviceActions(world).event('order.filled', { order_id: 1_000 + at });
  await person.tapData(log.message_id, entry);
  await person.shows(log, 'The service lists this report no more');
  await person.tapData(log.message_id, 'webhook-log:open');
  const latest = await person.shows(log, 'The latest 8.');
  expect(latest.text).toContain('order 1099');
  expect(latest.text).not.toMatch(/order 1\b/);
  await person.tapData(log.message_id, 'webhook-log:one:999999');
  await person.reads('The service lists this report no more');
});

it('explains a failed read of the log or an entry, and repeats it on Try again', async (person, world) => {
  await linkWithEvents(person);
  await sent(world, 'order.filled', { order_id: 7 });
  await world.fault(LOGS, 'cut-before', { times: 3 });
  const failed = await person.ask('/webhooklog', "The rental service doesn't answer right now");
  const log = await person.tapToShow('Try again', failed, 'order 7');
  await world.fault(LOGS, 'error-before', { times: 3, status: 503 });
  await openLatest(person, log, "The rental service doesn't answer right now");
  await person.tapToShow('Try again', log, '"order_id": 7');
});

it('asks a user without an account to link one, and shows no entries of others', async (_person, world) => {
  const [holder, other] = [world.person(HOLDER), world.person(GUEST)];
  await linkWithEvents(holder);
  await sent(world, 'order.filled', { order_id: 7 });
  const log = await openLog(holder, 'order 7');
  const entry = dataOf(log, '1');
  const needed = await other.sayAndRead('/webhooklog', 'For this you need an account');
  await other.tapData(needed.message_id, entry);
  await world.settled();
  await linkAccount(other, 'merchant-key');
  const own = await openLog(other, 'Nothing was sent yet');
  await other.tapData(own.message_id, entry);
  await other.reads('The service lists this report no more');
  expect(JSON.stringify(await other.messages())).not.toContain('order_id');
});
