import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { storedDataTables } from '../../scripts/stored-data.ts';
import { RETENTION_REASONS } from '../../src/platform/records.ts';
import { allStoredData } from '../../src/stored-data.ts';
import { openChat } from './chat.ts';

const chat = await openChat('en');

test('each reason for retaining data applies to some of it', () => {
  const given = allStoredData().flatMap(({ retained }) => [retained?.own, retained?.elsewhere]);
  for (const reason of RETENTION_REASONS) expect(given).toContain(reason);
  expect(allStoredData().some(({ retained }) => retained?.ofAdmins)).toBe(true);
});

test('no two families of stored keys begin alike', () => {
  const patterns = allStoredData().map(({ keys }) => keys);
  const twice = patterns.filter((keys, at) => patterns.indexOf(keys) !== at);
  expect(twice, 'two definitions have these keys: rename one').toEqual([]);
});

test('every family of stored keys expires, or has a reason for not expiring', () => {
  for (const { keys, expiry } of allStoredData())
    expect(expiry, `${keys}: add \`ttlMs\`, or \`expiry\` with "none: " and a reason`).toMatch(
      /^(none: )?\S/,
    );
});

test('a flow declares each of its questions once', () => {
  for (const { name, flow } of chat.features) {
    const ways = (flow?.examples ?? []).map(({ inputs }) => inputs.join(' '));
    const twice = ways.filter((way, at) => ways.indexOf(way) !== at);
    expect(twice, `${name}: these inputs are in \`flow.examples\` more than once`).toEqual([]);
  }
});

test('the tables of stored data in the documents are current', () => {
  const isCurrent = readFileSync('docs/stored-data.md', 'utf8').includes(storedDataTables());
  expect(isCurrent, 'docs/stored-data.md is stale: run `npm run stored-data`').toBe(true);
});
