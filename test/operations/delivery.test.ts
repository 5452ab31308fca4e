import { afterEach, describe, expect, test, vi } from 'vitest';
import { accepted, logged, OFFLINE, ORDER } from './rental-stand-in.ts';
import { openRoom, START } from './room.ts';

afterEach(() => void vi.useRealTimers());

describe('a delivery', () => {
  test('whose event never came is found in the logs of an account that is reported', async () => {
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

  test('that failed is found there too', async () => {
    const room = openRoom();
    room.reported.mockResolvedValue(true);
    const operation = await room.claimed();
    await room.advance(operation);
    room.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, START, { type: 'order.failed' })]));
    await room.pass(40_000);
    expect(await room.read(operation)).toMatchObject({ result: { status: 'failed' } });
  });

  test('of an account that is not reported is not waited for', async () => {
    const room = openRoom();
    await room.advance(await room.claimed());
    await room.pass(3_600_000);
    expect(room.rental.webhookLogs).not.toHaveBeenCalled();
  });

  test('is asked for again after the service was away', async () => {
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
