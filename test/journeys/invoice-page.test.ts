import { expect, test } from 'vitest';
import { inWorld } from '../support/world.ts';

test('where the world can reach the bot, invoices have pages; elsewhere there is nothing', async () => {
  const found = async (push: boolean) => {
    let answer = '';
    await inWorld({ push }, async ({ origin }) => {
      answer = await (await fetch(`${origin}/i/nothing`)).text();
    });
    return answer.includes('This link leads to no invoice');
  };
  expect([await found(true), await found(false)]).toEqual([true, false]);
});
