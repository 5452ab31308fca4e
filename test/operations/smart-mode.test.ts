import { describe, expect, test } from 'vitest';
import type { SmartModeSubscription } from '../../src/rental-api/schemas.ts';
import {
  CARD,
  failing,
  type OperationsSetup,
  SMART_MODE,
  setUpOperations,
  USER,
} from './operations-setup.ts';
import { ACCOUNT, ADDRESS, accepted, CUT, rejected, subscription } from './rental-stand-in.ts';

const MINUTE = 60_000;
const PAUSE = { kind: 'smart-mode', action: 'pause', address: ADDRESS, subscription: 12 };
const END = { ...PAUSE, action: 'end' };

/**
 * Opens operations with a simulated list of subscriptions. `lose` makes later responses get lost, with or without the
 * change.
 */
function openListed(...listed: SmartModeSubscription[]) {
  const setup = setUpOperations();
  const { rental } = setup;
  let answers = true;
  let isDone = true;
  rental.subscriptions.mockImplementation(async () =>
    accepted(listed.filter(({ status }) => status !== 'deactivated')),
  );
  const answer = <T>(value: T) => (answers ? accepted(value) : CUT);
  const set = (id: number, status: string) => {
    const found = listed.find((one) => one.id === id);
    if (found && isDone) found.status = status;
    return found;
  };
  rental.toggleSubscription.mockImplementation(async (_key, { subscription_id: id }) => {
    const status = listed.find((one) => one.id === id)?.status;
    return answer({ ...subscription({ id }), ...set(id, status === 'active' ? 'paused' : 'active') });
  });
  rental.deactivateSubscription.mockImplementation(async (_key, { subscription_id: id }) => {
    set(id, 'deactivated');
    return answer({ id, address: ADDRESS, status: 'deactivated' });
  });
  rental.activateSmartMode.mockImplementation(async (_key, { address }) => {
    const made = subscription({ id: 40, address, subscription_fee_trx: '1.5', transfer_fee_trx: '2.8' });
    if (isDone) listed.push(made);
    return answer(made);
  });
  return {
    ...setup,
    listed,
    lose(how: 'executed' | 'not executed'): void {
      answers = false;
      isDone = how === 'executed';
    },
    /** Applies a requested change late. */
    executeLate: (id: number, status: string) => {
      isDone = true;
      set(id, status);
    },
  };
}

async function executedResult(setup: Pick<OperationsSetup, 'executed' | 'read'>, request: object, more = {}) {
  const operation = await setup.executed({ request: request as typeof SMART_MODE, ...more });
  return setup.read(operation);
}

