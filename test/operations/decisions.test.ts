import { expect, test } from 'vitest';
import { CARD, openOn, openRoom } from './room.ts';

test('who taps on and on does not put off that an orphan is found, and told', async () => {
  const room = openRoom();
  const operation = await room.claimed();
  // Its process died as soon as the claim stood.
  for (let seconds = 0; seconds < 6; seconds++) {
    await room.operations.decisions.confirm(operation, CARD, openOn(operation));
    await room.pass(1_000);
  }
  expect(await room.read(operation)).toMatchObject({ state: 'done' });
  expect(room.rental.buyEnergy).toHaveBeenCalledOnce();
});
