import { expect, test } from 'vitest';
import { z } from 'zod';
import { LANGUAGES, paragraphs, withMenuButton } from '../../src/i18n/texts.ts';
import { defineFeatureNotification } from '../../src/notifications/kinds.ts';
import { expectWithinLimits } from '../i18n/telegram-limits.ts';
import { TEXTS } from '../support/texts.ts';
import { ACCOUNT, openOutbox, settled, USER } from './outbox/outbox-setup.ts';

/** Made-up kind of a made-up feature. */
const PRICE_FELL = defineFeatureNotification({
  name: 'price-alert-fell',
  data: z.object({ price: z.string() }),
  isMoney: false,
  mutable: 'other',
  view: (words, all) =>
    withMenuButton(words, paragraphs(...all.map(({ price }) => `Energy costs ${price} TRX`))),
  samples: [{ price: '0.35' }],
});

async function openWithFeature() {
  const setup = await openOutbox();
  const outbox = setup.replica(setup.storage, { featureKinds: [PRICE_FELL] });
  return { ...setup, outbox, pass: (ms: number) => setup.pass(ms, [outbox]) };
}

test('sends a notification of a kind that a feature declares', async () => {
  const { outbox, sentTo } = await openWithFeature();
  await outbox.notify(PRICE_FELL, { user: USER, id: 'fell:1', data: { price: '0.31' } });
  await settled();
  expect(sentTo(USER)).toEqual(['Energy costs 0.31 TRX']);
});

test('sends a notification with the same id once, and one with another id too', async () => {
  const { outbox, sentTo, pass } = await openWithFeature();
  for (const [id, price] of [
    ['fell:1', '0.31'],
    ['fell:1', '0.30'],
    ['fell:2', '0.29'],
  ] as const) {
    await outbox.notify(PRICE_FELL, { user: USER, id, data: { price } });
    await pass(10_000);
  }
  expect(sentTo(USER)).toEqual(['Energy costs 0.31 TRX', 'Energy costs 0.29 TRX']);
});

test('does not notify a user who muted the kind', async () => {
  const { outbox, sentTo, pass, notificationSettings } = await openWithFeature();
  await notificationSettings.setMuted(USER, 'other', true);
  await outbox.notify(PRICE_FELL, { user: USER, id: 'fell:1', data: { price: '0.31' } });
  await pass(10_000);
  expect(sentTo(USER)).toEqual([]);
});

test('does not notify a user who no longer holds the account that the notification is about', async () => {
  const { outbox, sentTo, pass } = await openWithFeature();
  const data = { price: '0.31' };
  await outbox.notify(PRICE_FELL, { user: USER, id: 'fell:1', data, account: ACCOUNT + 1 });
  await pass(10_000);
  expect(sentTo(USER)).toEqual([]);
});

test('rejects a notification of a kind that no feature lists', async () => {
  const { outbox } = await openOutbox();
  const notification = { user: USER, id: 'fell:1', data: { price: '0.31' } };
  await expect(outbox.notify(PRICE_FELL, notification)).rejects.toThrow('price-alert-fell');
});

test('rejects two kinds with the same name', async () => {
  const { replica, storage } = await openOutbox();
  const duplicate = defineFeatureNotification({ ...PRICE_FELL, name: 'deposit' });
  expect(() => replica(storage, { featureKinds: [duplicate] })).toThrow('the same name');
});

test.each(LANGUAGES)('renders its samples within message limits in %s', (language) => {
  for (const sample of PRICE_FELL.samples) {
    const data = PRICE_FELL.data.parse(JSON.parse(JSON.stringify(sample)));
    expectWithinLimits(PRICE_FELL.view(TEXTS.in(language), [data], { chat: USER, account: undefined }));
  }
});
