import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { journeysWith } from '../support/journey.ts';
import { linkWithEvents } from '../support/steps.ts';
import { ADMIN, HOLDER, type World } from '../support/world.ts';

const config = { rentalApiKey: 'operator-key' };

/** Records the webhook secret that the service returns. Returns a function that signs with it. */
function overhearSecret({ sandbox }: World): (body: string) => string {
  const { fetch } = sandbox;
  let secret = '';
  sandbox.fetch = async (request, env) => {
    const isConfigured = request.url.endsWith('/webhooks/configure');
    const response = await fetch(request, env);
    if (isConfigured) secret = ((await response.clone().json()) as { secret: string }).secret;
    return response;
  };
  return (body) => createHmac('sha256', secret).update(body).digest('hex');
}

async function hookOf(world: World): Promise<string> {
  return (await world.rental()).accounts.find(({ id }) => id === 1001)?.webhook?.url ?? '';
}

async function post(url: string, body: string, signature = ''): Promise<number> {
  const headers = { 'content-type': 'application/json', 'x-webhook-signature': signature };
  return (await fetch(url, { method: 'POST', headers, body })).status;
}

/** Advances the clock to midnight (UTC), so that the hours that a test skips are on one day. */
async function toMorning(world: World): Promise<void> {
  const dayMs = 24 * 3600_000;
  await world.advance((dayMs - (world.sandbox.clock.now() % dayMs)) / 1_000);
}

const deposit = (world: World) =>
  world.control('POST', '/rental/accounts/1001/deposit', { amount_trx: '12.50' });

const it = journeysWith({ config });

it('shows an admin the new, repeated, recovered and rejected events, with reasons', async (_person, world) => {
  await toMorning(world);
  const sign = overhearSecret(world);
  const person = await linkWithEvents(world.person(HOLDER));
  await deposit(world);
  await person.reads('TRX credited');
  const [genuine] = world.events;
  const hook = await hookOf(world);
  expect(await post(hook, genuine?.body ?? '', genuine?.signature)).toBe(200);

  const old = JSON.stringify({ event: 'order.filled', data: {}, timestamp: '2020-01-01T00:00:00Z' });
  expect(await post(hook, old, sign(old))).toBe(404);
  for (const body of ['not JSON', '[]']) expect(await post(hook, body, sign(body))).toBe(404);
  for (const signature of ['', 'wrong', sign('other')]) expect(await post(hook, old, signature)).toBe(404);
  expect(await post(hook, 'x'.repeat(65 * 1024))).toBe(413);
  expect(await post(`${world.origin}/events/${'a'.repeat(43)}`, old)).toBe(404);
  const storm = () =>
    Promise.all(Array.from({ length: 150 }, () => post(`${world.origin}/events/${'b'.repeat(43)}`, old)));
  const refusedBy = (await world.withStoppedClock(storm)).filter((status) => status === 429).length;
  expect(refusedBy).toBe(100);

  const admin = world.person(ADMIN);
  await admin.say('/start');
  await admin.tap('🛠 Admin');
  const screen = await admin.tapAndRead('📡 Events', 'today (UTC)');
  for (const line of [
    '✅ Received: 1',
    '♻️ Duplicates, ignored: 1',
    '⚠️ Rejected requests: 158',
    `${refusedBy} · too many per second`,
    `${151 - refusedBy} · unknown URL`,
    '3 · wrong signature',
    '2 · not an event',
    '1 · too large',
    '1 · older than 30 days',
    '⏱ Handled: ',
    '⏱ Notifications sent: ',
    '✉️ Chats with unsent notifications: none',
    'Operator account: instant alerts off',
  ]) {
    expect(screen.text).toContain(line);
  }
  expect(screen.text).not.toMatch(/(Handled|sent): none/);
  expect(screen.text).toMatch(/\d\d:\d\d:\d\d ✅ Deposit credited · Account 1001/);

  world.loseEvents();
  await deposit(world);
  await eventually(async () => {
    await world.advance(120);
    await admin.tapData(screen.message_id, 'events:today');
    await world.settled();
    const shown = (await admin.messages()).find(({ message_id }) => message_id === screen.message_id);
    expect(shown?.text).toContain("🔎 Missed, found in the service's log: 1");
    expect(shown?.text).toMatch(/🔎 Deposit credited · Account 1001/);
  });
});
