import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { expect, test } from 'vitest';
import { demoSeed } from '../../src/sandbox/rental/state.ts';
import { eventually } from '../support/eventually.ts';
import { dataOf, linkAccount, operationOf, toCard } from '../support/steps.ts';
import { ADDRESS, HOLDER, inWorld, type World } from '../support/world.ts';

const BUY = 'POST /energy/buy';

async function boughtTimes(world: World): Promise<number> {
  return (await world.rental()).ledger.filter(({ kind }) => kind === 'energy').length;
}

test.concurrent('shows a 429 as a rejection with the retry time, after which a purchase works', () =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkAccount(person);
    await toCard(person);
    await world.fault(BUY, 'rate-limit', { ms: 45_000 });
    await person.tap('Confirm');
    const refused = await person.reads('Not bought. Nothing was charged.');
    expect(refused.text).toContain('Try again in 45 seconds');
    expect(refused.text).not.toContain("Don't repeat");
    expect(await boughtTimes(world)).toBe(0);

    await world.advance(46);
    await toCard(person);
    await person.tap('Confirm');
    await person.reads('Bought');
    expect(world.asked(BUY)).toBe(2);
    expect(await boughtTimes(world)).toBe(1);
  }));

test.concurrent('shows a rejection if the service no longer accepts the API key', () => {
  const seed = demoSeed();
  return inWorld({ seed }, async (world) => {
    const person = world.person(HOLDER);
    await linkAccount(person);
    await toCard(person);
    for (const account of seed.accounts) account.key = `replaced ${account.key}`;
    world.sandbox.rental.reset();
    await person.tap('Confirm');
    const refused = await person.reads('Not bought. Nothing was charged.');
    expect(refused.text).toContain('no longer accepts your API key');
    expect(refused.text).toContain(`Operation ${operationOf(refused)}`);
    expect(world.asked(BUY)).toBe(0);

    await person.say('/account');
    await person.reads('no longer accepts your key …-key');
  });
});

test.concurrent('shows a rejection if the balance is too low after Confirm', () =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkAccount(person);
    await toCard(person);
    await world.control('POST', '/rental/accounts/1001/balance', { balance_trx: '1.00' });
    await person.tap('Confirm');
    const refused = await person.reads('Not bought. Nothing was charged.');
    expect(refused.text).toContain("There isn't enough on your balance");
    expect(await boughtTimes(world)).toBe(0);
  }));

test.concurrent('shows the missing amount and the deposit address, and continues after a deposit', () =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkAccount(person, 'empty-key');
    await person.say('/buy');
    await person.say('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t');
    await person.tap('recipient holds USDT');
    await person.tap('1 hour');
    const short = await person.reads('Not enough on your balance');
    const { accounts } = await world.rental();
    const deposit = accounts.find(({ key }) => key === 'empty-key')?.deposit_address ?? '';
    expect(short.text).toContain('Missing: about 2.32 TRX');
    expect(short.text).toContain(deposit);
    expect(short.keyboard?.flat().map(({ copy }) => copy)).toContain(deposit);
    expect(dataOf(short, 'Confirm')).toBe('');

    await world.control('POST', '/rental/accounts/1003/deposit', { amount_trx: '1.00' });
    await person.tap('Check again');
    await person.reads('Missing: about 1.32 TRX');
    await world.control('POST', '/rental/accounts/1003/deposit', { amount_trx: '1.32' });
    await person.tap('Check again');
    await person.reads('Check before you confirm');
    await person.tap('Confirm');
    await person.reads('Balance left: 0.00 TRX');
    expect(world.asked(BUY)).toBe(1);
  }));

test.concurrent('names unreadable data on the card if reads fail, and rejects Confirm without a request', () =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkAccount(person);
    for (const endpoint of ['GET /account/profile', 'GET /prices', 'GET /account/deposit']) {
      await world.fault(endpoint, 'cut-before', { times: 100 });
    }
    await person.say('/account');
    await person.reads("doesn't answer right now. Your account");
    const card = await toCard(person);
    expect(card.text).toContain('it names the price when it charges');
    expect(card.text).toContain("couldn't be read just now");

    await person.tap('Confirm');
    const refused = await person.reads('Not bought. Nothing was charged.');
    expect(refused.text).toContain("can't be reached, so your request wasn't sent");
    expect(world.asked(BUY)).toBe(0);
  }));

test.concurrent('shows a rejection without a charge if the service accepts no connection', async () => {
  let serve: World['sandbox']['fetch'] = () => new Response(null, { status: 502 });
  const service = createAdaptorServer({ fetch: (request, env) => serve(request, env) });
  await once(service.listen(0, '127.0.0.1'), 'listening');
  const { port } = service.address() as AddressInfo;
  await inWorld({ config: { rentalApiUrl: `http://127.0.0.1:${port}/api` } }, async (world) => {
    serve = world.sandbox.fetch;
    const person = world.person(HOLDER);
    await linkAccount(person);
    await toCard(person);
    await world.settled();
    serve = (request, env) => {
      // Open connections still work, but new ones fail. A purchase opens a new connection.
      service.close();
      return world.sandbox.fetch(request, env);
    };
    await person.tap('Confirm');
    const refused = await person.reads('Not bought. Nothing was charged.');
    expect(refused.text).toContain("can't be reached, so your request wasn't sent");
    expect(world.log.join()).toContain('"endpoint":"buyEnergy"');
    expect(await boughtTimes(world)).toBe(0);
  });
});

test.concurrent('continues a flow at the same step after Telegram rate-limited the bot', () =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkAccount(person);
    await person.say('/buy');
    await person.reads('Which address');
    await world.settled();
    await world.telegramFault('sendMessage', 'rate-limit', { times: 4, retry_after: 20 });
    await person.say(ADDRESS);
    const question = await eventually(async () => {
      await world.advance(1);
      const shown = (await person.messages()).at(-1);
      if (!shown?.text?.includes('What is it for')) throw new Error('not yet asked');
      return shown;
    });
    expect(question.from).toBe('bot');
    await person.tap('recipient holds USDT');
    await person.reads('For how long');
    expect(world.log.filter((line) => line.includes('Too Many Requests'))).not.toEqual([]);
    expect(await world.told('I stopped what you had begun')).toBe(0);
  }));

test.concurrent('shows an outcome once Telegram is reachable again', () =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkAccount(person);
    const card = await toCard(person);
    await world.telegramFault('editMessageText', 'cut', { times: 1_000 });
    await person.tap('Confirm');
    await eventually(async () => expect(await world.told('Bought')).toBeGreaterThan(0));
    expect((await person.reads(operationOf(card))).text).toContain('Check before you confirm');

    await world.control('DELETE', '/telegram/faults');
    await world.advance(10);
    const told = await person.reads('Bought');
    expect(told.message_id).toBe(card.message_id);
    expect(world.asked(BUY)).toBe(1);
  }));
