import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { expect, test } from 'vitest';
import { happenings } from '../support/account-api.ts';
import { linkAccount, toCard } from '../support/steps.ts';
import { HOLDER, inWorld, type World } from '../support/world.ts';

type Reply = Record<string, unknown>;

/** Runs a journey in which `change` modifies successful responses of the service, by path below `/api/v1`. */
async function withReplies(
  change: Record<string, (reply: Reply) => unknown>,
  journey: (world: World) => Promise<void>,
): Promise<void> {
  let world: World | undefined;
  const service = createAdaptorServer({
    async fetch(request, env) {
      if (world === undefined) return new Response(null, { status: 502 });
      const path = new URL(request.url).pathname.slice('/api/v1'.length);
      const response = await world.sandbox.fetch(request, env);
      return change[path] && response.ok
        ? Response.json(change[path]((await response.json()) as Reply))
        : response;
    },
  });
  await once(service.listen(0, '127.0.0.1'), 'listening');
  const { port } = service.address() as AddressInfo;
  try {
    await inWorld({ config: { rentalApiUrl: `http://127.0.0.1:${port}/api` } }, (opened) => {
      world = opened;
      return journey(opened);
    });
  } finally {
    service.close();
  }
}

const numbersAsStrings = (reply: Reply): Reply =>
  Object.fromEntries(
    Object.entries(reply).map(([name, value]) => [name, typeof value === 'number' ? String(value) : value]),
  );

test.concurrent('links and buys at a service that sends numbers as strings and null fields', () =>
  withReplies(
    {
      '/account/profile': (reply) => ({ ...numbersAsStrings(reply), email: null, totp_enabled: null }),
      '/energy/buy': (reply) => ({ ...numbersAsStrings(reply), price_trx: null }),
    },
    async (world) => {
      const person = world.person(HOLDER);
      await linkAccount(person);
      await person.say('/account');
      await person.reads('Two-factor codes: off');
      await toCard(person);
      await person.tap('Confirm');
      const bought = await person.reads('Bought');
      expect(bought.text).toContain("Charged: the service didn't name the exact price");
    },
  ));

test.concurrent('reports an unexpected response while linking, and stores no key', () =>
  withReplies({ '/account/profile': (reply) => ({ ...reply, id: 'seven' }) }, async (world) => {
    const person = world.person(HOLDER);
    await person.say('/start');
    await person.tap('Link account');
    await person.reads('Waiting for your key');
    await person.say('demo-key');
    const told = await person.reads('Unexpected reply from the service');
    expect(told.text).toContain('Nothing was charged');
    expect(await world.told("doesn't answer")).toBe(0);
    await person.say('/account');
    await person.reads('For this you need an account');
  }));

test.concurrent('reports an unexpected response to a purchase, and warns against repeating it', () =>
  withReplies({ '/energy/buy': (reply) => ({ ...reply, energy_amount: '65001' }) }, async (world) => {
    const person = world.person(HOLDER);
    await linkAccount(person);
    await toCard(person);
    await person.tap('Confirm');
    await person.reads('Unexpected reply from the service: you may have been charged');
    await person.reads('Most likely bought');
    expect(await world.told("Don't repeat it")).toBeGreaterThan(0);
    expect(await world.told('got lost')).toBe(0);
    expect((await world.rental()).orders).toHaveLength(1);
  }));

test.concurrent('rejects a purchase without sending it if the balance cannot be read', () => {
  let isSpoilt = false;
  return withReplies(
    { '/account/profile': (reply) => (isSpoilt ? { ...reply, balance_trx: 'plenty' } : reply) },
    async (world) => {
      const person = world.person(HOLDER);
      await linkAccount(person);
      await toCard(person);
      isSpoilt = true;
      await person.tap('Confirm');
      const refused = await person.reads('Not bought. Nothing was charged.');
      expect(refused.text).toContain(
        "Unexpected reply from the service while checking, so your request wasn't sent",
      );
      expect((await world.rental()).orders).toHaveLength(0);
    },
  );
});

test.concurrent('notifies of a deposit without a date that arrives after the account was linked', () =>
  withReplies({ '/account/deposits': (reply) => withoutDates(reply) }, async (world) => {
    await happenings(world).deposit('8');
    const person = world.person(HOLDER);
    await linkAccount(person);
    await happenings(world).deposit('9');
    await world.advance(61);
    await person.reads('9 TRX was credited to your balance');
    expect(await world.told('8 TRX')).toBe(0);
  }));

function withoutDates(reply: Reply): Reply[] {
  return Object.values(reply)
    .flat()
    .map((deposit) => ({ ...(deposit as Reply), created_at: undefined }));
}
