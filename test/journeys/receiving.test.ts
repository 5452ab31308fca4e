import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import type { Person, ShownMessage } from '../support/person.ts';
import { redisUrl } from '../support/redis.ts';
import { dataOf, linkAccount, linkWithEvents, toCard } from '../support/steps.ts';
import { ADMIN, type CameIn, HOLDER, inWorld, type World } from '../support/world.ts';

const [DEMO, OPERATOR] = [1001, 1000];
const CONFIGURE = 'POST /webhooks/configure';

/** Returns the webhook URL of an account at the service. */
async function urlOf(world: World, account = DEMO): Promise<string | undefined> {
  return (await world.rental()).accounts.find(({ id }) => id === account)?.webhook?.url;
}

async function buy(person: Person): Promise<ShownMessage> {
  const card = await toCard(person);
  await person.tap('Confirm');
  return person.shows(card, 'Balance left');
}

async function fill(world: World): Promise<void> {
  await world.control('POST', `/rental/orders/${(await world.rental()).orders[0]?.order_id}/fill`);
}

/** Posts an event again, or late. Returns the HTTP status. */
async function deliver({ signature, body }: CameIn, url: string): Promise<number> {
  const headers = { 'content-type': 'application/json', 'X-Webhook-Signature': signature };
  return (await fetch(url, { method: 'POST', headers, body })).status;
}

/** Causes a signed event that does not reach the app. Returns the event. */
async function underWay(world: World, person: Person): Promise<CameIn> {
  const before = world.events.length;
  await buy(person);
  world.loseEvents();
  await fill(world);
  const event = await eventually(async () => {
    const [came] = world.events.slice(before);
    if (came === undefined) throw new Error('no event has come');
    return came;
  });
  world.loseEvents(false);
  return event;
}

async function turnOff(person: Person): Promise<void> {
  await person.say('/account');
  await person.tap('Turn off service reports');
  await person.reads('Turn off service reports?');
  await person.tap('Turn off');
}

async function unlink(person: Person): Promise<ShownMessage> {
  await person.say('/account');
  await person.tap('Unlink account');
  await person.tap('Yes, unlink');
  return person.reads('The account is unlinked');
}

test.concurrent('removes the webhook URL at the service when service reports are turned off', () =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkWithEvents(person);
    const event = await underWay(world, person);
    const url = await urlOf(world);
    expect(url).toContain(world.origin);
    await person.say('/account');
    await person.tap('Turn off service reports');
    const earlier = await person.reads('Turn off service reports?');
    await person.say('/account');
    await person.tap('Turn off service reports');
    await person.readsBelow(earlier, 'Turn off service reports?');
    await person.tap('Turn off');
    const said = await person.reads('Service reports are off');
    expect(said.text).toContain('the service no longer sends me');
    expect(said.text).not.toContain('everybody who has linked this account');
    expect(await urlOf(world)).toBeUndefined();
    expect(await deliver(event, url ?? '')).toBe(404);
    const asked = world.asked(CONFIGURE);
    const { message_id } = await person.say('/account');
    await person.readsBelow({ message_id: message_id ?? 0 }, 'Service reports: off');
    await person.tapData(earlier.message_id, dataOf(earlier, 'Turn off'));
    await person.reads('If the service still sends to me');
    expect(world.asked(CONFIGURE)).toBe(asked);
  }));

test.concurrent('turns reports off locally if the service is unavailable, and rejects its events', () =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkWithEvents(person);
    const url = await urlOf(world);
    await world.fault(CONFIGURE, 'error-before');
    await turnOff(person);
    const said = await person.reads('Service reports are off here');
    expect(said.text).toMatch(/may go on sending to me[\s\S]*didn't answer in time[\s\S]*change the place/);
    expect(await urlOf(world)).toBe(url);
    const card = await buy(person);
    await fill(world);
    await eventually(async () =>
      expect((await world.rental()).webhook_log[0]).toMatchObject({ response_status: 404 }),
    );
    expect(await person.shows(card, 'Balance left')).toEqual(card);
  }));

