import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { describe, expect, it, test } from 'vitest';
import { createSeal, deriveKeys } from '../../src/platform/encryption.ts';

describe('derived keys', () => {
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
});

const about = { user: 502, purpose: 'api key' };

describe('a seal', () => {
  const key = randomBytes(32);
  const seal = createSeal([key]);

  it('opens what it sealed for the same user and purpose', () => {
    for (const plain of ['demo-key', '', 'ключ 🔑', 'x'.repeat(10_000)]) {
      expect(seal.open(seal.seal(plain, about), about)).toBe(plain);
    }
  });

  it('never seals twice alike and reveals nothing of the content', () => {
    const [first, second] = [seal.seal('demo-key', about), seal.seal('demo-key', about)];
    expect(first).not.toBe(second);
    expect(first).toMatch(/^v1\.[\w-]{11}\.[\w-]{16}\.[\w-]+$/);
    expect(Buffer.from(first, 'base64url').includes('demo-key')).toBe(false);
  });

  it('does not open with another key, or for another user or purpose', () => {
    const sealed = seal.seal('demo-key', about);
    expect(seal.open(sealed, { ...about, user: 503 })).toBeUndefined();
    expect(seal.open(sealed, { ...about, purpose: 'webhook secret' })).toBeUndefined();
    expect(seal.open(seal.seal('x', { user: 1, purpose: '2' }), { user: 12, purpose: '' })).toBeUndefined();
    expect(createSeal([randomBytes(32)]).open(sealed, about)).toBeUndefined();
  });

  it('does not open if any part was changed', () => {
    const parts = seal.seal('demo-key', about).split('.');
    for (const [n, part] of parts.entries()) {
      const changed = parts.with(n, part.startsWith('A') ? `B${part.slice(1)}` : `A${part.slice(1)}`);
      expect(seal.open(changed.join('.'), about)).toBeUndefined();
    }
  });

  it('does not open with a shortened tag', () => {
    const [version, id = '', iv = '', body = ''] = seal.seal('demo-key', about).split('.');
    const cut = Buffer.from(body, 'base64url').subarray(0, -8).toString('base64url');
    expect(seal.open([version, id, iv, cut].join('.'), about)).toBeUndefined();
    const cipher = createCipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64url'), { authTagLength: 4 });
    cipher.setAAD(Buffer.from(JSON.stringify([about.user, about.purpose, id])));
    const forged = Buffer.concat([cipher.update('forged'), cipher.final(), cipher.getAuthTag()]);
    expect(seal.open([version, id, iv, forged.toString('base64url')].join('.'), about)).toBeUndefined();
  });

  it('does not open text that was never sealed', () => {
    for (const text of ['', '.', '...', 'demo-key', 'v1....', `${seal.seal('x', about)}.`, '\u0000.é.🔑.x']) {
      expect(seal.open(text, about)).toBeUndefined();
    }
  });

  it('opens with any of its keys and seals with the newest', () => {
    const newer = randomBytes(32);
    const both = createSeal([newer, key]);
    expect(both.open(seal.seal('old', about), about)).toBe('old');
    expect(createSeal([newer]).open(both.seal('new', about), about)).toBe('new');
  });

  it('requires a key', () => {
    expect(() => createSeal([])).toThrow(RangeError);
  });
});
