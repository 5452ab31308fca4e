import { afterEach, describe, expect, test, vi } from 'vitest';
import { openRoom, START } from './operations-setup.ts';
import { accepted, logged, OFFLINE, ORDER } from './rental-stand-in.ts';

const DAY_MS = 24 * 3600_000;

afterEach(() => void vi.useRealTimers());

describe('a delivery', () => {
  test('is found in the logs of an account with events if its event is missing', async () => {
    const room = openRoom();
    room.reported.mockResolvedValue(true);
    const operation = await room.claimed();
    await room.advance(operation);
    room.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER + 1, START), logged(ORDER, START)]));
    await room.pass(25_000);
    expect(await room.read(operation)).toMatchObject({ result: { status: 'pending' } });
    await room.pass(15_000);
    expect(room.show).toHaveBeenLastCalledWith(
      expect.objectContaining({ result: expect.objectContaining({ order: ORDER, status: 'filled' }) }),
    );
  });

  test('is found in the logs also if it failed', async () => {
    const room = openRoom();
    room.reported.mockResolvedValue(true);
    const operation = await room.claimed();
    await room.advance(operation);
    room.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, START, { type: 'order.failed' })]));
    await room.pass(40_000);
    expect(await room.read(operation)).toMatchObject({ result: { status: 'failed' } });
  });

  test('is not searched for in an account without events', async () => {
    const room = openRoom();
    await room.advance(await room.claimed());
    await room.pass(3_600_000);
    expect(room.rental.webhookLogs).not.toHaveBeenCalled();
  });

  test('is searched for one day', async () => {
    const room = openRoom();
    room.reported.mockResolvedValue(true);
    await room.advance(await room.claimed());
    room.clock.now = START + DAY_MS - 60_000;
    await room.pass(10_000);
    expect(room.rental.webhookLogs).toHaveBeenCalled();
    room.rental.webhookLogs.mockClear();
    room.clock.now = START + 2 * DAY_MS;
    await room.pass(10_000);
    expect(room.rental.webhookLogs).not.toHaveBeenCalled();
    expect(await room.storage.index.upTo('operations:dueIndex', Number.MAX_VALUE, 10)).toEqual([]);
  });

  test('is searched for again after an outage of the service', async () => {
    const room = openRoom();
    room.reported.mockResolvedValue(true);
    const operation = await room.claimed();
    await room.advance(operation);
    room.rental.webhookLogs.mockResolvedValueOnce(OFFLINE);
    room.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, START)]));
    await room.pass(120_000);
    expect(await room.read(operation)).toMatchObject({ result: { status: 'filled' } });
  });
});
