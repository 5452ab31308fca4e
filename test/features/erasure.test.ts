import { describe, expect, test } from 'vitest';
import type { FeatureDefinition } from '../../src/bot/feature.ts';
import { type AllFeatureDeps, FEATURES } from '../../src/features/features.ts';
import { kindOf } from '../../src/platform/records.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { START, USER } from '../operations/operations-setup.ts';
import { eventually } from '../support/eventually.ts';
import { reminderFeature } from '../support/made-up/reminder-feature.ts';
import { MADE_UP_TEXTS } from '../support/made-up/texts.ts';
import { storedKeys } from '../support/stored-keys.ts';
import { traces } from '../support/traces.ts';
import { type Chat, openChat } from './chat.ts';

/** Returns every key of a storage in memory with its value, or with the members of its index. */
async function storedIn({ keysPage, get, index }: Storage) {
  const contentOf = async (key: string) =>
    (await get(key)) ?? (await index.upTo(key, Number.MAX_VALUE, 10_000)).join(' ');
  return Promise.all(
    (await storedKeys({ keysPage })).map(async (key) => ({ key, value: await contentOf(key) })),
  );
}

async function forget({ deps, links, sender }: Chat): Promise<void> {
  const { linkedAt } = (await links.find(USER)) ?? {};
  await deps.userErasure.request({
    user: USER,
    askedAt: START,
    at: START,
    language: 'en',
    linkedAt,
    update: 1,
  });
  await eventually(() => expect(sender.send).toHaveBeenCalled());
}

/** Returns what is missing so that *Forget me* erases what the feature stores about a user, one line for each duty. */
async function missingDuties(definition: FeatureDefinition<AllFeatureDeps>): Promise<string[]> {
  const { stores } = definition;
  const personal = (stores?.data ?? []).filter(({ anonymous }) => !anonymous);
  if (personal.length === 0) return [];
  const definitions = [...FEATURES.filter((other) => other !== definition), definition];
  const chat = await openChat('en', { definitions, texts: MADE_UP_TEXTS });
  const name = chat.features.at(-1)?.name;
  const missing = (duty: string) => `${name}: ${duty}. See "Add a record" in docs/contributing.md`;
  if (stores?.text === undefined) return [missing('add `stores.text`, its line in /privacy')];
  if (stores.example === undefined) return [missing('add `stores.example`, inputs that leave its data')];

  await chat.input(...stores.example);
  const { storage } = chat.setup;
  const present = new Set((await storedIn(storage)).map(({ key }) => kindOf(key)));
  const absent = personal.filter(({ keys }) => !present.has(kindOf(keys)));
  if (absent.length > 0)
    return absent.map(({ keys }) =>
      missing(`\`stores.example\` leaves no \`${keys}\`, so add inputs that do`),
    );

  await forget(chat);
  const erased = personal.filter(({ retained }) => !retained).map(({ keys }) => kindOf(keys));
  const left = traces(await storedIn(storage), [String(USER)]).filter(({ key }) =>
    erased.includes(kindOf(key)),
  );
  return left.map(({ key }) =>
    missing(`\`${key}\` names the user after *Forget me*. Erase it in \`eraseUser\`, or add \`retained\``),
  );
}

test('*Forget me* erases what each feature stores about a user, except declared retained data', async () => {
  expect((await Promise.all(FEATURES.map(missingDuties))).flat()).toEqual([]);
});

describe('a feature that stores data about users', () => {
  const { stores, create } = reminderFeature;
  const guide = 'See "Add a record" in docs/contributing.md';

  test('has no missing duties if it declares and erases them', async () => {
    expect(await missingDuties(reminderFeature)).toEqual([]);
  });

  test.each<[string, FeatureDefinition<AllFeatureDeps>, string]>([
    [
      'erases nothing',
      { ...reminderFeature, create: (deps) => ({ ...create(deps), eraseUser: async () => {} }) },
      '`reminders` names the user after *Forget me*. Erase it in `eraseUser`, or add `retained`',
    ],
    [
      'has no line in /privacy',
      { ...reminderFeature, stores: { data: stores?.data ?? [] } },
      'add `stores.text`, its line in /privacy',
    ],
    [
      'has no example',
      { ...reminderFeature, stores: { data: stores?.data ?? [], text: 'reminder-privacy' } },
      'add `stores.example`, inputs that leave its data',
    ],
  ])('fails with its missing duty if it %s', async (_, definition, duty) => {
    expect(await missingDuties(definition)).toEqual([`reminder: ${duty}. ${guide}`]);
  });
});
