import { describe, expect, test } from 'vitest';
import type { Operation } from '../../../src/operations/operation.ts';
import { USER } from '../../operations/operations-setup.ts';
import {
  ADDRESS,
  accepted,
  CUT,
  profileOf,
  rejected,
  subscription,
} from '../../operations/rental-stand-in.ts';
import { withPlainSpaces } from '../../support/plain-spaces.ts';
import { keysTagged } from '../../support/tagged.ts';
import { type Chat, OPERATOR_ACCOUNT, openChat } from '../chat.ts';

const PAUSE = 'smart-mode:pause:12';
const MINUTE_MS = 60_000;

/** Opens the list of a subscription whose status the stand-in of the service toggles. */
async function openList(options: Parameters<typeof openChat>[1] = {}) {
  const chat = await openChat('en', options);
  const { rental } = chat.setup;
  let { status } = subscription();
  rental.subscriptions.mockImplementation(async () => accepted([subscription({ status })]));
  const toggle = async () => {
    status = status === 'active' ? 'paused' : 'active';
    return accepted(subscription({ status }));
  };
  rental.toggleSubscription.mockImplementation(toggle);
  await chat.write('/smart');
  return {
    ...chat,
    /** The next request is executed or not, and its reply is lost. */
    loseReply(isExecuted: boolean): void {
      rental.toggleSubscription.mockImplementationOnce(async () => {
        if (isExecuted) await toggle();
        return CUT;
      });
    },
    toggled: () => rental.toggleSubscription.mock.calls.length,
  };
}

/** Returns the user's confirmed operations, latest first. */
async function operationsOf({ setup }: Pick<Chat, 'setup'>): Promise<Operation[]> {
  const keys = await keysTagged(setup.storage, USER);
  const ids = keys.flatMap((key) => /^operation:\{\d+\}:(\w+)$/.exec(key)?.[1] ?? []);
  return Promise.all(ids.map((id) => setup.read({ user: USER, id })));
}

/** Executes all claims that were committed. */
async function execute(chat: Pick<Chat, 'setup'>): Promise<Operation[]> {
  for (const operation of await operationsOf(chat)) {
    if (operation.state === 'claimed') await chat.setup.advance(operation);
  }
  return operationsOf(chat);
}

test('the receipt of a pause leads to the list, which resumes in one tap', async () => {
  const chat = await openList();
  await chat.tapShown(PAUSE);
  const [paused = expect.fail('nothing was paused')] = await execute(chat);
  const { keyboard } = await chat.deps.card(chat.words, paused);
  expect(JSON.stringify(keyboard)).not.toContain('resume');
  expect(JSON.stringify(keyboard)).toContain('smart-mode:open');
  chat.setup.rental.subscriptions.mockResolvedValue(accepted([subscription({ status: 'paused' })]));
  await chat.tap('smart-mode:open');
  await chat.tapShown('smart-mode:resume:12');
  await execute(chat);
  expect(chat.setup.show.mock.lastCall?.[0].request).toMatchObject({ action: 'resume', subscription: 12 });
});

test.each([
  [
    'en',
    '0.20',
    'Your balance is low: 0.20 TRX.</b> At the next fee of 1.50 TRX the service pauses Smart Mode again.',
  ],
  [
    'en',
    '2.00',
    'Your balance is low: 2.00 TRX.</b> At the next fee of 2.80 TRX the service pauses Smart Mode again.',
  ],
  [
    'ru',
    '0.20',
    'Мало на балансе: 0,20 TRX.</b> При следующем списании 1,50 TRX сервис снова приостановит Smart Mode.',
  ],
  ['en', '5.00', undefined],
] as const)('resuming warns in %s with %s TRX of the next fee, and offers a deposit', async (...given) => {
  const [language, balance, warning] = given;
  const chat = await openList();
  const words = chat.deps.texts.in(language);
  const day = '2025-05-31';
  const own = { daily: { trx: '1.50', day }, guaranteedTransfer: { trx: '2.80', day } };
  chat.setup.operations.fees.recall = async () => ({ own, ofAnyAccount: {} });
  await chat.tapShown(PAUSE);
  await execute(chat);
  chat.setProfile(balance);
  await chat.write('/smart');
  await chat.tapShown('smart-mode:resume:12');
  await execute(chat);
  const [resumed] = chat.setup.show.mock.lastCall ?? expect.fail('nothing was shown');
  const { html, keyboard } = await chat.deps.card(words, resumed);
  expect(html).toContain(words.html('smart-mode-is-resume'));
  if (warning) expect(withPlainSpaces(html)).toContain(warning);
  else expect(html).not.toContain('⚠️');
  expect(JSON.stringify(keyboard).includes('deposit:open')).toBe(warning !== undefined);
});

