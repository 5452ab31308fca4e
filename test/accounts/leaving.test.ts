import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { TurnedOff } from '../../src/accounts/event-receiving.ts';
import { createLeaveAccount } from '../../src/accounts/leaving.ts';

const [USER, OTHER, ACCOUNT, KEY] = [502, 503, 1001, 'an-api-key-of-the-tests'];

const done: string[] = [];
let holding: number[];
let active: boolean;
const owns = vi.fn<(account: number) => Promise<boolean | undefined>>();
const turnOff = vi.fn<() => Promise<TurnedOff>>();

const leave = createLeaveAccount({
  links: { holders: async () => holding },
  hooks: {
    isActive: async () => active,
    deactivate: async () => {
      done.push('deactivated');
      active = false;
    },
  },
  eventReceiving: { turnOff },
  operator: { owns },
});
const unlink = async () => {
  done.push('unlinked');
  holding = holding.filter((user) => user !== USER);
};
const leaving = (apiKey: string | undefined = KEY) => leave({ user: USER, account: ACCOUNT, apiKey }, unlink);

beforeEach(() => {
  done.length = 0;
  holding = [USER];
  active = true;
  owns.mockReset().mockResolvedValue(false);
  turnOff.mockReset().mockImplementation(async () => {
    done.push('turned off');
    active = false;
    return { kind: 'off' };
  });
});

test('the last link of an account has its URL removed before its key is erased', async () => {
  expect(await leaving()).toBe('nowhere');
  expect(done).toEqual(['turned off', 'unlinked']);
  expect(turnOff).toHaveBeenCalledExactlyOnceWith({ account: ACCOUNT, apiKey: KEY });
});

describe('the link alone goes', () => {
  test('of a reference to the operator’s account, also while the service says of nobody whose it is', async () => {
    owns.mockResolvedValue(undefined);
    const link = { user: USER, account: ACCOUNT, apiKey: KEY, operators: true as const };
    expect(await leave(link, unlink)).toBe('as-before');
    expect(done).toEqual(['unlinked']);
  });

  test('where somebody else holds the account', async () => {
    holding = [OTHER, USER];
    expect(await leaving()).toBe('as-before');
    expect(done).toEqual(['unlinked']);
  });

  test('where no events come here: what is set at the service is none of ours', async () => {
    active = false;
    expect(await leaving()).toBe('as-before');
    expect(done).toEqual(['unlinked']);
  });

  test("where the account is the operator's, whose events hang on nobody's link", async () => {
    owns.mockResolvedValue(true);
    expect(await leaving()).toBe('as-before');
    expect(done).toEqual(['unlinked']);
  });
});

test.each<[string, TurnedOff]>([
  ['refuses', { kind: 'stays', why: { kind: 'refused', reason: 'no' } }],
  ['does not answer', { kind: 'stays', why: { kind: 'unclear' } }],
  ['is just being asked for something else', { kind: 'busy' }],
])('where the service %s, nothing is taken any more, and the link goes all the same', async (_, outcome) => {
  turnOff.mockResolvedValue(outcome);
  expect(await leaving()).toBe('stays');
  expect(done).toEqual(['deactivated', 'unlinked']);
});

test('a key that no present secret opens can ask for nothing: it stays at the service', async () => {
  expect(await leave({ user: USER, account: ACCOUNT, apiKey: undefined }, unlink)).toBe('stays');
  expect(turnOff).not.toHaveBeenCalled();
  expect(done).toEqual(['deactivated', 'unlinked']);
});

test("a service that doesn't tell who the operator is keeps nobody from leaving", async () => {
  vi.useFakeTimers();
  try {
    owns.mockReturnValue(new Promise(() => {}));
    const left = leaving();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await left).toBe('nowhere');
  } finally {
    vi.useRealTimers();
  }
});

test('of two who leave at once the later one is the last', async () => {
  holding = [OTHER, USER];
  const meanwhile = async () => {
    await unlink();
    holding = [];
  };
  expect(await leave({ user: USER, account: ACCOUNT, apiKey: KEY }, meanwhile)).toBe('nowhere');
  expect(done).toEqual(['unlinked', 'turned off']);
});

test('the time that it may take is handed on', async () => {
  await leave({ user: USER, account: ACCOUNT, apiKey: KEY, withinMs: 2_000 }, unlink);
  expect(turnOff).toHaveBeenCalledWith({ account: ACCOUNT, apiKey: KEY, withinMs: 2_000 });
});
