import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import {
  createWebhookSubscriptions,
  createWebhookSwitch,
  type WebhookSubscriptions,
} from '../../src/accounts/webhook-subscriptions.ts';
import { createSeal } from '../../src/platform/encryption.ts';
import { createLeases } from '../../src/platform/leases.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { Storage } from '../../src/platform/storage.ts';
import type { Rental } from '../../src/rental-api/client.ts';
import type { Outcome } from '../../src/rental-api/http.ts';
import type { WebhookConfiguration } from '../../src/rental-api/schemas.ts';
import { failing } from '../operations/operations-setup.ts';
import { ACCOUNT, API_KEY, accepted, CUT, OFFLINE, rejected } from '../operations/rental-stand-in.ts';
import { eventually } from '../support/eventually.ts';
import { signedRecords } from '../support/records.ts';

const SECRET = '0123456789abcdef';
const UNABORTED = new AbortController().signal;
const hookUrl = (hook: string) => `https://bot.example/events/${hook}`;
const hookOf = (url = '') => url.slice(hookUrl('').length);

let storage: Storage;
let webhookSubscriptions: WebhookSubscriptions;
const configureWebhook = vi.fn<Rental['configureWebhook']>();

/** Returns the outcome of a successful webhook request. */
const answered = (url: string, secret = SECRET): Outcome<WebhookConfiguration> =>
  accepted({ url, secret: url === '' ? '' : secret, active: url !== '' });

function replica(own = storage) {
  const deps = { records: signedRecords(own), seal: createSeal([key]), now: Date.now };
  return createWebhookSwitch({
    webhookSubscriptions: createWebhookSubscriptions(deps),
    rental: { configureWebhook },
    leases: createLeases({ storage: own }),
  });
}
const key = randomBytes(32);
const turnOn = (more: object = {}, on = replica()) =>
  on.turnOn({ account: ACCOUNT, apiKey: API_KEY, webhookUrl: hookUrl, signal: UNABORTED, ...more });
const turnOff = (more: object = {}) => replica().turnOff({ account: ACCOUNT, apiKey: API_KEY, ...more });
/** Returns the URLs of all webhook requests. */
const asked = () => configureWebhook.mock.calls.map(([, url]) => url);

/** Makes the next webhook request pend until the returned function is called. */
function hold(answer: (url: string) => Outcome<WebhookConfiguration>) {
  let end = () => {};
  configureWebhook.mockImplementationOnce(
    (_key, url) =>
      new Promise((resolve) => {
        end = () => resolve(answer(url));
      }),
  );
  return () => end();
}

beforeEach(() => {
  storage = createMemoryStorage();
  webhookSubscriptions = createWebhookSubscriptions({
    records: signedRecords(storage),
    seal: createSeal([key]),
    now: Date.now,
  });
  configureWebhook.mockReset();
  configureWebhook.mockImplementation(async (_key, url) => answered(url));
});

describe('turning on', () => {
  test('activates the requested URL with the secret that the service returned', async () => {
    expect(await turnOn()).toEqual({ kind: 'on' });
    expect(configureWebhook).toHaveBeenCalledExactlyOnceWith(
      API_KEY,
      expect.stringMatching(/^https:.*\w{43}|-/),
    );
    expect(await webhookSubscriptions.find(hookOf(asked()[0]))).toEqual({
      account: ACCOUNT,
      secrets: [SECRET],
    });
  });

  test.each(['', '0123456789abcde'])(
    'deactivates all hooks if the service returns the weak secret “%s”',
    async (secret) => {
      await turnOn();
      configureWebhook.mockImplementation(async (_key, url) => answered(url, secret));
      expect(await turnOn()).toEqual({ kind: 'weak' });
      expect(await webhookSubscriptions.isActive(ACCOUNT)).toBe(false);
      for (const url of asked()) expect(await webhookSubscriptions.find(hookOf(url))).toBeUndefined();
    },
  );

  test.each([
    [rejected(422, 'HTTP_422'), { kind: 'refused', reason: 'no' }],
    [OFFLINE, { kind: 'refused', reason: 'no connection' }],
    [CUT, { kind: 'unclear' }],
  ])('after %j activates no new hook and keeps the previous one', async (outcome, turned) => {
    configureWebhook.mockResolvedValueOnce(outcome);
    expect(await turnOn()).toEqual(turned);
    expect(await webhookSubscriptions.isActive(ACCOUNT)).toBe(false);
    await turnOn();
    configureWebhook.mockResolvedValueOnce(outcome);
    expect(await turnOn()).toEqual(turned);
    expect(await webhookSubscriptions.find(hookOf(asked()[1]))).toBeDefined();
    expect(await webhookSubscriptions.find(hookOf(asked()[2]))).toBeUndefined();
  });

  test('activates nothing if the update is aborted during the request', async () => {
    const cut = new AbortController();
    const end = hold(answered);
    const turned = turnOn({ signal: cut.signal });
    await eventually(() => expect(configureWebhook).toHaveBeenCalled());
    cut.abort();
    end();
    expect(await turned).toEqual({ kind: 'unclear' });
    expect(await webhookSubscriptions.isActive(ACCOUNT)).toBe(false);
  });

  test('sends no second request with `onlyIfOff`, also for concurrent callers', async () => {
    const end = hold(answered);
    const first = turnOn({ onlyIfOff: true });
    await eventually(() => expect(configureWebhook).toHaveBeenCalled());
    expect(await turnOn({ onlyIfOff: true })).toEqual({ kind: 'busy' });
    end();
    expect(await first).toEqual({ kind: 'on' });
    expect(await turnOn({ onlyIfOff: true })).toEqual({ kind: 'already-on' });
    expect(asked()).toHaveLength(1);
    expect(await turnOn()).toEqual({ kind: 'on' });
  });

  test('rejects while the storage is unavailable and does not block the next attempt', async () => {
    const away = { now: true };
    const own = failing(storage, ({ key }) => away.now && key.startsWith('webhook-token'));
    await expect(turnOn({}, replica(own))).rejects.toThrow();
    expect(await webhookSubscriptions.isActive(ACCOUNT)).toBe(false);
    expect(await turnOn()).toEqual({ kind: 'on' });
  });
});

