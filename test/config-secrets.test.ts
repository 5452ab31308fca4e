import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { faultsOf } from './support/config-faults.ts';

const TOKEN = '123456:a-token_of_a_bot_that_is_none_at_all';
const BYTES = Uint8Array.from({ length: 32 }, (_, n) => 7 * n);
const KEY = Buffer.from(BYTES).toString('base64');
const local = { BOT_TOKEN: TOKEN, RENTAL_API_URL: 'http://localhost:8080/api' };

let folder: string;
let files = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'config-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(content: string): string {
  const path = join(folder, `secret-${files++}`);
  writeFileSync(path, content);
  return path;
}

describe('a secret', () => {
  test('can be read from a file', () => {
    const config = readConfig({
      RENTAL_API_URL: 'https://rental.example/api',
      BOT_TOKEN_FILE: fileWith(`${TOKEN}\n`),
      RENTAL_API_KEY_FILE: fileWith('operator-key'),
      REDIS_URL_FILE: fileWith('redis://:password@redis'),
      SECRET_KEY_FILE: fileWith(`${KEY}\n`),
    });
    expect(config).toMatchObject({
      botToken: TOKEN,
      rentalApiKey: 'operator-key',
      redisUrl: 'redis://:password@redis',
      secretKeys: [BYTES],
    });
  });

  test.each([
    ['does not exist', () => join(folder, 'nowhere'), /^BOT_TOKEN_FILE: not readable/],
    ['is empty', () => fileWith('\n'), /^BOT_TOKEN_FILE: empty/],
    ['has invalid content', () => fileWith('something else'), /^BOT_TOKEN: not valid/],
  ])('is reported as one fault if its file %s', (_, path, fault) => {
    expect(faultsOf({ ...local, BOT_TOKEN: '', BOT_TOKEN_FILE: path() })).toEqual([
      expect.stringMatching(fault),
    ]);
  });

  test('is rejected if both the variable and its file are set', () => {
    const faults = faultsOf({ ...local, BOT_TOKEN_FILE: fileWith(TOKEN) });
    expect(faults).toEqual([expect.stringMatching(/^BOT_TOKEN: given twice/)]);
  });

  test('is the only kind of setting that is read from a file', () => {
    expect(readConfig({ ...local, LOG_LEVEL_FILE: fileWith('debug') }).logLevel).toBe('info');
  });
});
