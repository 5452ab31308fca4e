import { hkdfSync, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { deriveKeys } from '../../src/platform/encryption.ts';

const [newest, older] = [randomBytes(32), randomBytes(32)];

test('derives a separate key per secret and purpose, in the order of the secrets', () => {
  const keys = [deriveKeys([newest, older], 'seal'), deriveKeys([newest, older], 'records')].flat();
  expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(4);
  for (const key of keys) expect(key).toHaveLength(32);
  expect(deriveKeys([older, newest], 'seal')).toEqual(deriveKeys([newest, older], 'seal').toReversed());
});

test('derives the same key from the same secret on every machine', () => {
  const expected = hkdfSync('sha256', newest, '', 'energy-rental-bot records', 32);
  expect(deriveKeys([newest], 'records')).toEqual([Buffer.from(expected)]);
});
