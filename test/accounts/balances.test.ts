import { expect, it } from 'vitest';
import { createBalances } from '../../src/accounts/balances.ts';

const ACCOUNT = 1001;

/** Creates balances, and a function that returns the last known one. */
function openBalances() {
  const balances = createBalances({ now: () => 0 });
  return { ...balances, last: () => balances.getLast(ACCOUNT)?.balance };
}

it('stores the result of a read', () => {
  const { startRead, last, getRecent } = openBalances();
  startRead(ACCOUNT)('12.34');
  expect([last(), getRecent(ACCOUNT)]).toEqual(['12.34', '12.34']);
});

it('returns no balance after money has moved, until a later read', () => {
  const balances = openBalances();
  balances.set(ACCOUNT, '12.34');
  balances.delete(ACCOUNT);
  expect([balances.last(), balances.getRecent(ACCOUNT)]).toEqual([undefined, undefined]);
  balances.startRead(ACCOUNT)('9.00');
  expect(balances.last()).toBe('9.00');
});

it('ignores a read that began before money moved', () => {
  const balances = openBalances();
  const store = balances.startRead(ACCOUNT);
  balances.delete(ACCOUNT);
  store('12.34');
  expect(balances.last()).toBeUndefined();
  balances.set(ACCOUNT, '9.00');
  store('12.34');
  expect(balances.last()).toBe('9.00');
});

it('keeps the result of the later of two reads', () => {
  const { startRead, last } = openBalances();
  const [earlier, later] = [startRead(ACCOUNT), startRead(ACCOUNT)];
  later('9.00');
  earlier('12.34');
  expect(last()).toBe('9.00');
  const [first, second] = [startRead(ACCOUNT), startRead(ACCOUNT)];
  first('8.00');
  second('7.00');
  expect(last()).toBe('7.00');
});

it('returns a balance as recent for less than five seconds', () => {
  let time = 0;
  const { set, getRecent, getLast } = createBalances({ now: () => time });
  set(ACCOUNT, '12.34');
  time = 4_999;
  expect(getRecent(ACCOUNT)).toBe('12.34');
  time = 5_000;
  expect(getRecent(ACCOUNT)).toBeUndefined();
  expect(getLast(ACCOUNT)).toEqual({ balance: '12.34', ageMs: 5_000 });
});
