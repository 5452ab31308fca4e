import { expect } from 'vitest';
import { deliver } from '../support/account-api.ts';
import { eventually } from '../support/eventually.ts';
import { journey as it, journeysWith } from '../support/journey.ts';
import type { Person } from '../support/person.ts';
import { buyEnergy, dataOf, fillOrder, linkAccount, linkWithEvents } from '../support/steps.ts';
import { ADMIN, HOLDER, type ReceivedEvent, type World } from '../support/world.ts';

const [DEMO, OPERATOR] = [1001, 1000];
const CONFIGURE = 'POST /webhooks/configure';

/** Returns the webhook URL of an account at the service. */
async function urlOf(world: World, account = DEMO): Promise<string | undefined> {
  return (await world.rental()).accounts.find(({ id }) => id === account)?.webhook?.url;
}

/** Causes a signed event that does not reach the app. Returns the event. */
async function loseEventOf(world: World, person: Person): Promise<ReceivedEvent> {
  const before = world.events.length;
  await buyEnergy(person, 'Balance left');
  world.loseEvents();
  await fillOrder(world);
  const event = await eventually(async () => {
    const [event] = world.events.slice(before);
    if (event === undefined) throw new Error('no event was sent');
    return event;
  });
  world.loseEvents(false);
  return event;
}

async function turnOff(person: Person): Promise<void> {
  await person.say('/account');
  await person.tapAndRead('Turn off delivery alerts', 'Turn off delivery alerts?');
  await person.tap('Turn off');
}

it('removes the webhook URL at the service when service reports are turned off', async (person, world) => {
  await linkWithEvents(person);
  const event = await loseEventOf(world, person);
  const url = await urlOf(world);
  expect(url).toContain(world.origin);
  await person.say('/account');
  const earlier = await person.tapAndRead('Turn off delivery alerts', 'Turn off delivery alerts?');
  await person.say('/account');
  await person.tapAndRead('Turn off delivery alerts', 'Turn off delivery alerts?', earlier);
  const reply = await person.tapAndRead('Turn off', 'Delivery alerts are off');
  expect(reply.text).toContain('Delivery alerts are off');
  expect(reply.text).not.toContain('everyone who has linked this account');
  expect(await urlOf(world)).toBeUndefined();
  expect(await deliver(event, { url: url ?? '' })).toBe(404);
  const requestsBefore = world.countRequests(CONFIGURE);
  await person.ask('/account', 'Delivery alerts: off');
  await person.tapData(earlier.message_id, dataOf(earlier, 'Turn off'));
  await person.reads('If some still arrive');
  expect(world.countRequests(CONFIGURE)).toBe(requestsBefore);
});

it('accepts late events of a replaced hook for an hour', async (person, world) => {
  await linkWithEvents(person);
  const event = await loseEventOf(world, person);
  const old = (await urlOf(world)) ?? '';
  const question = await person.say('/account');
  await person.tapData(question.message_id ?? 0, 'reports:open');
  await person.tap('Yes, turn on');
  await eventually(async () => expect(await urlOf(world)).not.toBe(old));
  const latest = (await urlOf(world)) ?? '';
  await eventually(async () => expect(await deliver(event, { url: latest })).toBe(200));
  expect(await deliver(event, { url: old })).toBe(200);
  expect(await deliver(event, { url: old, body: `${event.body} ` })).toBe(404);
  await person.reads('Bought and delivered');
  await world.advance(3600);
  expect(await deliver(event, { url: old })).toBe(404);
  expect(await deliver(event, { url: latest })).toBe(404);
  await buyEnergy(person, 'Balance left');
  await fillOrder(world);
  await eventually(async () =>
    expect((await world.rental()).webhook_log[0]).toMatchObject({ response_status: 200 }),
  );
});

journeysWith({ onRedis: true, replicas: 2 })(
  'two holders who turn reports on at the same time get one working hook',
  async (_person, world) => {
    const [one, other] = [world.person(HOLDER), world.person(ADMIN)];
    for (const person of [one, other]) {
      await linkAccount(person);
      await person.say('/account');
      await person.tap('Turn on delivery alerts');
      await person.reads('for everyone who has linked it');
    }
    await world.fault(CONFIGURE, 'latency', { ms: 500, times: 2 });
    await Promise.all([one.tap('Yes, turn on'), other.tap('Yes, turn on')]);
    const reply = await Promise.all(
      [one, other].map((person) => person.reads(/alerts are on|being changed/)),
    );
    expect(reply.map(({ text = '' }) => text.includes('being changed')).sort()).toEqual([false, true]);
    expect(world.countRequests(CONFIGURE)).toBe(1);
    const card = await buyEnergy(one, 'Balance left');
    await fillOrder(world);
    await one.shows(card, 'Status: delivered');
    await turnOff(other);
    await other.reads('This applies to everyone who has linked this account');
    expect(await urlOf(world)).toBeUndefined();
  },
);