test('a refused Resume names what the balance lacks of the known daily fee', async () => {
  const chat = await openList();
  const own = { daily: { trx: '1.50', day: '2025-05-31' } };
  chat.setup.operations.fees.recall = async () => ({ own, ofAnyAccount: {} });
  await chat.tapShown(PAUSE);
  await execute(chat);
  chat.setProfile('1.00');
  await chat.write('/smart');
  await chat.tapShown('smart-mode:resume:12');
  chat.setup.rental.toggleSubscription.mockResolvedValue(rejected(409, 'INSUFFICIENT_BALANCE'));
  await execute(chat);
  const [refused] = chat.setup.show.mock.lastCall ?? expect.fail('nothing was shown');
  const { html } = await chat.deps.card(chat.words, refused);
  expect(withPlainSpaces(html)).toContain('too low: <b>1.00 TRX</b>, about <b>0.50 TRX</b> is missing.');
});

describe('an old button for what is so already', () => {
  test.each([
    ['smart-mode:resume:12', 'active', 'Smart Mode is already on.'],
    [PAUSE, 'paused', 'Smart Mode is already paused.'],
  ] as const)('shows the list with the present status: %s', async (button, status, toast) => {
    const chat = await openList();
    chat.setup.rental.subscriptions.mockResolvedValue(accepted([subscription({ status })]));
    await chat.tapShown(button);
    expect(chat.toast()).toBe(toast);
    chat.shows(chat.words.html('smart-mode-list'), status === 'active' ? '▶️ <b>active</b>' : 'paused');
    expect(await operationsOf(chat)).toEqual([]);
  });

  test.each([
    [PAUSE, 'paused', 'Smart Mode is already paused.'],
    ['smart-mode:end:12', undefined, 'Smart Mode has already ended.'],
  ] as const)('is no failure if that changes after the tap: %s', async (button, status, text) => {
    const chat = await openList();
    await chat.tapShown(button);
    if (status === undefined) await chat.tapShown(chat.dataWith('operation:confirm'));
    const left = status === undefined ? [] : [subscription({ status })];
    chat.setup.rental.subscriptions.mockResolvedValue(accepted(left));
    await execute(chat);
    const [refused] = chat.setup.show.mock.lastCall ?? expect.fail('nothing was shown');
    const { html } = await chat.deps.card(chat.words, refused);
    expect(html).toContain(`ℹ️ <b>${text}</b> Nothing was changed.`);
    expect(html).not.toMatch(/Not done|Already set|Ref\./);
  });
});

test('the list says whether the user or the service has paused a subscription', async () => {
  const chat = await openList();
  await chat.tapShown(PAUSE);
  await execute(chat);
  await chat.expectReply('/smart', '⏸ <b>paused</b> ·');
  const { rental } = chat.setup;
  rental.subscriptions.mockResolvedValue(accepted([subscription({ id: 13, status: 'paused' })]));
  await chat.expectReply('/smart', '⏸ <b>paused, probably by the service:</b>');
});

test('the list shows an ended subscription with what it was charged', async () => {
  const chat = await openList();
  await chat.tapShown('smart-mode:end:12');
  await chat.tapShown(chat.dataWith('confirm'));
  const { rental } = chat.setup;
  rental.deactivateSubscription.mockImplementation(async () =>
    accepted({ id: 12, address: ADDRESS, status: 'deactivated', message: '' }),
  );
  await execute(chat);
  rental.subscriptions.mockResolvedValue(accepted([]));
  await chat.expectReply(
    '/smart',
    'No active addresses.',
    '⏹ <b>ended</b> 1 Jun, ',
    ADDRESS,
    'Charged so far',
  );
});