test.concurrent('tells the user if the service rejects the removal of the URL', () =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkWithEvents(person);
    await world.fault(CONFIGURE, 'rate-limit', { ms: 1_000 });
    await turnOff(person);
    const said = await person.reads('Service reports are off here');
    expect(said.text).toContain('It refused to stop');
  }));

test.concurrent('accepts late events of a replaced hook for an hour', () =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkWithEvents(person);
    const event = await underWay(world, person);
    const old = (await urlOf(world)) ?? '';
    const question = await person.say('/account');
    await person.tapData(question.message_id ?? 0, 'reports:open');
    await person.tap('turn them on');
    await eventually(async () => expect(await urlOf(world)).not.toBe(old));
    const latest = (await urlOf(world)) ?? '';
    await eventually(async () => expect(await deliver(event, latest)).toBe(200));
    expect(await deliver(event, old)).toBe(200);
    expect(await deliver({ ...event, body: `${event.body} ` }, old)).toBe(404);
    await person.reads('Bought and delivered');
    await world.advance(3600);
    expect(await deliver(event, old)).toBe(404);
    expect(await deliver(event, latest)).toBe(404);
    await buy(person);
    await fill(world);
    await eventually(async () =>
      expect((await world.rental()).webhook_log[0]).toMatchObject({ response_status: 200 }),
    );
  }));

test.concurrent('two holders who turn reports on at the same time get one working hook', async () =>
  inWorld({ redisUrl: await redisUrl(), replicas: 2 }, async (world) => {
    const [one, other] = [world.person(HOLDER), world.person(ADMIN)];
    for (const person of [one, other]) {
      await linkAccount(person);
      await person.say('/account');
      await person.tap('Turn on service reports');
      await person.reads('It is one setting for everybody who has linked this account');
    }
    await world.fault(CONFIGURE, 'latency', { ms: 500, times: 2 });
    await Promise.all([one.tap('turn them on'), other.tap('turn them on')]);
    const said = await Promise.all(
      [one, other].map((person) => person.reads(/reports are (on|being changed)/)),
    );
    expect(said.map(({ text = '' }) => text.includes('being changed just now')).sort()).toEqual([
      false,
      true,
    ]);
    expect(world.asked(CONFIGURE)).toBe(1);
    const card = await buy(one);
    await fill(world);
    await one.shows(card, 'Status: filled');
    await turnOff(other);
    await other.reads('That is so for everybody who has linked this account');
    expect(await urlOf(world)).toBeUndefined();
  }));

test.concurrent('removes the webhook URL only when the last holder unlinks the account', () =>
  inWorld({}, async (world) => {
    const [first, last] = [world.person(HOLDER), world.person(ADMIN)];
    await linkWithEvents(first);
    await linkAccount(last);
    const url = await urlOf(world);
    expect((await unlink(first)).text).not.toContain('reports of account');
    expect(await urlOf(world)).toBe(url);
    const said = await unlink(last);
    expect(said.text).toContain('The service no longer sends me the reports of account 1001');
    expect(await urlOf(world)).toBeUndefined();
  }));

test.concurrent('unlinks an account whose webhook URL cannot be removed, and says so', () =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkWithEvents(person);
    const event = await underWay(world, person);
    const url = (await urlOf(world)) ?? '';
    await world.fault(CONFIGURE, 'cut-before');
    const said = await unlink(person);
    expect(said.text).toMatch(/couldn't have the service stop sending me[\s\S]*account 1001[\s\S]*I refuse/);
    expect(await urlOf(world)).toBe(url);
    expect(await deliver(event, url)).toBe(404);
    await person.say('/account');
    await person.reads('For this you need an account');
  }));

