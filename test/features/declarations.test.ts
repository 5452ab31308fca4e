import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FEATURES } from '../../src/features/features.ts';
import { LANGUAGES } from '../../src/i18n/texts.ts';
import { isErasedWithUser, RETENTION_REASONS } from '../../src/platform/records.ts';
import { allStoredData, storedDataTables } from '../../src/stored-data.ts';
import { openChat } from './chat.ts';

const chat = await openChat('en');
const declared = FEATURES.map((definition, at) => ({ ...definition, feature: chat.features[at] }));

test('a feature erases what it stores about a user, or declares why it is retained, and names it in /privacy', () => {
  for (const { stores, feature } of declared) {
    const personal = (stores?.data ?? []).filter((data) => !data.anonymous);
    if (personal.length > 0) expect(stores?.text, feature?.name).toBeDefined();
    const unerased = personal.filter((data) => !isErasedWithUser(data) && !data.retained);
    // Keys without the user's hash tag aren't erased by themselves.
    if (unerased.length > 0) expect(feature?.eraseUser, feature?.name).toBeTypeOf('function');
  }
});

test('each reason for retaining data applies to some of it', () => {
  const given = allStoredData().flatMap(({ retained }) => [retained?.own, retained?.elsewhere]);
  for (const reason of RETENTION_REASONS) expect(given).toContain(reason);
  expect(allStoredData().some(({ retained }) => retained?.ofAdmins)).toBe(true);
});

test('no two families of stored keys begin alike', () => {
  const patterns = allStoredData().map(({ keys }) => keys);
  expect(new Set(patterns).size).toBe(patterns.length);
});

test('every family of stored keys expires, or has a reason for not expiring', () => {
  for (const { keys, expiry } of allStoredData()) expect(expiry, keys).toMatch(/^(none: )?\S/);
});

test('a flow declares each of its questions once', () => {
  for (const { name, flow } of chat.features) {
    const ways = (flow?.examples ?? []).map(({ inputs }) => inputs.join(' '));
    expect(new Set(ways).size, name).toBe(ways.length);
  }
});

test.each(LANGUAGES)('opens every help topic of a feature from Help (%s)', async (language) => {
  const chat = await openChat(language);
  for (const { topic, question, answer } of chat.features.flatMap(({ help = [] }) => help)) {
    await chat.expectReply('/help', chat.words.html(question));
    await chat.expectReply(`help:topic:${topic}`, chat.words.html(answer));
  }
});

test('the tables of stored data in the documents are current', () => {
  const isCurrent = readFileSync('docs/stored-data.md', 'utf8').includes(storedDataTables());
  expect(isCurrent, 'docs/stored-data.md is stale: run `npm run stored-data`').toBe(true);
});
