import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  createWebhookSubscriptions,
  createWebhookSwitch,
  type WebhookSubscriptions,
  webhookRotation,
} from '../../src/accounts/webhook-subscriptions.ts';
import { HOUR_MS } from '../../src/platform/clock.ts';
import { createSeal } from '../../src/platform/encryption.ts';
import { createLeases } from '../../src/platform/leases.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { rotateRecords } from '../../src/platform/records.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { createAccountReader } from '../../src/rental-api/account-reader.ts';
import type { Outcome, Rental } from '../../src/rental-api/client.ts';
import type { WebhookConfiguration } from '../../src/rental-api/schemas.ts';
import { failing } from '../operations/operations-setup.ts';
import {
  ACCOUNT,
  API_KEY,
  accepted,
  CUT,
  OFFLINE,
  profileOf,
  rejected,
} from '../operations/rental-stand-in.ts';
import { tamperedTexts } from '../support/changed-fields.ts';
import { eventually } from '../support/eventually.ts';
import { killedAfter } from '../support/killed.ts';
import { signedRecords } from '../support/records.ts';

const SECRET = 'whsec_of-the-tests';
const OTHER = ACCOUNT + 1;
const SEAL_KEY = randomBytes(32);

let storage: Storage;
let clock: { now: number };
let webhookSubscriptions: WebhookSubscriptions;

/** Opens the subscriptions in another process. */
const openSubscriptions = (on = storage, ...sealKeys: Uint8Array[]) =>
  createWebhookSubscriptions({
    records: signedRecords(on),
    seal: createSeal(sealKeys.length > 0 ? sealKeys : [SEAL_KEY]),
    now: () => clock.now,
  });
const find = (token: string) => webhookSubscriptions.find(token);
const isActive = (account = ACCOUNT) => webhookSubscriptions.isActive(account);

beforeEach(() => {
  clock = { now: 1_000 };
  storage = createMemoryStorage({ now: () => clock.now });
  webhookSubscriptions = openSubscriptions();
});

