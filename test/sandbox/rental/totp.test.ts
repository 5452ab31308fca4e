import { describe, expect, it } from 'vitest';
import { isTotpSecret, readTotpSecret, totpCode, totpStep } from '../../../src/sandbox/rental/two-factor.ts';

describe('a one-time code', () => {
  // RFC 6238, appendix B, SHA-1: the last six of eight digits.
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('at %i seconds is %s', (seconds, code) => {
    const secret = new TextEncoder().encode('12345678901234567890');
    expect(totpCode(secret, totpStep(seconds * 1000))).toBe(code);
  });

  it.each([
    [0, 0],
    [29_999, 0],
    [30_000, 1],
  ])('changes every thirty seconds: %i ms are step %i', (ms, step) => {
    expect(totpStep(ms)).toBe(step);
  });
});

describe('a secret', () => {
  it('is parsed from base32', () => {
    expect(Buffer.from(readTotpSecret('JBSWY3DPEHPK3PXP')).toString('hex')).toBe('48656c6c6f21deadbeef');
  });

  it.each(['', 'jbswy3dp', 'JBSWY3D1', 'JBSWY3DP='])('is not parsed from %j', (text) => {
    expect(isTotpSecret(text)).toBe(false);
  });
});
