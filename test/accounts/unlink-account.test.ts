import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createUnlinkAccount } from '../../src/accounts/erase-user.ts';
import type { TurnOffResult } from '../../src/accounts/webhook-subscriptions.ts';

const [USER, OTHER, ACCOUNT, KEY] = [502, 503, 1001, 'an-api-key-of-the-tests'];

const done: string[] = [];
let holding: number[];
let active: boolean;
const owns = vi.fn<(account: number) => Promise<boolean | undefined>>();
const turnOff = vi.fn<() => Promise<TurnOffResult>>();

const leave = createUnlinkAccount({
  links: { holders: async () => holding },
  webhookSubscriptions: {
    isActive: async () => active,
    deactivate: async () => {
      done.push('deactivated');
      active = false;
    },
  },
  webhookSwitch: { turnOff },
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

test('removes the webhook URL with the last link, before its key is erased', async () => {
  expect(await leaving()).toBe('off');
  expect(done).toEqual(['turned off', 'unlinked']);
  expect(turnOff).toHaveBeenCalledExactlyOnceWith({ account: ACCOUNT, apiKey: KEY });
});

describe('removes only the link', () => {
  test('for a reference to the operator account, even if the owner is unknown', async () => {
    owns.mockResolvedValue(undefined);
    const link = { user: USER, account: ACCOUNT, apiKey: KEY, operators: true as const };
    expect(await leave(link, unlink)).toBe('unchanged');
    expect(done).toEqual(['unlinked']);
  });

  test('if another user holds the account', async () => {
    holding = [OTHER, USER];
    expect(await leaving()).toBe('unchanged');
    expect(done).toEqual(['unlinked']);
  });

  test('if events are not active here, because the URL at the service is not ours', async () => {
    active = false;
    expect(await leaving()).toBe('unchanged');
    expect(done).toEqual(['unlinked']);
  });

  test('for the operator account, because its events do not depend on links', async () => {
    owns.mockResolvedValue(true);
    expect(await leaving()).toBe('unchanged');
    expect(done).toEqual(['unlinked']);
  });
});

test.each<[string, TurnOffResult]>([
  ['rejects the request', { kind: 'possibly-on', failure: { kind: 'refused', reason: 'no' } }],
  ['does not respond', { kind: 'possibly-on', failure: { kind: 'unclear' } }],
  ['is busy with another change', { kind: 'busy' }],
])('if the service %s, deactivates the hook and removes the link', async (_, outcome) => {
  turnOff.mockResolvedValue(outcome);
  expect(await leaving()).toBe('possibly-on');
  expect(done).toEqual(['deactivated', 'unlinked']);
});

test('leaves the URL at the service if the API key cannot be decrypted', async () => {
  expect(await leave({ user: USER, account: ACCOUNT, apiKey: undefined }, unlink)).toBe('possibly-on');
  expect(turnOff).not.toHaveBeenCalled();
  expect(done).toEqual(['deactivated', 'unlinked']);
});

test('unlinks even if the service does not return the operator account', async () => {
  vi.useFakeTimers();
  try {
    owns.mockReturnValue(new Promise(() => {}));
    const left = leaving();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await left).toBe('off');
  } finally {
    vi.useRealTimers();
  }
});

test('removes the URL if the other holder unlinks at the same time', async () => {
  holding = [OTHER, USER];
  const meanwhile = async () => {
    await unlink();
    holding = [];
  };
  expect(await leave({ user: USER, account: ACCOUNT, apiKey: KEY }, meanwhile)).toBe('off');
  expect(done).toEqual(['unlinked', 'turned off']);
});

test('passes the time limit on', async () => {
  await leave({ user: USER, account: ACCOUNT, apiKey: KEY, timeoutMs: 2_000 }, unlink);
  expect(turnOff).toHaveBeenCalledWith({ account: ACCOUNT, apiKey: KEY, timeoutMs: 2_000 });
});
