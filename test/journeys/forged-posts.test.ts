import { createHmac, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { deriveKeys } from '../../src/platform/encryption.ts';
import { tapUpdate } from '../support/person.ts';
import { dataOf, linkAccount, linkWithEvents, toCard } from '../support/steps.ts';
import { textUpdate } from '../support/updates.ts';
import { ADDRESS, GUEST, HOLDER, inWorld, TOKEN, type World } from '../support/world.ts';

async function post(url: string, body: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { method: 'POST', body, headers });
  return { status: response.status, body: await response.text() };
}

/** Returns what a forged request could change: Bot API calls, orders, the ledger and chats. */
async function seen(world: World) {
  const calls = await world.control<object[]>('GET', '/telegram/calls');
  const { orders, ledger } = await world.rental();
  const shown = await Promise.all([GUEST, HOLDER].map((chat) => world.person(chat).messages()));
  return { calls, orders, ledger, shown };
}

test('rejects updates without the webhook secret, with an empty response and no change', () =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkAccount(person);
    const card = await toCard(person);
    await world.settled();
    const before = await seen(world);
    const url = `${world.origin}/updates/telegram`;
    const token = 'x-telegram-bot-api-secret-token';
    const tap = tapUpdate({ chat: HOLDER, message_id: card.message_id, data: dataOf(card, 'Confirm') });
    for (const body of [JSON.stringify(tap), JSON.stringify(textUpdate(1, GUEST)), 'not JSON', '']) {
      for (const headers of [{}, { [token]: 'wrong' }, { [token]: '' }] as Record<string, string>[]) {
        expect(await post(url, body, headers)).toEqual({ status: 401, body: '' });
      }
    }
    expect(await post(`${url}/`, JSON.stringify(tap))).toEqual({ status: 404, body: '' });
    expect((await fetch(url)).status).toBe(404);
    expect(await seen(world)).toEqual(before);
    await person.tap('Cancel');
    await person.shows(card, 'Cancelled. Nothing was charged');
    expect(world.asked('POST /energy/buy')).toBe(0);
  }));

test('rejects updates with a secret derived from the bot token', () =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkAccount(person);
    const card = await toCard(person);
    await world.settled();
    const tap = tapUpdate({ chat: HOLDER, message_id: card.message_id, data: dataOf(card, 'Confirm') });
    const guesses = [
      TOKEN,
      createHmac('sha256', TOKEN).update('/updates/telegram').digest('hex'),
      createHmac('sha256', TOKEN).update('').digest('base64url'),
      ...deriveKeys([Buffer.from(TOKEN)], 'telegram-webhook').map((key) => key.toString('base64url')),
    ];
    for (const guess of guesses) {
      const headers = { 'x-telegram-bot-api-secret-token': guess };
      const answer = await post(`${world.origin}/updates/telegram`, JSON.stringify(tap), headers);
      expect(answer).toEqual({ status: 401, body: '' });
    }
    await person.tap('Cancel');
    await person.shows(card, 'Cancelled. Nothing was charged');
    expect(world.asked('POST /energy/buy')).toBe(0);
  }));

test('accepts updates with the previous secret during a key rotation', () =>
  inWorld({}, async (world) => {
    const [current] = world.config.secretKeys;
    await world.restart({ secretKeys: [randomBytes(32), ...(current ? [current] : [])] });
    const [, former] = deriveKeys(world.config.secretKeys, 'telegram-webhook');
    const headers = { 'x-telegram-bot-api-secret-token': former?.toString('base64url') ?? '' };
    const update = JSON.stringify(textUpdate(1, GUEST));
    expect(await post(`${world.origin}/updates/telegram`, update, headers)).toMatchObject({ status: 200 });
  }));

test('responds to forged events as to an unknown path, and changes nothing', () =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkWithEvents(person);
    const card = await toCard(person);
    await person.tap('Confirm');
    const bought = await person.shows(card, 'Balance left');
    await world.settled();
    const { orders, accounts } = await world.rental();
    const hook = accounts[0]?.webhook?.url ?? '';
    const data = { order_id: orders[0]?.order_id, address: ADDRESS, energy_amount: 65_000 };
    const forged = JSON.stringify({ event: 'order.filled', data, timestamp: new Date().toISOString() });
    const signed = (secret: string) => createHmac('sha256', secret).update(forged).digest('hex');
    const nowhere = await post(`${world.origin}/events/${'a'.repeat(43)}`, forged);

    expect(nowhere).toEqual({ status: 404, body: '' });
    expect(await post(hook, forged)).toEqual(nowhere);
    for (const signature of ['', 'wrong', signed(''), signed('guessed'), `sha256=${signed('guessed')}`]) {
      expect(await post(hook, forged, { 'x-webhook-signature': signature })).toEqual(nowhere);
    }
    expect(await post(`${world.origin}/events/`, forged)).toEqual(nowhere);
    expect(await post(`${hook}/..`, forged)).toEqual(nowhere);
    expect(await person.shows(card, 'Balance left')).toEqual(bought);
  }));

test('rejects an event with altered bytes, and ignores a repeated event', () =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkWithEvents(person);
    const first = await toCard(person);
    await person.tap('Confirm');
    await person.shows(first, 'Balance left');
    const second = await toCard(person);
    await person.tap('Confirm');
    const waiting = await person.shows(second, 'Balance left');
    const [newer, older] = (await world.rental()).orders;
    await world.control('POST', `/rental/orders/${older?.order_id}/fill`);
    await person.shows(first, 'Status: filled');

    const [genuine] = world.events;
    if (!genuine) throw new Error('no event came in');
    const headers = { 'x-webhook-signature': genuine.signature };
    const altered = genuine.body.replace(String(older?.order_id), String(newer?.order_id));
    expect(altered).not.toBe(genuine.body);
    expect(await post(genuine.url, altered, headers)).toEqual({ status: 404, body: '' });
    expect(await post(genuine.url, `${genuine.body} `, headers)).toEqual({ status: 404, body: '' });
    expect(await post(genuine.url, genuine.body, headers)).toEqual({ status: 200, body: '' });
    expect(await person.shows(second, 'Balance left')).toEqual(waiting);
  }));