describe('a tap on Pause', () => {
  test('pauses without a card, and the list becomes the receipt', async () => {
    const chat = await openList();
    const list = chat.lastMessage();
    await chat.tapShown(PAUSE);
    expect(chat.allHtml()).not.toContain('Review and confirm');
    const [claimed] = await operationsOf(chat);
    const request = { action: 'pause', subscription: 12, address: ADDRESS };
    expect(claimed).toMatchObject({ state: 'claimed', receipt: { card: list }, request });
    expect(await execute(chat)).toMatchObject([{ state: 'done', result: { status: 'paused' } }]);
    expect(chat.setup.rental.toggleSubscription.mock.calls[0]?.[1]).toEqual({ subscription_id: 12 });
    await chat.write('/smart');
    const known = { daily: { trx: '1.50', day: '2025-05-31' } };
    chat.setup.operations.fees.recall = async () => ({ own: known, ofAnyAccount: {} });
    await chat.write('/smart');
    chat.shows("⚠️ Resuming may charge today's fee: 1.50 TRX.");
    await chat.tapShown('smart-mode:resume:12');
    expect((await execute(chat)).map(({ state }) => state)).toEqual(['done', 'done']);
    expect(chat.toggled()).toBe(2);
    const [resumed] = chat.setup.show.mock.lastCall ?? expect.fail('nothing was shown');
    const { html } = await chat.deps.card(chat.words, resumed);
    expect(html).toMatch(/is on again<\/b>[\s\S]*Daily fee: <b>1.50 TRX<\/b> when last charged, 31 May/);
    expect(html).toContain('Per transfer, bandwidth included: <b>not known yet</b>');
    expect(html).toContain('compare your balance with the one before, <b>1,000.00 TRX</b>');
  });

  test('makes one request however often the button is tapped', async () => {
    const chat = await openList();
    const data = chat.dataOf(PAUSE) ?? '';
    for (let times = 0; times < 3; times++) await chat.forge(data, { carried: true });
    expect(chat.toast()).toBe(chat.words.plain('toast-button-expired'));
    expect(await execute(chat)).toHaveLength(1);
    expect(chat.toggled()).toBe(1);
  });

  test('makes one request if its update is delivered again, before and after the request', async () => {
    const chat = await openList();
    await chat.tapShown(PAUSE);
    await chat.again();
    await execute(chat);
    await chat.again();
    expect(await execute(chat)).toHaveLength(1);
    expect(chat.toggled()).toBe(1);
  });

  test('makes one request from two lists, and sends a new list for each further tap', async () => {
    const chat = await openList();
    const first = chat.dataOf(PAUSE) ?? '';
    await chat.write('/smart');
    const list = chat.lastMessage();
    await chat.forge(first, { carried: true });
    await chat.tapShown(PAUSE);
    expect(chat.lastMessage()).toBeGreaterThan(list);
    expect(chat.dataOf(PAUSE)).toBeDefined();
    expect(await execute(chat)).toMatchObject([{ state: 'done' }]);
    expect(chat.toggled()).toBe(1);
  });

  test.each([true, false])(
    'never repeats a request whose reply was lost (executed: %s)',
    async (isExecuted) => {
      const chat = await openList();
      chat.loseReply(isExecuted);
      await chat.tapShown(PAUSE);
      expect(await execute(chat)).toMatchObject([{ state: 'unknown' }]);
      await chat.setup.pass(5 * MINUTE_MS);
      expect(await operationsOf(chat)).toMatchObject([{ state: isExecuted ? 'done' : 'unknown' }]);
      expect(chat.toggled()).toBe(1);
    },
  );

  test('needs a card while the outcome of the same request is unknown', async () => {
    const chat = await openList();
    chat.loseReply(false);
    await chat.tapShown(PAUSE);
    const [lost] = await execute(chat);
    await chat.write('/smart');
    await chat.tapShown(PAUSE);
    chat.shows('Review and confirm', 'Possible duplicate', `of Ref. <code>${lost?.id}</code>, whose result`);
    expect(chat.dataWith('confirm')).not.toBe('');
    expect(chat.toggled()).toBe(1);
  });

  test('needs a card if the tapped message does not have the button', async () => {
    const chat = await openList();
    await chat.tap(PAUSE);
    chat.shows('Review and confirm', '⏸ Pause Smart Mode', `For: <code>${ADDRESS}</code>`);
    expect(await operationsOf(chat)).toMatchObject([{ state: 'draft' }]);
  });

  test('does nothing without the token of its button', async () => {
    const chat = await openList();
    await chat.forge(PAUSE, { carried: true });
    expect(chat.toast()).toBe(chat.words.plain('toast-button-expired'));
    expect(await operationsOf(chat)).toEqual([]);
  });

  test('does nothing while the list is too new to have been read, and works afterwards', async () => {
    const chat = await openList({ confirmableAfterMs: undefined });
    chat.setup.clock.now += 699;
    await chat.tapShown(PAUSE);
    expect(chat.toast()).toBe(chat.words.plain('toast-card-new'));
    expect(await operationsOf(chat)).toEqual([]);
    chat.setup.clock.now += 700;
    await chat.tapShown(PAUSE);
    expect(await operationsOf(chat)).toMatchObject([{ state: 'claimed' }]);
  });

  test('does nothing while the bot takes no payments', async () => {
    const chat = await openList();
    chat.deps.paymentsGate.closedNow = async () => ({ by: 'storage', why: 'not durable' });
    await chat.tapShown(PAUSE);
    expect(chat.html()).toBe(chat.words.html('gate-closed'));
    expect(await operationsOf(chat)).toEqual([]);
  });

  test('ends costs during maintenance, as End does, but Resume and Start wait', async () => {
    const chat = await openList();
    await chat.deps.maintenance.turnOn(900);
    await chat.tapShown(PAUSE);
    expect(await execute(chat)).toMatchObject([{ state: 'done', result: { status: 'paused' } }]);
    await chat.write('/smart');
    await chat.tapShown('smart-mode:resume:12');
    expect(chat.html()).toBe(chat.words.html('maintenance'));
    await chat.expectReply('smart-mode:start', chat.words.html('maintenance'));
    await chat.write('/smart');
    await chat.expectReply('smart-mode:end:12', 'It ends for good');
    expect(chat.html()).not.toContain('Maintenance');
    chat.setup.rental.deactivateSubscription.mockResolvedValue(
      accepted(subscription({ status: 'deactivated' })),
    );
    await chat.tapShown(chat.dataWith('operation:confirm'));
    expect((await execute(chat)).map(({ state }) => state)).toEqual(['done', 'done']);
  });
});

