import { expect, test } from 'vitest';
import { linkAccount, linkWithEvents } from '../support/steps.ts';
import { HOLDER, inWorld } from '../support/world.ts';

test.concurrent('shows sent events with their responses in the webhook log once reports are on', () =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkAccount(person);
    await person.tap('More');
    await person.tap('Webhook log');
    const log = await person.reads('Nothing was sent yet');
    await person.tap('Turn on service reports');
    await person.shows(log, 'this replaces the one that is set there now');
    await person.tap('turn them on');
    await person.reads('reports are on');
    await world.control('POST', '/rental/accounts/1001/deposit', { amount_trx: '12.50' });
    await person.reads('12.5 TRX was credited');
    await world.settled();
    const { message_id = 0 } = await person.say('/webhooklog');
    const shown = await person.readsBelow({ message_id }, 'Service reports come to this bot now');
    expect(shown.text).toMatch(/📬 Deposit credited · 12\.5 TRX\nreceived, HTTP 2\d\d · 1 attempt · .* UTC/);
    const labels = shown.keyboard?.flat().map(({ text }) => text);
    expect(labels?.slice(1)).toEqual(['Turn off service reports', '🔔 Notifications', '☰ Menu']);
    await person.tap('1');
    expect((await person.reads('"amount_trx": "12.50"')).text).toContain('📬 Deposit credited');
  }));

test.concurrent('shows a muted kind, which stays muted when a low balance is set', () =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkWithEvents(person);
    await person.say('/notifications');
    const screen = await person.reads('Service reports: on');
    await person.tap('🔔 Deposits');
    await person.until('the muted kind', (messages) =>
      messages
        .find(({ message_id }) => message_id === screen.message_id)
        ?.keyboard?.flat()
        .some(({ text }) => text === '🔕 Deposits'),
    );
    await person.tap('Set low balance');
    const question = await person.shows(screen, 'Your balance now: 1000.00 TRX');
    await person.say('a lot');
    await person.readsBelow(question, 'Write an amount of TRX, like 50');
    await person.say('7,5');
    const set = await person.readsBelow(question, 'when your balance falls below 7.50 TRX');
    expect(set.text).toContain('Low balance: below 7.50 TRX');
    expect(set.keyboard?.flat().map(({ text }) => text)).toContain('🔕 Deposits');
  }));
