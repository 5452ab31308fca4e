import { Redis } from 'ioredis';
import { expect } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { readHealthAlert } from '../support/health-alerts.ts';
import { journeysWith } from '../support/journey.ts';
import { makeInvoice, toInvoiceCard } from '../support/steps.ts';
import { ADDRESS, ADMIN, GUEST } from '../support/world.ts';

const it = journeysWith({ config: { rentalApiKey: 'operator-key' } });
const ALERT = "The service refuses the operator's API key";
/** Interval of polls of an invoice that can't be read, in seconds. */
const RETRY_SECONDS = 60;

it('tells guests that there are no invoices, and admins why, while the service refuses the operator key', async (guest, world) => {
  const [admin, other] = [world.person(ADMIN), world.person(GUEST)];
  const setKey = (key: string) => world.control('POST', '/rental/accounts/1000/key', { key });
  const own = await makeInvoice(guest);
  const admins = await makeInvoice(admin);
  const draft = await toInvoiceCard(other);
  await setKey('replaced-key');

  await other.confirm(draft, "Invoices aren't available right now");
  await other.ask(`/buy ${ADDRESS} 65000 1`, "Invoices aren't available right now. Nothing was charged");
  await world.advance(RETRY_SECONDS);
  for (const [person, card] of [
    [guest, own],
    [admin, admins],
  ] as const)
    await person.shows(card, "can't be tracked any more");
  for (const person of [guest, other]) {
    await person.ask(`/buy ${ADDRESS} 65000 1`, "Invoices aren't available right now. Nothing was charged");
    const prices = await person.ask('/prices', "Invoices aren't available right now");
    expect(JSON.stringify(prices.keyboard)).not.toContain('Buy energy');
  }
  await admin.ask('/invoice', "no longer accepts the operator's key");
  await readHealthAlert(admin, world, ALERT);
  await world.settled();
  const alerts = (await admin.messages()).filter(({ text }) => text?.includes(ALERT));
  expect(alerts.map(({ text }) => text)).toEqual([expect.stringContaining('401 INVALID_API_KEY')]);
  expect(world.log.filter((line) => line.includes("refuses the operator's API key"))).not.toEqual([]);
  for (const person of [guest, other])
    for (const { from, html } of await person.messages())
      if (from === 'bot') expect(html).not.toMatch(/\bkey\b|linked/i);

  await setKey('operator-key');
  await world.advance(RETRY_SECONDS);
  await guest.shows(own, 'Pay ');
  await other.ask(`/buy ${ADDRESS} 65000 1`, 'Review and confirm');
});

journeysWith({ onRedis: true, config: { rentalApiKey: 'operator-key' } })(
  'does not show or report after a restart that the service refused the former operator key',
  async (_, world) => {
    await world.stopApps();
    const redis = new Redis(world.config.redisUrl ?? '');
    const at = Date.now() - 15_000;
    const report = {
      problem: 'operator-key-refused',
      severity: 'error',
      values: { detail: '401' },
      since: at,
      at,
    };
    await redis.set('health', JSON.stringify({ reports: { service: { all: report } }, alerts: {} }));
    const started = world.log.length;
    await world.startApps();
    const admin = world.person(ADMIN);
    expect((await admin.ask('/state', 'ealth checks')).text).not.toContain(ALERT);
    await eventually(async () => expect(await redis.get('health')).not.toContain('operator-key-refused'));
    redis.disconnect();
    // Otherwise the check would be measured only later.
    expect(world.log.slice(started).filter((line) => line.includes('rental call held back'))).toEqual([]);
    expect((await admin.messages()).filter(({ text }) => text?.includes(ALERT))).toEqual([]);
  },
);

journeysWith({ onRedis: true, config: { rentalApiKey: 'operator-key' } })(
  'stores the operator account at the next start if the first start could not read it',
  async (_, world) => {
    const redis = new Redis(world.config.redisUrl ?? '');
    const isStored = () =>
      eventually(async () => expect(await redis.get('operator-account')).toContain('1000'));
    await isStored();
    await world.stopApps();
    await redis.del('operator-account');
    await world.startApps();
    await isStored();
    redis.disconnect();
  },
);
