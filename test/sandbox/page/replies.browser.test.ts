import { expect } from 'vitest';
import { messageLog as log, testPage as test } from '../../support/chat-page.ts';

const HOLDER = 502;

test('shows the first line of the original message in a reply, as a link to it', async (chat) => {
  await chat.write(HOLDER, 'hello');
  const receipt = await chat.send(HOLDER, 'Bought\nOrder 7');
  for (let more = 0; more < 30; more += 1) await chat.send(HOLDER, `line ${more}`);
  await chat.send(HOLDER, 'It has arrived', { reply_parameters: { message_id: receipt } });
  const page = await chat.open(HOLDER);
  const quote = log(page).getByRole('button', { name: 'Bought' });
  await quote.waitFor();
  expect(await quote.textContent()).toBe('Bought');
  const original = log(page).getByText('Order 7');
  expect(await original.evaluate((node) => node.getBoundingClientRect().bottom < 0)).toBe(true);
  await quote.click();
  await expect.poll(() => original.evaluate((node) => node.getBoundingClientRect().top > 0)).toBe(true);
});
