import { expect, test } from 'vitest';
import { CARD, openOn, setUpOperations } from './operations-setup.ts';

test('repeated taps do not delay the refusal of a claim whose process died', async () => {
  const setup = setUpOperations();
  const operation = await setup.claimed();
  for (let seconds = 0; seconds < 16; seconds++) {
    await setup.operations.decisions.confirm(operation, CARD, openOn(operation));
    await setup.pass(1_000);
  }
  expect(await setup.read(operation)).toMatchObject({ state: 'refused' });
});
