import { expect } from 'vitest';
import { serviceActions } from '../support/account-api.ts';
import { eventually } from '../support/eventually.ts';
import { journey as it } from '../support/journey.ts';
import { linkWithEvents } from '../support/steps.ts';

it('notifies of a credited deposit once, even if the deposits are read again', async (person, world) => {
  await linkWithEvents(person);
  await serviceActions(world).deposit('100');
  await person.reads('100.00 TRX credited');
  const reads = world.countRequests('GET /account/deposits');
  await world.advance(3600);
  await eventually(() => expect(world.countRequests('GET /account/deposits')).toBeGreaterThan(reads));
  expect(await world.countCallsWithText('TRX</b> credited')).toBe(1);
});
