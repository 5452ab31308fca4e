import { describe, expect, it } from 'vitest';
import { chainAddressOf, isChainAddress } from '../../../src/sandbox/rental/chain-address.ts';

describe('a chain address', () => {
  it.each([
    'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4',
    'TSPrmJetAMo6S6RxMd4tswzeRCFVegBNig',
  ])('is %s', (text) => expect(isChainAddress(text)).toBe(true));

  it.each([
    'TRqtXk9mP7vJ2nLcQ8Wy3bFhKzR4ewDUyu',
    'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6T',
    '1TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6О',
  ])('is not %s', (text) => expect(isChainAddress(text)).toBe(false));

  it('is generated from a label: valid, and unique per label', () => {
    const address = chainAddressOf('demo chain');
    expect(address).toHaveLength(34);
    expect(isChainAddress(address)).toBe(true);
    expect(chainAddressOf('demo chain')).toBe(address);
    expect(chainAddressOf('demo deposit')).not.toBe(address);
  });
});
