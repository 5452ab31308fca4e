import { expect } from 'vitest';
import { journey as it, journeysWith } from '../support/journey.ts';
import type { Person } from '../support/person.ts';
import { buyEnergy, fillOrder, linkAccount } from '../support/steps.ts';
import { ADMIN, HOLDER, type World } from '../support/world.ts';

const CONFIGURE = 'POST /webhooks/configure';

/** Returns the webhook URL of the account at the service. */
async function urlOf(world: World): Promise<string | undefined> {
  return (await world.rental()).accounts.find(({ id }) => id === 1001)?.webhook?.url;
}

async function turnOff(person: Person): Promise<void> {
  await person.say('/account');
  await person.tapAndRead('Turn off instant alerts', 'Turn off instant alerts?');
  await person.tap('Turn off');
}

journeysWith({ onRedis: true, replicas: 2 })(
  'two holders who turn reports on at the same time get one working hook',
  async (_person, world) => {
    const [one, other] = [world.person(HOLDER), world.person(ADMIN)];
    for (const person of [one, other]) {
      await linkAccount(person);
      await person.say('/account');
      await person.tap('Turn on instant alerts');
      await person.reads('applies to everyone who has linked');
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
    await one.shows(card, 'Bought and delivered');
    await turnOff(other);
    await other.reads('This applies to everyone who has linked this account');
    expect(await urlOf(world)).toBeUndefined();
  },
);

it('shows sent events with their responses in the webhook log once reports are on', async (person, world) => {
  await linkAccount(person);
  await person.ask('/account', 'Instant alerts');
  await person.tapAndRead('For developers', 'webhook');
  const log = await person.tapAndRead('Webhook log', 'Nothing sent yet');
  await person.tapToShow('Turn on instant alerts', log, 'If another app gets');
  await person.tapAndRead('Yes, turn on', 'alerts are on');
  await world.control('POST', '/rental/accounts/1001/deposit', { amount_trx: '12.50' });
  await person.reads('12.50 TRX credited');
  await world.settled();
  const shown = await person.ask('/webhooklog', 'Instant alerts come to this bot');
  expect(shown.text).toMatch(/📬 Deposit credited · 12\.50 TRX\nreceived, HTTP 2\d\d · 1 attempt · .* UTC/);
  const labels = shown.keyboard?.flat().map(({ text }) => text);
  expect(labels?.slice(1)).toEqual(['Turn off instant alerts', '👤 Account', '☰ Menu']);
  await person.tap('1');
  expect((await person.reads('"amount_trx": "12.50"')).text).toContain('📬 Deposit credited');
});
