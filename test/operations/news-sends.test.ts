import { expect, test } from 'vitest';
import type { Show } from '../../src/operations/receipt.ts';
import { eventually } from '../support/eventually.ts';
import { CARD, FILLED, type OperationsSetup, SHOWN, setUpOperations } from './operations-setup.ts';
import { ACCOUNT } from './rental-stand-in.ts';

const NEWS = 88;

/** Opens a purchase whose order was filled after its outcome was shown. No follow-up has been sent yet. */
async function openFilled(): Promise<
  OperationsSetup & { operation: Awaited<ReturnType<OperationsSetup['claimed']>> }
> {
  const setup = setUpOperations();
  const operation = await setup.claimed();
  await setup.advance(operation);
  setup.show.mockResolvedValue({ kind: 'later', afterMs: 1_000 });
  await setup.operations.settlement.report(ACCOUNT, FILLED);
  return { ...setup, operation };
}

/** Returns a `Show` that records edits and sends, and calls `send` for each reply. */
function showing(send: () => Promise<Awaited<ReturnType<Show>>>) {
  const sent: string[] = [];
  const edited: string[] = [];
  const show: Show = async ({ result, followUp }, may) => {
    if (may === 'edit' && followUp === undefined) {
      edited.push(String(result?.status));
      return { kind: 'unplaced' };
    }
    sent.push(String(result?.status));
    return send();
  };
  return { show, sent, edited };
}

test('sends a follow-up at most twice if processes die, then edits only the receipt', async () => {
  const setup = await openFilled();
  const { show, sent, edited } = showing(() => new Promise(() => undefined));
  for (const times of [1, 2]) {
    void setup.replica(setup.storage, show).reconciler.advance(setup.operation);
    await eventually(() => expect(sent).toHaveLength(times));
    // Longer than the lease of a dead process.
    setup.clock.now += 20_000;
  }
  await setup.replica(setup.storage, show).reconciler.advance(setup.operation);
  expect(sent).toEqual(['filled', 'filled']);
  expect(edited.at(-1)).toBe('filled');
  const { notified, revision } = await setup.read(setup.operation);
  expect(notified).toBe(revision);
});

test('keeps retrying a follow-up that was not sent', async () => {
  const setup = await openFilled();
  let tries = 0;
  const { show, sent } = showing(async () =>
    ++tries < 6 ? { kind: 'later', afterMs: 1_000 } : { ...SHOWN, card: CARD, followUp: NEWS },
  );
  const own = setup.replica(setup.storage, show);
  await setup.pass(60_000, own.reconciler);
  expect(sent).toHaveLength(6);
  expect(await setup.read(setup.operation)).toMatchObject({ followUp: NEWS, late: false });
});

test("sends a follow-up at most twice if Telegram's result is unclear", async () => {
  const setup = await openFilled();
  const { show, sent } = showing(async () => ({ kind: 'later', afterMs: 1_000, isUnclear: true }));
  const own = setup.replica(setup.storage, show);
  await setup.pass(60_000, own.reconciler);
  expect(sent).toHaveLength(2);
  const { notified, revision } = await setup.read(setup.operation);
  expect(notified).toBe(revision);
});
