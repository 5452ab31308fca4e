import { expect, test } from 'vitest';
import { createMessageAttempts } from '../../src/platform/attempts.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';

const MESSAGE = { user: 501, message: 'follow-up 7Q2K' };

/** Returns a function that makes an attempt with this result, or that never gets one. */
function open() {
  const storage = createMemoryStorage();
  return {
    ...createMessageAttempts({ storage }),
    attempt: (result: 'sent' | 'unsent' | 'unclear' | 'crash', message = MESSAGE) =>
      createMessageAttempts({ storage }).send(message, {
        send: async () => (result === 'crash' ? Promise.reject(new Error('killed')) : result),
        wasNotSent: (sent) => sent === 'unsent',
      }),
  };
}

test.each(['crash', 'unclear', 'sent'] as const)(
  'begins no third attempt after two with %s',
  async (result) => {
    const { attempt, reset } = open();
    for (let time = 0; time < 2; time++) await attempt(result).catch(() => undefined);
    expect(await attempt('sent')).toBe('exhausted');
    expect(await attempt('sent', { ...MESSAGE, message: 'follow-up 8R3L' })).toBe('sent');
    expect(await attempt('sent', { ...MESSAGE, user: 502 })).toBe('sent');
    await reset(MESSAGE);
    expect(await attempt('sent')).toBe('sent');
  },
);

test('does not count attempts that certainly sent nothing, and forgets no earlier one because of them', async () => {
  const { attempt } = open();
  await attempt('unclear');
  for (let time = 0; time < 5; time++) expect(await attempt('unsent')).toBe('unsent');
  expect(await attempt('unclear')).toBe('unclear');
  expect(await attempt('unsent')).toBe('exhausted');
});

test('counts an attempt before it begins', async () => {
  const { attempt, send } = open();
  const nested = await send(MESSAGE, { send: () => attempt('sent'), wasNotSent: () => false });
  expect([nested, await attempt('sent')]).toEqual(['sent', 'exhausted']);
});