it('removes the webhook URL when the user links another account instead', async (person, world) => {
  await linkWithEvents(person);
  const relink = async (apiKey: string, says: string) => {
    const { message_id } = await person.say('/account');
    await person.reads('Delivery alerts', { message_id: message_id ?? 0 });
    await person.tapData(message_id ?? 0, 'link:open');
    const question = await person.reads('Send your API key', { message_id: message_id ?? 0 });
    return person.sayAndRead(apiKey, says, question);
  };
  const same = await relink('demo-key', 'Account linked');
  expect(same.text).not.toMatch(/Alerts of account|replaces any webhook/);
  expect(await urlOf(world)).toContain(world.origin);
  const moved = await relink('merchant-key', 'Account linked');
  expect(moved.text).toContain('Alerts of account 1001 are off');
  expect(await urlOf(world)).toBeUndefined();
  await person.say('/account');
  await person.tap('Turn on delivery alerts');
  await person.tap('Yes, turn on');
  await eventually(async () => expect(await urlOf(world, 1002)).toContain(world.origin));
  await world.settled();
  await world.fault(CONFIGURE, 'cut-before');
  const stays = await relink('totp-key', 'Account linked');
  expect(stays.text).toContain('may keep sending alerts of account 1002');
});

journeysWith({ config: { rentalApiKey: 'operator-key' } })(
  "lets only admins turn the operator's events on and off",
  async (_person, world) => {
    const [holder, admin] = [world.person(HOLDER), world.person(ADMIN)];
    await linkAccount(holder);
    const { message_id: card = 0 } = await holder.say('/account');
    for (const data of ['operator', 'operator-on', 'operator-off', 'operator-off-yes'])
      await holder.tapData(card, `reports:${data}`);
    await world.settled();
    expect(await world.countCallsWithText("the operator's account")).toBe(0);
    expect(world.countRequests(CONFIGURE)).toBe(0);

    const { message_id: menu = 0 } = await admin.say('/start');
    await admin.tapData(menu, 'reports:operator');
    const question = await admin.reads('Operator account 1000');
    expect(question.text).toContain('replaces any webhook');
    await admin.tapToShow('Not now', question, 'Nothing was changed');
    expect(await urlOf(world, OPERATOR)).toBeUndefined();

    await admin.tapData(menu, 'reports:operator');
    const earlier = await admin.reads('Operator account 1000', question);
    await admin.tapData(menu, 'reports:operator');
    await admin.reads('Operator account 1000', earlier);
    await admin.tapAndRead('Yes, turn on', 'Delivery alerts are on');
    const url = await urlOf(world, OPERATOR);
    expect(url).toContain(world.origin);

    await admin.tapData(earlier.message_id, dataOf(earlier, 'Yes, turn on'));
    await admin.reads('Alerts are already on');
    expect(await urlOf(world, OPERATOR)).toBe(url);
    await holder.tapData(card, 'reports:operator-off-yes');
    await world.settled();
    expect(await urlOf(world, OPERATOR)).toBe(url);
    await admin.tapAndRead('Turn off delivery alerts', "Guests' payments are noticed later");
    expect(await urlOf(world, OPERATOR)).toBe(url);
    await admin.tapAndRead('Turn off', 'Delivery alerts are off');
    expect(await urlOf(world, OPERATOR)).toBeUndefined();
  },
);

it('shows sent events with their responses in the webhook log once reports are on', async (person, world) => {
  await linkAccount(person);
  await person.ask('/account', 'Delivery alerts');
  await person.tapAndRead('Advanced', 'For developers');
  const log = await person.tapAndRead('Webhook log', 'Nothing sent yet');
  await person.tapToShow('Turn on delivery alerts', log, 'This replaces any webhook');
  await person.tapAndRead('Yes, turn on', 'alerts are on');
  await world.control('POST', '/rental/accounts/1001/deposit', { amount_trx: '12.50' });
  await person.reads('12.50 TRX credited');
  await world.settled();
  const shown = await person.ask('/webhooklog', 'Delivery alerts come to this bot');
  expect(shown.text).toMatch(/📬 Deposit credited · 12\.50 TRX\nreceived, HTTP 2\d\d · 1 attempt · .* UTC/);
  const labels = shown.keyboard?.flat().map(({ text }) => text);
  expect(labels?.slice(1)).toEqual(['Turn off delivery alerts', '👤 Account', '☰ Menu']);
  await person.tap('1');
  expect((await person.reads('"amount_trx": "12.50"')).text).toContain('📬 Deposit credited');
});
