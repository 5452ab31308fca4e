import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createLinks, linkRotation } from '../../src/accounts/links.ts';
import { createWebhookSubscriptions, webhookRotation } from '../../src/accounts/webhook-subscriptions.ts';
import { createSeal } from '../../src/platform/encryption.ts';
import { rotateRecords } from '../../src/platform/key-rotation.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { signedRecords } from '../support/records.ts';

const [older, newer] = [randomBytes(32), randomBytes(32)];

/** Opens the modules with encrypted or signed records on this storage. The secrets are ordered newest first. */
function shared(storage: Storage, ...keys: Uint8Array[]) {
  const [seal, records] = [createSeal(keys), signedRecords(storage, { keys })];
  return {
    links: createLinks({ storage, records, seal, now: () => 1_000 }),
    webhookSubscriptions: createWebhookSubscriptions({ records, seal, now: Date.now }),
    records,
    renew: () =>
      rotateRecords({ storage, records }, [
        linkRotation(seal),
        webhookRotation(seal),
        { prefix: 'webhook-token:' },
        { prefix: 'operation:' },
      ]),
  };
}

test('after the renewal, no record needs the older secret', async () => {
  const storage = createMemoryStorage();
  const before = shared(storage, older);
  for (const user of [1, 2, 3]) await before.links.link(user, 1001, `the-key-of-user-${user}`, 'en');
  const hook = before.webhookSubscriptions.createToken();
  await before.webhookSubscriptions.activate(hook, 1001, 'the-secret-of-the-service');
  await before.records.set('operation:{1}:A', '{}');

  expect(await shared(storage, newer, older).renew()).toEqual({ renewed: 6, newest: 0, unverified: 0 });
  const after = shared(storage, newer);
  for (const user of [1, 2, 3]) expect(await after.links.apiKey(user, 1001)).toBe(`the-key-of-user-${user}`);
  expect(await after.webhookSubscriptions.find(hook)).toEqual({
    account: 1001,
    secrets: ['the-secret-of-the-service'],
  });
  expect(await after.webhookSubscriptions.isActive(1001)).toBe(true);
  expect(await after.records.get('operation:{1}:A')).toMatchObject({ content: '{}' });
  expect(await after.renew()).toEqual({ renewed: 0, newest: 6, unverified: 0 });
});

test('counts records that no listed secret signed and leaves them unchanged', async () => {
  const storage = createMemoryStorage();
  await storage.set('operation:{1}:A', 'forged');
  await shared(storage, older).records.set('operation:{1}:B', '{}');
  expect(await shared(storage, newer).renew()).toEqual({ renewed: 0, newest: 0, unverified: 2 });
  expect(await storage.get('operation:{1}:A')).toBe('forged');
});

test('keeps a concurrent change and the remaining lifetime of a record', async () => {
  const clock = { now: 1_000 };
  const storage = createMemoryStorage({ now: () => clock.now });
  await shared(storage, older).records.set('operation:{1}:A', 'before', { ttlMs: 500 });
  const both = shared(storage, newer, older);
  const racing = shared(
    {
      ...storage,
      async replace(...change) {
        await both.records.set('operation:{1}:A', 'changed meanwhile', { ttlMs: 500 });
        return storage.replace(...change);
      },
    },
    ...[newer, older],
  );
  await racing.renew();
  expect(await both.records.get('operation:{1}:A')).toMatchObject({ content: 'changed meanwhile' });
  await shared(storage, older).records.set('operation:{1}:B', 'x', { ttlMs: 500 });
  await both.renew();
  clock.now += 500;
  expect(await storage.get('operation:{1}:B')).toBeUndefined();
});
