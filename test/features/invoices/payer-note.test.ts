import { describe, expect, test } from 'vitest';
import { payerNoteProblem } from '../../../src/features/invoices/payer-note.ts';

const ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';

describe('a note to the payer', () => {
  test.each([
    'pay1.com/x',
    'pay at wallet24.com',
    'T1.ME/evil',
    '1.1.1.1/pay',
    'evil。example',
    'evil｡example',
    'ｅvil．example',
    'e\u200bvil.\u200bexample',
    'evil%2Eexample',
    'сайт.рф',
    'सेवा.भारत',
    'https://evil',
    'www.evil',
    'ask (@someone)',
    'mail me@evil.example',
  ])('is rejected as a link: %j', (note) => {
    expect(payerNoteProblem(note)).toBe('link');
  });

  test.each([
    ['complete', ADDRESS],
    ['cut in two', `${ADDRESS.slice(0, 17)} ${ADDRESS.slice(17)}`],
    ['cut in two, with words between', `${ADDRESS.slice(0, 9)} and then ${ADDRESS.slice(9)}`],
    ['cut in many', ADDRESS.match(/.{1,4}/g)?.join('-') ?? ''],
    ['in hexadecimal', '41a614f803b6fd780986a42c78ec9c7f77e6ded13c'],
    ['of Ethereum', '0xdAC17F958D2ee523a2206206994597C13D831ec7'],
    ['of Ethereum, cut in two', '0xdAC17F958D2ee523a220 6206994597C13D831ec7'],
    ['of Bitcoin', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'],
    ['of Bitcoin, cut in two', '1A1zP1eP5QGefi2DM PTfTL5SLmv7DivfNa'],
    ['of Bitcoin, in bech32', 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'],
    ['of Solana', '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV'],
    ['of TON', 'EQCD39VS5jcptHL8vMjEXrzGaRcCVYto7HUn4bpAOg8xqB2N'],
  ])('is rejected with an address %s', (_what, note) => {
    expect(payerNoteProblem(note)).toBe('address');
  });

  test.each([
    'Order 17, thank you. See you soon!',
    'ул. Ленина 5, кв. 12, т.д.',
    '2.5 kg for 3.50 USD on 21.11.2026, e.g. by post',
    'order 550e8400-e29b-41d4-a716-446655440000',
    'iPhone15ProMax256GB, code A1B2C3D4E5F6',
    '10001, 10002, 10003, 10004, 10005, 10006, 10007, 10008, 10009',
  ])('is accepted: %j', (note) => {
    expect(payerNoteProblem(note)).toBeUndefined();
  });
});
