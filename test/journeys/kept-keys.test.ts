import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { keyRotations } from '../../src/key-rotations.ts';
import { createSeal } from '../../src/platform/encryption.ts';
import { compose, toEverybody } from '../support/broadcasting.ts';
import { findButton } from '../support/person.ts';
import { redisUrl } from '../support/redis.ts';
import { linkAccount, linkWithEvents, toCard } from '../support/steps.ts';
import { codeNow, TARGET, toCode, toEnds } from '../support/withdrawing.ts';
import { ADDRESS, ADMIN, GUEST, HOLDER, inWorld, MERCHANT } from '../support/world.ts';

const ROW = /^\| (`[^|]+`) \| [^|]+ \| ([^|]+) \|$/gm;

/** Returns the first part of each documented key, and whether these keys expire. */
function documented(): Map<string, boolean> {
  const text = readFileSync('docs/stored-data.md', 'utf8');
  return new Map(
    [...text.matchAll(ROW)].flatMap(([, names = '', expiry = '']) =>
      [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => [
        name.split(':')[0] ?? '',
        !expiry.startsWith('none: '),
      ]),
    ),
  );
}

test('every stored key is documented, and has an expiry or a reason for none', async () => {
  const url = await redisUrl();
  await inWorld({ redisUrl: url, config: { rentalApiKey: 'operator-key' } }, async (world) => {
    const person = world.person(HOLDER);
    await linkWithEvents(person);
    await person.say('/notifications');
    await person.tap('🔔 Deposits');
    await person.until('that deposits are muted', (shown) => findButton(shown, '🔕 Deposits'));
    const cancelled = await toCard(person);
    await person.tap('Cancel');
    await person.shows(cancelled, 'Cancelled');
    const bought = await toCard(person);
    await person.tap('Confirm');
    await person.shows(bought, 'Bought');
    const left = await toCard(person);
    await person.say('/buy');
    await person.readsBelow(left, 'Which address');
    const other = world.person(ADMIN);
    await linkAccount(other, 'totp-key');
    const withdrawing = await toCode(other);
    await world.fault('POST /account/withdrawal', 'cut-before');
    await other.say(codeNow());
    await other.shows(withdrawing, "The outcome isn't known yet");
    const third = world.person(GUEST);
    await linkAccount(third);
    await toEnds(third);
    await third.say(TARGET.slice(-6));
    await third.reads('In 10 minutes');
    await world.advance(600);
    await third.reads('You can withdraw to this address now');
    await third.tap('Show the card');
    await third.reads('Check before you confirm');
    await third.tap('Confirm');
    await third.reads('Withdrawal accepted');
    await toEnds(third, ADDRESS);
    await third.say(ADDRESS.slice(-6));
    await third.reads('In 10 minutes');
    await other.say('/unresolved');
    await other.reads('Oldest first');
    await other.tap('1');
    await other.reads('What is known');
    await other.tap('Ask the service again');
    await other.tap("It didn't");
    await other.reads('Why do you say so?');
    await other.say('asked the service');
    await other.reads('Check before you decide');
    await other.say('/operations');
    await other.reads('Unresolved now: 1');
    const guest = world.person(MERCHANT);
    await guest.say('/settings');
    await guest.tap('English');
    await guest.say('/invoice');
    await guest.say(ADDRESS);
    await guest.tap('1');
    await guest.tap('1 hour');
    await guest.reads('Check before you confirm');
    await guest.tap('Confirm');
    await guest.reads('Pay ');
    await guest.say('operator-key');
    await other.reads('has sent a key of it');
    await other.say('/operator');
    await other.tap('Limit of a day');
    await other.tap('100 TRX');
    await other.reads('Limit: 100.00 TRX');
    await other.tap('Link it for me');
    await other.reads("The operator's account is linked");
    const spent = await toCard(other);
    await other.tap('Confirm');
    await other.shows(spent, 'Bought');
    await compose(other, 'Prices fall on Monday');
    await toEverybody(other);
    await world.telegramFault('copyMessage', 'rate-limit', { retry_after: 600 });
    await other.tap('Send to');
    await other.reads('Telegram asked to slow down');
    await other.tap('Hold');
    await other.reads('Broadcast: held up');
    await other.say('/broadcast');
    await other.tap('New broadcast');
    await other.reads('Send me the message');
    await world.settled();

    const redis = new Redis(url);
    const keys = await redis.keys('*');
    const lasting = await Promise.all(
      keys.map(async (key) => [key, (await redis.pttl(key)) === -1] as const),
    );
    const strings = await Promise.all(
      keys.map(async (key) => [key, await redis.get(key).catch(() => '')] as const),
    );
    await redis.quit();
    const renewed = keyRotations(createSeal([randomBytes(32)])).map(({ prefix }) => prefix);
    const signed = strings.filter(([, text]) => text?.startsWith('s1.')).map(([key]) => key);
    expect(signed.length).toBeGreaterThan(5);
    // A signed key that a rotation of `SECRET_KEY` doesn't renew would be lost with the older key.
    expect(signed.filter((key) => !renewed.some((prefix) => key.startsWith(prefix)))).toEqual([]);
    const known = documented();
    expect(keys.filter((key) => !known.has(key.split(':')[0] ?? ''))).toEqual([]);
    const forEver = lasting.filter(([key, lasts]) => lasts && known.get(key.split(':')[0] ?? ''));
    expect(forEver.map(([key]) => key)).toEqual([]);
    const seen = new Set(keys.map((key) => key.split(':')[0]));
    for (const name of [
      'chat',
      'conversation',
      'operation',
      'addresses',
      'last-price',
      'link',
      'notification-settings',
      'webhook-token',
      'order',
      'operations-of-user',
      'target-lock',
      'cooldown',
      'address-announcements',
      'address-announcements-due',
      'withdrawn',
      'invoice',
      'invoice-card-updates',
      'share',
      'rate-limit',
      'unresolved',
      'operations-of-day',
      'proposal',
      'admin-log',
      'user',
      'users',
      'broadcast',
      'broadcast-draft',
      'broadcast-audience',
      'broadcast-active',
      'broadcast-progress-messages',
    ]) {
      expect(seen).toContain(name);
    }
  });
});
