import { expect, test } from 'vitest';
import { inWorld } from '../support/world.ts';

test('serves invoice pages only if the bot has a public URL', async () => {
  const found = async (push: boolean) => {
    let answer = '';
    await inWorld({ push }, async ({ origin }) => {
      answer = await (await fetch(`${origin}/i/nothing`)).text();
    });
    return answer.includes('This link leads to no invoice');
  };
  expect([await found(true), await found(false)]).toEqual([true, false]);
});