test.concurrent('removes the webhook URL when the user links another account instead', () =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkWithEvents(person);
    const relink = async (apiKey: string, says: string) => {
      const { message_id } = await person.say('/account');
      await person.readsBelow({ message_id: message_id ?? 0 }, 'Service reports');
      await person.tapData(message_id ?? 0, 'link:open');
      const question = await person.readsBelow({ message_id: message_id ?? 0 }, 'Waiting for your key');
      await person.say(apiKey);
      return person.readsBelow(question, says);
    };
    const same = await relink('demo-key', 'Account linked');
    expect(same.text).not.toContain('reports of account');
    expect(await urlOf(world)).toContain(world.origin);
    const moved = await relink('merchant-key', 'Account linked');
    expect(moved.text).toContain('The service no longer sends me the reports of account 1001');
    expect(await urlOf(world)).toBeUndefined();
    await person.say('/account');
    await person.tap('Turn on service reports');
    await person.tap('turn them on');
    await eventually(async () => expect(await urlOf(world, 1002)).toContain(world.origin));
    await world.settled();
    await world.fault(CONFIGURE, 'cut-before');
    const stays = await relink('totp-key', 'Account linked');
    expect(stays.text).toContain("I couldn't have the service stop sending me the reports of account 1002");
  }));

test.concurrent("lets only admins turn the operator's events on and off", () =>
  inWorld({ config: { rentalApiKey: 'operator-key' } }, async (world) => {
    const [holder, admin] = [world.person(HOLDER), world.person(ADMIN)];
    await linkAccount(holder);
    const { message_id: card = 0 } = await holder.say('/account');
    for (const data of ['operator', 'operator-on', 'operator-off', 'operator-off-yes'])
      await holder.tapData(card, `reports:${data}`);
    await world.settled();
    expect(await world.told("the operator's account")).toBe(0);
    expect(world.asked(CONFIGURE)).toBe(0);

    const { message_id: menu = 0 } = await admin.say('/start');
    await admin.tapData(menu, 'reports:operator');
    const question = await admin.reads("This is about the operator's account, 1000");
    expect(question.text).toContain('what is set there now is replaced');
    await admin.tap('Not now');
    await admin.shows(question, 'Nothing was changed');
    expect(await urlOf(world, OPERATOR)).toBeUndefined();

    await admin.tapData(menu, 'reports:operator');
    const earlier = await admin.readsBelow(question, "This is about the operator's account, 1000");
    await admin.tapData(menu, 'reports:operator');
    await admin.readsBelow(earlier, "This is about the operator's account, 1000");
    await admin.tap('turn them on');
    await admin.reads("Service reports of the operator's account are on");
    const url = await urlOf(world, OPERATOR);
    expect(url).toContain(world.origin);

    await admin.tapData(earlier.message_id, dataOf(earlier, 'turn them on'));
    await admin.reads('Service reports are on already');
    expect(await urlOf(world, OPERATOR)).toBe(url);
    await holder.tapData(card, 'reports:operator-off-yes');
    await world.settled();
    expect(await urlOf(world, OPERATOR)).toBe(url);
    await admin.tap('Turn off service reports');
    await admin.reads('that a guest has paid');
    expect(await urlOf(world, OPERATOR)).toBe(url);
    await admin.tap('Turn off');
    await admin.reads('the service no longer sends me');
    expect(await urlOf(world, OPERATOR)).toBeUndefined();
  }));

test.concurrent("does not let a former admin turn the operator's events off", () =>
  inWorld({ config: { rentalApiKey: 'operator-key' } }, async (world) => {
    const admin = world.person(ADMIN);
    const { message_id: menu = 0 } = await admin.say('/start');
    await admin.tapData(menu, 'reports:operator');
    await admin.tap('turn them on');
    await admin.reads("Service reports of the operator's account are on");
    await admin.tapData(menu, 'reports:operator-off');
    const question = await admin.reads('that a guest has paid');
    const url = await urlOf(world, OPERATOR);
    await world.restart({ adminIds: new Set() });
    await admin.tapData(question.message_id, dataOf(question, 'Turn off'));
    await world.settled();
    expect(await urlOf(world, OPERATOR)).toBe(url);
  }));