describe('a start', () => {
  test('shows the charge and the cost of each transfer', async () => {
    const setup = openListed();
    expect(await executedResult(setup, SMART_MODE)).toMatchObject({
      state: 'done',
      result: { order: 40, price: '1.50', transferFee: '2.80', balanceLeft: '998.50' },
    });
    expect(setup.rental.activateSmartMode.mock.calls).toEqual([
      [expect.any(String), { address: ADDRESS, label: 'Shop', bw_guarantee: true }],
    ]);
  });

  test.each([false, undefined])('has no BW Guarantee unless it was chosen: %s', async (guarantee) => {
    const setup = openListed();
    await executedResult(setup, { ...SMART_MODE, guarantee });
    expect(setup.rental.activateSmartMode.mock.calls[0]?.[1]).toMatchObject({ bw_guarantee: false });
  });

  test('is refused before the request if the address has a subscription', async () => {
    const setup = openListed(subscription());
    expect(await executedResult(setup, SMART_MODE)).toMatchObject({
      state: 'refused',
      refusal: { reason: 'listed' },
    });
    expect(setup.rental.activateSmartMode).not.toHaveBeenCalled();
  });

  test('is settled by a new subscription on the list after a lost response', async () => {
    const setup = openListed(subscription({ id: 3, address: 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4' }));
    setup.lose('executed');
    const operation = await executedResult(setup, SMART_MODE);
    expect(operation).toMatchObject({ state: 'unknown', attempt: { listedBefore: [3] } });
    await setup.pass(15_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { order: 40 } });
    expect(setup.rental.activateSmartMode).toHaveBeenCalledOnce();
  });

  test('releases the lock if a search settles it after an interrupted one', async () => {
    const setup = openListed();
    setup.lose('executed');
    const operation = await executedResult(setup, SMART_MODE);
    const away = failing(
      setup.storage,
      ({ method, key }) => method === 'replace' && key.startsWith('operation:'),
    );
    const { settlement } = setup.replica(away);
    const found = { kind: 'strong', result: { order: 40 } } as const;
    await expect(settlement.conclude(await setup.stored(operation), found, false)).rejects.toThrow('is away');
    await setup.pass(15_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { order: 40 } });
    await executedResult(setup, { ...PAUSE, subscription: 40 }, { user: USER + 1 });
    expect(setup.rental.toggleSubscription).toHaveBeenCalledOnce();
  });
});

describe('a change of a subscription', () => {
  test('is requested once and shows its result', async () => {
    const setup = openListed(subscription());
    expect(await executedResult(setup, PAUSE)).toMatchObject({ state: 'done', result: { status: 'paused' } });
    expect(await executedResult(setup, { ...PAUSE, action: 'resume' })).toMatchObject({ state: 'done' });
    expect(await executedResult(setup, END)).toMatchObject({
      state: 'done',
      result: { status: 'deactivated' },
    });
    expect(setup.rental.toggleSubscription).toHaveBeenCalledTimes(2);
    expect(setup.rental.deactivateSubscription).toHaveBeenCalledOnce();
  });

  test('is refused without a toggle if the state is already reached', async () => {
    const setup = openListed(subscription({ status: 'paused' }));
    expect(await executedResult(setup, PAUSE)).toMatchObject({ refusal: { reason: 'unchanged' } });
    expect(setup.rental.toggleSubscription).not.toHaveBeenCalled();
  });

  test.each([
    [PAUSE, 'gone'],
    [END, 'unchanged'],
  ])('is refused if the subscription is gone: %j', async (request, reason) => {
    const setup = openListed();
    expect(await executedResult(setup, request)).toMatchObject({ refusal: { reason } });
  });

  test.each([
    [PAUSE, 'paused'],
    [{ ...PAUSE, action: 'resume' }, 'active'],
    [END, 'deactivated'],
  ])('is settled by the requested state after a lost response: %j', async (request, status) => {
    const setup = openListed(subscription({ status: request.action === 'resume' ? 'paused' : 'active' }));
    setup.lose('executed');
    const operation = await executedResult(setup, request);
    expect(operation).toMatchObject({ state: 'unknown' });
    await setup.pass(15_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { status } });
  });

  test('is settled by a late execution after a lost response, and not repeated', async () => {
    const setup = openListed(subscription());
    setup.lose('not executed');
    const operation = await executedResult(setup, PAUSE);
    await setup.pass(2 * MINUTE);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown' });
    setup.executeLate(12, 'paused');
    await setup.pass(2 * MINUTE);
    expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { status: 'paused' } });
    expect(setup.rental.toggleSubscription).toHaveBeenCalledOnce();
  });

  test('is locked for ten minutes after an unknown outcome, for all users of the account', async () => {
    const setup = openListed(subscription());
    setup.lose('not executed');
    await executedResult(setup, PAUSE);
    for (const user of [USER, USER + 1]) {
      expect(await executedResult(setup, END, { user })).toMatchObject({ refusal: { reason: 'locked' } });
    }
    setup.clock.now += 10 * MINUTE;
    await executedResult(setup, END, { user: USER + 1 });
    expect(setup.rental.deactivateSubscription).toHaveBeenCalledOnce();
  });

  test('releases the lock when its user closes the unknown outcome', async () => {
    const setup = openListed(subscription());
    setup.lose('not executed');
    await setup.operations.settlement.close(await executedResult(setup, PAUSE));
    await executedResult(setup, END, { user: USER + 1 });
    expect(setup.rental.deactivateSubscription).toHaveBeenCalledOnce();
  });

  test('releases the lock after a rejection by the service', async () => {
    const setup = openListed(subscription());
    setup.rental.toggleSubscription.mockResolvedValueOnce(rejected(404, 'NOT_FOUND'));
    expect(await executedResult(setup, PAUSE)).toMatchObject({ state: 'refused' });
    expect(await executedResult(setup, PAUSE)).toMatchObject({ state: 'done' });
  });

  test('shows a result other than the requested one and does not correct it', async () => {
    const setup = openListed(subscription());
    setup.rental.toggleSubscription.mockResolvedValueOnce(accepted(subscription({ status: 'active' })));
    expect(await executedResult(setup, PAUSE)).toMatchObject({ state: 'done', result: { status: 'active' } });
    await setup.pass(MINUTE);
    expect(setup.rental.toggleSubscription).toHaveBeenCalledOnce();
  });

  test('is unknown if the response is about another subscription', async () => {
    const setup = openListed(subscription());
    setup.rental.toggleSubscription.mockResolvedValueOnce(
      accepted(subscription({ id: 13, status: 'paused' })),
    );
    expect(await executedResult(setup, PAUSE)).toMatchObject({ state: 'unknown' });
  });
});

describe('a change that its button confirms', () => {
  test('is claimed once if two replicas handle the tap at the same time', async () => {
    const setup = openListed(subscription());
    const asked = { update: 77, user: USER, account: ACCOUNT, language: 'en', request: PAUSE } as const;
    const claims = await Promise.all(
      [setup.operations, setup.replica()].map(async ({ drafts, decisions }) => {
        const decision = await decisions.confirmAtOnce(await drafts.draft(asked), CARD);
        if (decision.kind !== 'claim') throw new Error(decision.kind);
        return decision.claim;
      }),
    );
    const { chats } = setup.storage;
    const results: string[] = [];
    for (const [at, claim] of claims.entries()) {
      const update = { chat: USER, update: 100 + at, token: `token ${at}` };
      await chats.begin({ ...update, leaseMs: 0 });
      results.push(await chats.commit({ ...update, changes: { claim } }));
    }
    expect(results).toEqual(['committed', 'conflict']);
  });

  test('is not decided again once it is claimed', async () => {
    const setup = openListed(subscription());
    const operation = await setup.claimed({ request: PAUSE as typeof SMART_MODE & typeof PAUSE });
    expect(await setup.operations.decisions.confirmAtOnce(operation, CARD)).toMatchObject({
      kind: 'in-progress',
    });
  });

  test.each([SMART_MODE, END])(
    'needs a card if it costs something or cannot be undone: %j',
    async (request) => {
      const setup = openListed(subscription());
      const draft = await setup.draft({ request: request as typeof SMART_MODE });
      await expect(setup.operations.decisions.confirmAtOnce(draft, CARD)).rejects.toThrow(RangeError);
    },
  );
});