describe('a webhook subscription', () => {
  /** Activates a new token. Returns it. */
  async function activate(secret = SECRET, { account = ACCOUNT, on = webhookSubscriptions } = {}) {
    const token = on.createToken();
    await on.activate(token, account, secret);
    return token;
  }

  test('has unguessable tokens that fit into a URL path', () => {
    const tokens = Array.from({ length: 100 }, () => webhookSubscriptions.createToken());
    for (const token of tokens) expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(new Set(tokens).size).toBe(100);
  });

  test('is found by its token once it is active', async () => {
    const token = webhookSubscriptions.createToken();
    expect([await find(token), await isActive()]).toEqual([undefined, false]);
    await webhookSubscriptions.activate(token, ACCOUNT, SECRET);
    expect([await find(token), await isActive()]).toEqual([{ account: ACCOUNT, secrets: [SECRET] }, true]);
  });

  test('stores neither token nor secret in plain text', async () => {
    const set = vi.spyOn(storage, 'set');
    const token = await activate();
    expect(set).toHaveBeenCalled();
    for (const text of [token, SECRET, Buffer.from(SECRET).toString('base64url')])
      expect(JSON.stringify(set.mock.calls)).not.toContain(text);
  });

  test('keeps a replaced token for an hour, in which both accept both secrets', async () => {
    const [old, latest] = [await activate('old'), await activate('new')];
    clock.now += HOUR_MS - 1;
    for (const token of [old, latest])
      expect(await find(token)).toEqual({ account: ACCOUNT, secrets: ['new', 'old'] });
    clock.now += 1;
    expect(await find(old)).toBeUndefined();
    expect(await find(latest)).toEqual({ account: ACCOUNT, secrets: ['new'] });
  });

  test('neither extends the hour of an earlier token nor leaves expired keys after another change', async () => {
    const set = vi.spyOn(storage, 'set');
    const [first, second] = [await activate('first'), await activate('second')];
    clock.now += HOUR_MS / 2;
    const third = await activate('third');
    expect((await find(first))?.secrets).toEqual(['third', 'second', 'first']);
    clock.now += HOUR_MS / 2;
    expect(await find(first)).toBeUndefined();
    expect((await find(second))?.secrets).toEqual(['third', 'second']);
    clock.now += HOUR_MS / 2;
    expect((await find(third))?.secrets).toEqual(['third']);
    await activate('fourth');
    const keys = [...new Set(set.mock.calls.map(([key]) => key))];
    const left = await Promise.all(keys.map((key) => storage.get(key)));
    expect(left.filter(Boolean)).toHaveLength(3);
  });

  test('keeps only the newest five tokens of an hour', async () => {
    const tokens: string[] = [];
    for (let at = 0; at < 7; at += 1) tokens.push(await activate(`secret ${at}`));
    expect((await find(tokens[6] ?? ''))?.secrets).toHaveLength(5);
    expect(await find(tokens[2] ?? '')).toBeDefined();
    expect(await find(tokens[1] ?? '')).toBeUndefined();
  });

  test('keeps a token that is activated again after the hour, with its new secret', async () => {
    const token = await activate('old');
    await webhookSubscriptions.activate(token, ACCOUNT, 'new');
    clock.now += HOUR_MS;
    expect(await find(token)).toEqual({ account: ACCOUNT, secrets: ['new'] });
  });

  test('knows when events were turned on, regardless of later tokens', async () => {
    const activeSince = () => webhookSubscriptions.activeSince(ACCOUNT);
    expect(await activeSince()).toBeUndefined();
    await activate();
    clock.now = 2_000;
    await activate();
    expect(await activeSince()).toBe(1_000);
    await webhookSubscriptions.deactivate(ACCOUNT);
    expect(await activeSince()).toBeUndefined();
    await activate();
    expect(await activeSince()).toBe(2_000);
  });

  test('is deactivated with its replaced tokens, and a new one does not restore them', async () => {
    const tokens = [await activate('old'), await activate('new')];
    const elsewhere = await activate('another', { account: OTHER });
    await webhookSubscriptions.deactivate(ACCOUNT);
    expect(await isActive()).toBe(false);
    const another = await activate('another');
    for (const token of tokens) expect(await find(token)).toBeUndefined();
    expect(await find(another)).toEqual({ account: ACCOUNT, secrets: ['another'] });
    expect(await find(elsewhere)).toEqual({ account: OTHER, secrets: ['another'] });
  });

  test('keeps the previous token if the process dies before the new one is active', async () => {
    const [old, latest] = [await activate('old'), webhookSubscriptions.createToken()];
    const { set } = storage;
    vi.spyOn(storage, 'set').mockImplementation(async (key, ...more) => {
      if (key.startsWith('webhook-subscription:')) throw new Error('the process ended');
      await set(key, ...more);
    });
    await expect(webhookSubscriptions.activate(latest, ACCOUNT, 'new')).rejects.toThrow();
    expect(await find(old)).toEqual({ account: ACCOUNT, secrets: ['old'] });
    expect(await find(latest)).toBeUndefined();
  });

  test.each([0, 1, 2, 3, 4, 5, 6, 7])(
    'has a working token whenever it is active, also if a process dies after %d storage calls',
    async (calls) => {
      const dying = () => openSubscriptions(killedAfter(calls, storage).storage);
      const [old, latest] = [await activate('old'), webhookSubscriptions.createToken()];
      await dying()
        .activate(latest, ACCOUNT, SECRET)
        .catch(() => undefined);
      const isReplaced = (await find(latest)) !== undefined;
      clock.now += HOUR_MS;
      expect((await find(old)) === undefined).toBe(isReplaced);
      await dying()
        .deactivate(ACCOUNT)
        .catch(() => undefined);
      const tokens = [await find(old), await find(latest)];
      expect(await isActive()).toBe(tokens.some((token) => token !== undefined));
      await webhookSubscriptions.deactivate(ACCOUNT);
      const first = webhookSubscriptions.createToken();
      await dying()
        .activate(first, ACCOUNT, SECRET)
        .catch(() => undefined);
      expect(await isActive()).toBe((await find(first)) !== undefined);
    },
  );

  test('has all secrets sealed by the newest key after a rotation', async () => {
    const [older, newer] = [randomBytes(32), randomBytes(32)];
    const before = openSubscriptions(storage, older);
    const tokens = [await activate('old', { on: before }), await activate(SECRET, { on: before })];
    const records = signedRecords(storage);
    await rotateRecords({ storage, records }, [webhookRotation(createSeal([newer, older]))]);
    for (const token of tokens)
      expect(await openSubscriptions(storage, newer).find(token)).toMatchObject({ secrets: [SECRET, 'old'] });
  });

  test('has its secret sealed by the newest key when it is used', async () => {
    const [older, newer] = [randomBytes(32), randomBytes(32)];
    const token = await activate(SECRET, { on: openSubscriptions(storage, older) });
    for (const keys of [[newer, older], [newer]])
      expect(await openSubscriptions(storage, ...keys).find(token)).toMatchObject({ secrets: [SECRET] });
  });

  test('counts as missing if any field was tampered with, until it is turned on again', async () => {
    const set = vi.spyOn(storage, 'set');
    const token = await activate();
    for (const [key, text] of [...set.mock.calls]) {
      for (const [path, tampered] of tamperedTexts(text)) {
        await storage.set(key, tampered);
        expect(await find(token), path).toBeUndefined();
        if (!key.startsWith('webhook-token:')) expect(await isActive(), path).toBe(false);
      }
      await storage.set(key, text);
    }
    expect(await find(await activate())).toEqual({ account: ACCOUNT, secrets: [SECRET, SECRET] });
  });
});

