import { afterEach, describe, expect, test, vi } from 'vitest';
import { START, setUpOperations } from './operations-setup.ts';
import { accepted, logged, OFFLINE, ORDER } from './rental-stand-in.ts';

const DAY_MS = 24 * 3600_000;

afterEach(() => void vi.useRealTimers());

describe('a delivery', () => {
  test('is found in the logs of an account with events if its event is missing', async () => {
    const setup = setUpOperations();
    setup.reported.mockResolvedValue(true);
    const operation = await setup.claimed();
    await setup.advance(operation);
    setup.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER + 1, START), logged(ORDER, START)]));
    await setup.pass(25_000);
    expect(await setup.read(operation)).toMatchObject({ result: { status: 'pending' } });
    await setup.pass(15_000);
    expect(setup.show).toHaveBeenLastCalledWith(
      expect.objectContaining({ result: expect.objectContaining({ order: ORDER, status: 'filled' }) }),
    );
  });

  test('is found in the logs also if it failed', async () => {
    const setup = setUpOperations();
    setup.reported.mockResolvedValue(true);
    const operation = await setup.claimed();
    await setup.advance(operation);
    setup.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, START, { type: 'order.failed' })]));
    await setup.pass(40_000);
    expect(await setup.read(operation)).toMatchObject({ result: { status: 'failed' } });
  });

  test('is not searched for in an account without events', async () => {
    const setup = setUpOperations();
    await setup.advance(await setup.claimed());
    await setup.pass(3_600_000);
    expect(setup.rental.webhookLogs).not.toHaveBeenCalled();
  });

  test('is searched for one day', async () => {
    const setup = setUpOperations();
    setup.reported.mockResolvedValue(true);
    await setup.advance(await setup.claimed());
    setup.clock.now = START + DAY_MS - 60_000;
    await setup.pass(10_000);
    expect(setup.rental.webhookLogs).toHaveBeenCalled();
    setup.rental.webhookLogs.mockClear();
    setup.clock.now = START + 2 * DAY_MS;
    await setup.pass(10_000);
    expect(setup.rental.webhookLogs).not.toHaveBeenCalled();
    expect(await setup.storage.index.upTo('operations:due', Number.MAX_VALUE, 10)).toEqual([]);
  });

  test('is searched for again after an outage of the service', async () => {
    const setup = setUpOperations();
    setup.reported.mockResolvedValue(true);
    const operation = await setup.claimed();
    await setup.advance(operation);
    setup.rental.webhookLogs.mockResolvedValueOnce(OFFLINE);
    setup.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, START)]));
    await setup.pass(120_000);
    expect(await setup.read(operation)).toMatchObject({ result: { status: 'filled' } });
  });
});