test('a tap on Resume is refused on the operator account, without an operation', async () => {
  const chat = await openList({ admins: new Set([USER]) });
  await chat.links.linkOperatorAccount(USER, OPERATOR_ACCOUNT, 'en');
  chat.setup.rental.profile.mockResolvedValue(profileOf('1000.00', OPERATOR_ACCOUNT));
  chat.setup.rental.subscriptions.mockResolvedValue(accepted([subscription({ status: 'paused' })]));
  await chat.tapShown('smart-mode:resume:12');
  expect(chat.html()).toBe(chat.words.html('refusal-operator-ongoing'));
  expect(await operationsOf(chat)).toEqual([]);
});

test.each(['en', 'ru'] as const)(
  'a suspended user can pause and end Smart Mode, and confirm nothing else (%s)',
  async (language) => {
    const chat = await openChat(language);
    const { rental } = chat.setup;
    await chat.write(`/buy ${ADDRESS} 1h`);
    const [purchase, cancelling] = ['operation:confirm', 'operation:cancel'].map((data) =>
      chat.dataWith(data),
    );
    rental.subscriptions.mockResolvedValue(
      accepted([subscription(), subscription({ id: 13, status: 'paused' })]),
    );
    await chat.users.setBanned(USER, true);
    await chat.tapShown(String(purchase));
    expect(chat.toast()).toBe(chat.words.plain('toast-banned'));
    await chat.tapShown(String(cancelling));
    await chat.expectReply('/buy', '/smart');
    for (const text of ['/smart', 'stop smart mode', 'pause smart mode', 'Smart Mode']) {
      await chat.write(text);
      expect(Object.values(chat.buttons()).map((data) => data.slice(0, 19))).toEqual([
        ...['smart-mode:pause:12', 'smart-mode:end:12', 'smart-mode:end:13'],
      ]);
      expect(chat.html()).toContain(chat.words.html('smart-mode-list'));
    }
    await chat.tap('smart-mode:resume:13');
    expect(chat.toast()).toBe(chat.words.plain('toast-banned'));
    await chat.tapShown(chat.dataWith('smart-mode:end:12'));
    await chat.tapShown(chat.dataWith('operation:confirm'));
    await chat.write('/smart');
    await chat.tapShown(chat.dataWith('smart-mode:pause:12'));
    const confirmed = (await operationsOf(chat)).filter(({ state }) => state === 'claimed');
    expect(confirmed.map(({ request }) => request)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'smart-mode', action: 'end' }),
        expect.objectContaining({ kind: 'smart-mode', action: 'pause' }),
      ]),
    );
    expect(confirmed).toHaveLength(2);
  },
);