describe('concurrent changes', () => {
  test('on several replicas leave the URL and secret of the same request', async () => {
    configureWebhook.mockImplementation(async (_key, url) => {
      await new Promise(setImmediate);
      return answered(url, `the secret of ${url}`);
    });
    const turned = await Promise.all(Array.from({ length: 10 }, () => turnOn({}, replica())));
    expect(turned.map(({ kind }) => kind).sort()).toEqual([...Array(9).fill('busy'), 'on']);
    const url = asked().at(-1) ?? '';
    expect((await webhookSubscriptions.find(hookOf(url)))?.secrets[0]).toBe(`the secret of ${url}`);
  });

  test('do not block another account', async () => {
    const end = hold(answered);
    const first = turnOn();
    await eventually(() => expect(configureWebhook).toHaveBeenCalled());
    expect(await turnOn({ account: ACCOUNT + 1 })).toEqual({ kind: 'on' });
    end();
    expect(await first).toEqual({ kind: 'on' });
  });

  test('are rejected until a timed-out request ends, which then activates nothing', async () => {
    vi.useFakeTimers();
    try {
      const end = hold(answered);
      const first = turnOn();
      await vi.advanceTimersByTimeAsync(6_000);
      expect(await first).toEqual({ kind: 'unclear' });
      expect(await turnOn()).toEqual({ kind: 'busy' });
      expect(await turnOff()).toEqual({ kind: 'busy' });
      end();
      await vi.advanceTimersByTimeAsync(1);
      expect(await webhookSubscriptions.isActive(ACCOUNT)).toBe(false);
      expect(await turnOn()).toEqual({ kind: 'on' });
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('turning off', () => {
  test('asks the service to remove the URL, then deactivates all hooks', async () => {
    await turnOn();
    await turnOn();
    let wasActive = false;
    configureWebhook.mockImplementation(async (_key, url) => {
      wasActive = await webhookSubscriptions.isActive(ACCOUNT);
      return answered(url);
    });
    expect(await turnOff()).toEqual({ kind: 'off' });
    expect(wasActive).toBe(true);
    expect(asked().at(-1)).toBe('');
    for (const url of asked()) expect(await webhookSubscriptions.find(hookOf(url))).toBeUndefined();
  });

  test.each([
    [rejected(500, 'HTTP_500'), { kind: 'refused', reason: 'no' }],
    [OFFLINE, { kind: 'refused', reason: 'no connection' }],
    [CUT, { kind: 'unclear' }],
    [accepted({ url: 'https://bot.example', secret: SECRET, active: true }), { kind: 'unclear' }],
  ])('after %j reports that the URL may remain, and deactivates the hook', async (outcome, failure) => {
    await turnOn();
    configureWebhook.mockResolvedValueOnce(outcome);
    expect(await turnOff()).toEqual({ kind: 'possibly-on', failure });
    expect(await webhookSubscriptions.isActive(ACCOUNT)).toBe(false);
  });

  test('sends no request if no hook is active', async () => {
    expect(await turnOff()).toEqual({ kind: 'already-off' });
    expect(configureWebhook).not.toHaveBeenCalled();
  });

  test.each([
    [undefined, 6_000],
    [2_000, 2_000],
  ])('stops waiting for a hanging service with the time limit %s', async (timeoutMs, waited) => {
    await turnOn();
    vi.useFakeTimers();
    try {
      const end = hold(answered);
      let turned: unknown;
      void turnOff({ timeoutMs }).then((outcome) => {
        turned = outcome;
      });
      await vi.advanceTimersByTimeAsync(waited - 1);
      expect(turned).toBeUndefined();
      await vi.advanceTimersByTimeAsync(1);
      expect(turned).toEqual({ kind: 'possibly-on', failure: { kind: 'unclear' } });
      expect(await webhookSubscriptions.isActive(ACCOUNT)).toBe(false);
      end();
    } finally {
      vi.useRealTimers();
    }
  });
});
