import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { journey as it } from '../support/journey.ts';
import { linkAccount, operationOf, toCard } from '../support/steps.ts';
import { ADDRESS, HOLDER, inWorld, type World } from '../support/world.ts';

const BUY = 'POST /energy/buy';

async function boughtTimes(world: World): Promise<number> {
  return (await world.rental()).ledger.filter(({ kind }) => kind === 'energy').length;
}

it('shows a rejection if the balance is too low after Confirm', async (person, world) => {
  await linkAccount(person);
  await toCard(person);
  await world.control('POST', '/rental/accounts/1001/balance', { balance_trx: '1.00' });
  const refused = await person.tapAndRead('Confirm', 'Not bought. Nothing was charged.');
  expect(refused.text).toContain('The balance is too low');
  expect(await boughtTimes(world)).toBe(0);
});

it('names unreadable data on the card if reads fail, and rejects Confirm without a request', async (person, world) => {
  await linkAccount(person);
  for (const endpoint of ['GET /account/profile', 'GET /prices', 'GET /account/deposit']) {
    await world.fault(endpoint, 'cut-before', { times: 100 });
  }
  await person.sayAndRead('/account', "isn't responding");
  const card = await toCard(person);
  expect(card.text).toContain('Price: unknown');
  expect(card.text).toContain('Balance: unavailable');

  const refused = await person.tapAndRead('Confirm', 'Not bought. Nothing was charged.');
  expect(refused.text).toContain("The service can't process this now");
  expect(world.countRequests(BUY)).toBe(0);
});

test.concurrent('shows a rejection without a charge if the service accepts no connection', async () => {
  let serve: World['sandbox']['fetch'] = () => new Response(null, { status: 502 });
  const service = createAdaptorServer({ fetch: (request, env) => serve(request, env) });
  const connections = new Set<Socket>();
  service.on('connection', (socket: Socket) => connections.add(socket));
  await once(service.listen(0, '127.0.0.1'), 'listening');
  const { port } = service.address() as AddressInfo;
  await inWorld({ config: { rentalApiUrl: `http://127.0.0.1:${port}/api` } }, async (world) => {
    serve = world.sandbox.fetch;
    const person = await linkAccount(world.person(HOLDER));
    await toCard(person);
    await world.settled();
    serve = async (request, env) => {
      // This connection still works, but new ones fail. A purchase uses a new connection, which may be open already.
      service.close();
      const { socket } = (env as HttpBindings).incoming;
      for (const one of connections) if (one !== socket) one.destroy();
      for (let turns = 0; turns < 5; turns += 1) await new Promise(setImmediate);
      return world.sandbox.fetch(request, env);
    };
    const refused = await person.tapAndRead('Confirm', 'Not bought. Nothing was charged.');
    expect(refused.text).toContain("The service can't process this now");
    expect(world.log.join()).toContain('"endpoint":"buyEnergy"');
    expect(await boughtTimes(world)).toBe(0);
  });
});

it('continues a flow at the same step after Telegram rate-limited the bot', async (person, world) => {
  await linkAccount(person);
  await person.sayAndRead('/buy', 'Which address');
  await world.settled();
  await world.telegramFault('sendMessage', 'rate-limit', { times: 4, retry_after: 20 });
  await person.say(ADDRESS);
  const question = await eventually(async () => {
    await world.advance(1);
    const shown = (await person.messages()).at(-1);
    if (!shown?.text?.includes('How much energy')) throw new Error('not yet asked');
    return shown;
  });
  expect(question.from).toBe('bot');
  await person.tapAndRead('wallet with USDT', 'For how long');
  expect(world.log.filter((line) => line.includes('Too Many Requests'))).not.toEqual([]);
});

it('shows an outcome once Telegram is reachable again', async (person, world) => {
  await linkAccount(person);
  const card = await toCard(person);
  await world.telegramFault('editMessageText', 'cut', { times: 1_000 });
  await person.tap('Confirm');
  await eventually(async () => expect(await world.countCallsWithText('Bought')).toBeGreaterThan(0));
  expect((await person.reads(operationOf(card))).text).toContain('Review and confirm');

  await world.control('DELETE', '/telegram/faults');
  await world.advance(10);
  const reply = await person.reads('Bought');
  expect(reply.message_id).toBe(card.message_id);
  expect(world.countRequests(BUY)).toBe(1);
});

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
      const person = await linkAccount(world.person(HOLDER));
      await person.sayAndRead('/account', '2FA: off');
      await toCard(person);
      const bought = await person.tapAndRead('Confirm', 'Bought');
      expect(bought.text).toContain('Charged: unknown');
    },
  ));

test.concurrent('reports an unexpected response while linking, and stores no key', () =>
  withReplies({ '/account/profile': (reply) => ({ ...reply, id: 'seven' }) }, async (world) => {
    const person = world.person(HOLDER);
    await person.say('/start');
    await person.tapAndRead('Link account', 'Send your API key');
    const told = await person.sayAndRead('demo-key', 'Unexpected reply from the service');
    expect(told.text).toContain('Nothing was charged');
    expect(await world.countCallsWithText("isn't responding")).toBe(0);
    await person.sayAndRead('/account', 'You need an account for this');
  }));
