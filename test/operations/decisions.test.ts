import { expect, test } from 'vitest';
import { CARD, openOn, openRoom } from './operations-setup.ts';

test('repeated taps do not delay the refusal of a claim whose process died', async () => {
  const room = openRoom();
  const operation = await room.claimed();
  for (let seconds = 0; seconds < 16; seconds++) {
    await room.operations.decisions.confirm(operation, CARD, openOn(operation));
    await room.pass(1_000);
  }
  expect(await room.read(operation)).toMatchObject({ state: 'refused' });
});