describe('the webhook switch', () => {
  const configureWebhook = vi.fn<Rental['configureWebhook']>();
  const profile = vi.fn<Rental['profile']>();
  const webhookUrl = (token: string) => `https://bot.example/events/${token}`;
  const tokenOf = (url = '') => url.slice(webhookUrl('').length);
  /** Returns the outcome of a successful request. */
  const answered = (url: string, secret = SECRET): Outcome<WebhookConfiguration> =>
    accepted({ url, secret: url === '' ? '' : secret, active: url !== '' });
  const switchOn = (on: Storage) =>
    createWebhookSwitch({
      webhookSubscriptions: openSubscriptions(on),
      accountReader: createAccountReader({ rental: { profile } as unknown as Rental }),
      rental: { configureWebhook },
      leases: createLeases({ storage: on }),
    });
  const turnOn = (more: object = {}, on = storage) =>
    switchOn(on).turnOn({
      ...{ account: ACCOUNT, apiKey: API_KEY, webhookUrl, signal: new AbortController().signal },
      ...more,
    });
  const turnOff = (more: object = {}) =>
    switchOn(storage).turnOff({ account: ACCOUNT, apiKey: API_KEY, ...more });
  /** Returns the URLs of all requests. */
  const urls = () => configureWebhook.mock.calls.map(([, { url }]) => url);
  const isFound = async (url?: string) => (await find(tokenOf(url))) !== undefined;

  /** Makes the next request pend until the returned function is called. */
  function hold() {
    let end = () => {};
    configureWebhook.mockImplementationOnce(
      (_key, { url }) =>
        new Promise((resolve) => {
          end = () => resolve(answered(url));
        }),
    );
    return () => end();
  }
  const requested = () => eventually(() => expect(configureWebhook).toHaveBeenCalled());

  function useFakeTimers() {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
  }

  beforeEach(() => {
    configureWebhook.mockReset().mockImplementation(async (_key, { url }) => answered(url));
    profile.mockReset().mockImplementation(async (key) => profileOf('1', key === API_KEY ? ACCOUNT : OTHER));
  });

  test('activates the requested URL with the secret that the service returned', async () => {
    expect(await turnOn()).toEqual({ kind: 'on' });
    expect(configureWebhook.mock.calls).toEqual([
      [API_KEY, { url: expect.stringMatching(/^https:\/\/bot\.example\/events\/[\w-]{43}$/) }],
    ]);
    expect(await find(tokenOf(urls()[0]))).toEqual({ account: ACCOUNT, secrets: [SECRET] });
  });

  test('requests nothing with a key that opens another account', async () => {
    await turnOn();
    profile.mockResolvedValue(profileOf('1', ACCOUNT + 1));
    expect(await turnOn()).toEqual({ kind: 'other-account' });
    expect(await turnOff()).toEqual({ kind: 'possibly-on', failure: { kind: 'other-account' } });
    expect(configureWebhook).toHaveBeenCalledOnce();
    expect(await isActive()).toBe(false);
  });

  test.each(['', '0123456789abcde'])(
    'deactivates all tokens if the service returns the weak secret “%s”',
    async (secret) => {
      await turnOn();
      configureWebhook.mockImplementation(async (_key, { url }) => answered(url, secret));
      expect(await turnOn()).toEqual({ kind: 'weak' });
      expect(await isActive()).toBe(false);
      for (const url of urls()) expect(await isFound(url)).toBe(false);
    },
  );

  test.each([
    [rejected(422, 'HTTP_422'), { kind: 'refused', reason: 'no' }],
    [OFFLINE, { kind: 'refused', reason: 'no connection' }],
    [CUT, { kind: 'unclear' }],
  ])('after %j activates no new token and keeps the previous one', async (outcome, turned) => {
    configureWebhook.mockResolvedValueOnce(outcome);
    expect(await turnOn()).toEqual(turned);
    expect(await isActive()).toBe(false);
    await turnOn();
    configureWebhook.mockResolvedValueOnce(outcome);
    expect(await turnOn()).toEqual(turned);
    expect([await isFound(urls()[1]), await isFound(urls()[2])]).toEqual([true, false]);
  });

  test('activates nothing if the update is aborted during the request', async () => {
    const abort = new AbortController();
    const end = hold();
    const turned = turnOn({ signal: abort.signal });
    await requested();
    abort.abort();
    end();
    expect(await turned).toEqual({ kind: 'unclear' });
    expect(await isActive()).toBe(false);
  });

  test('sends no second request with `onlyIfOff`, also for concurrent callers', async () => {
    const end = hold();
    const first = turnOn({ onlyIfOff: true });
    await requested();
    expect(await turnOn({ onlyIfOff: true })).toEqual({ kind: 'busy' });
    end();
    expect(await first).toEqual({ kind: 'on' });
    expect(await turnOn({ onlyIfOff: true })).toEqual({ kind: 'already-on' });
    expect(urls()).toHaveLength(1);
    expect(await turnOn()).toEqual({ kind: 'on' });
  });

  test('rejects while the storage is unavailable and does not block the next attempt', async () => {
    const away = failing(storage, ({ key }) => key.startsWith('webhook-token'));
    await expect(turnOn({}, away)).rejects.toThrow();
    expect(await isActive()).toBe(false);
    expect(await turnOn()).toEqual({ kind: 'on' });
  });

  test('leaves URL and secret of the same request after concurrent changes', async () => {
    configureWebhook.mockImplementation(async (_key, { url }) => {
      await new Promise(setImmediate);
      return answered(url, `the secret of ${url}`);
    });
    const turned = await Promise.all(Array.from({ length: 10 }, () => turnOn()));
    expect(turned.map(({ kind }) => kind).sort()).toEqual([...Array(9).fill('busy'), 'on']);
    const url = urls().at(-1) ?? '';
    expect((await find(tokenOf(url)))?.secrets[0]).toBe(`the secret of ${url}`);
  });

  test('does not block another account', async () => {
    const end = hold();
    const first = turnOn();
    await requested();
    expect(await turnOn({ account: OTHER, apiKey: 'another-key' })).toEqual({ kind: 'on' });
    end();
    expect(await first).toEqual({ kind: 'on' });
  });

  test('rejects changes until a timed-out request ends, which then activates nothing', async () => {
    useFakeTimers();
    const end = hold();
    const first = turnOn();
    await vi.advanceTimersByTimeAsync(6_000);
    expect(await first).toEqual({ kind: 'unclear' });
    expect([await turnOn(), await turnOff()]).toEqual([{ kind: 'busy' }, { kind: 'busy' }]);
    end();
    await vi.advanceTimersByTimeAsync(1);
    expect(await isActive()).toBe(false);
    expect(await turnOn()).toEqual({ kind: 'on' });
  });

  test('requests the service to remove the URL, then deactivates all tokens', async () => {
    await turnOn();
    await turnOn();
    let wasActive = false;
    configureWebhook.mockImplementation(async (_key, { url }) => {
      wasActive = await isActive();
      return answered(url);
    });
    expect(await turnOff()).toEqual({ kind: 'off' });
    expect(wasActive).toBe(true);
    expect(urls().at(-1)).toBe('');
    for (const url of urls()) expect(await isFound(url)).toBe(false);
  });

  test.each([
    [rejected(500, 'HTTP_500'), { kind: 'refused', reason: 'no' }],
    [OFFLINE, { kind: 'refused', reason: 'no connection' }],
    [CUT, { kind: 'unclear' }],
    [accepted({ url: 'https://bot.example', secret: SECRET, active: true }), { kind: 'unclear' }],
  ])('is possibly on after %j, and its tokens are deactivated', async (outcome, failure) => {
    await turnOn();
    configureWebhook.mockResolvedValueOnce(outcome);
    expect(await turnOff()).toEqual({ kind: 'possibly-on', failure });
    expect(await isActive()).toBe(false);
  });

  test('sends no request to turn off events that are off', async () => {
    expect(await turnOff()).toEqual({ kind: 'already-off' });
    expect(configureWebhook).not.toHaveBeenCalled();
  });

  test.each([
    [undefined, 6_000],
    [2_000, 2_000],
  ])('stops waiting for a hanging service with the time limit %s', async (timeoutMs, waited) => {
    await turnOn();
    useFakeTimers();
    const end = hold();
    let turned: unknown;
    void turnOff({ timeoutMs }).then((result) => {
      turned = result;
    });
    await vi.advanceTimersByTimeAsync(waited - 1);
    expect(turned).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(turned).toEqual({ kind: 'possibly-on', failure: { kind: 'unclear' } });
    expect(await isActive()).toBe(false);
    end();
  });
});
