import { expect, test } from 'vitest';
import type { Show } from '../../src/operations/receipt.ts';
import { eventually } from '../support/eventually.ts';
import { CARD, FILLED, openRoom, type Room, SHOWN } from './operations-setup.ts';
import { ACCOUNT } from './rental-stand-in.ts';

const NEWS = 88;

/** Opens a purchase whose order was filled after its outcome was shown. No follow-up has been sent yet. */
async function openFilled(): Promise<Room & { operation: Awaited<ReturnType<Room['claimed']>> }> {
  const room = openRoom();
  const operation = await room.claimed();
  await room.advance(operation);
  room.show.mockResolvedValue({ kind: 'later', afterMs: 1_000 });
  await room.operations.settlement.report(ACCOUNT, FILLED);
  return { ...room, operation };
}

/** Returns a `Show` that records edits and sends, and calls `send` for each reply. */
function showing(send: () => Promise<Awaited<ReturnType<Show>>>) {
  const sent: string[] = [];
  const edited: string[] = [];
  const show: Show = async ({ result, news }, may) => {
    if (may === 'edit' && news === undefined) {
      edited.push(String(result?.status));
      return { kind: 'unplaced' };
    }
    sent.push(String(result?.status));
    return send();
  };
  return { show, sent, edited };
}

test('sends a follow-up at most twice if processes die, then edits only the receipt', async () => {
  const room = await openFilled();
  const { show, sent, edited } = showing(() => new Promise(() => undefined));
  for (const times of [1, 2]) {
    void room.replica(room.storage, show).reconciler.advance(room.operation);
    await eventually(() => expect(sent).toHaveLength(times));
    // Longer than the lease of a dead process.
    room.clock.now += 20_000;
  }
  await room.replica(room.storage, show).reconciler.advance(room.operation);
  expect(sent).toEqual(['filled', 'filled']);
  expect(edited.at(-1)).toBe('filled');
  const { notified, revision } = await room.read(room.operation);
  expect(notified).toBe(revision);
});

test('keeps retrying a follow-up that was not sent', async () => {
  const room = await openFilled();
  let tries = 0;
  const { show, sent } = showing(async () =>
    ++tries < 6 ? { kind: 'later', afterMs: 1_000 } : { ...SHOWN, card: CARD, news: NEWS },
  );
  const own = room.replica(room.storage, show);
  await room.pass(60_000, own.reconciler);
  expect(sent).toHaveLength(6);
  expect(await room.read(room.operation)).toMatchObject({ news: NEWS, late: false });
});

test("sends a follow-up at most twice if Telegram's result is unclear", async () => {
  const room = await openFilled();
  const { show, sent } = showing(async () => ({ kind: 'later', afterMs: 1_000, isUnclear: true }));
  const own = room.replica(room.storage, show);
  await room.pass(60_000, own.reconciler);
  expect(sent).toHaveLength(2);
  const { notified, revision } = await room.read(room.operation);
  expect(notified).toBe(revision);
});
