import { expect } from 'vitest';
import { messageLog as log, testPage as test } from '../../support/chat-page.ts';
import { eventually } from '../../support/eventually.ts';

const HOLDER = 502;
const MERCHANT = 503;
/** Thursday 17 March 2022, 15:45 UTC. */
const UNIX = 1_647_531_900;

const time = (format: string, unix = UNIX) =>
  `until <tg-time unix="${unix}" format="${format}">22:45 tomorrow</tg-time>`;

test('shows a date in the reader’s time zone and the user’s language', async (chat) => {
  for (const person of [HOLDER, MERCHANT]) {
    await chat.write(person, '/start');
    for (const format of ['wDT', 'dt', '']) await chat.send(person, time(format));
  }
  const page = await chat.open(HOLDER, { timezoneId: 'Asia/Tokyo' });
  const words = log(page).locator('.theirs .text');
  await words.nth(2).waitFor();
  expect(await words.allTextContents()).toEqual([
    'until Friday, 18 March 2022, 00:45:00',
    'until 18/03/2022, 00:45',
    'until 22:45 tomorrow',
  ]);
  expect(await words.nth(2).locator('time').getAttribute('title')).toMatch(/Friday.* 18 March 2022 .*00:45/);

  await page.getByLabel('Talk as').selectOption(String(MERCHANT));
  await eventually(async () =>
    expect(await words.allTextContents()).toEqual([
      'until пятница, 18 марта 2022 г., 00:45:00',
      'until 18.03.2022, 00:45',
      'until 22:45 tomorrow',
    ]),
  );
});

test('updates a relative date with the sandbox’s clock', async (chat) => {
  await chat.write(HOLDER, '/start');
  const due = Math.floor(chat.sandbox.clock.now() / 1000) + 2 * 3600 + 600;
  await chat.send(HOLDER, time('r', due));
  const page = await chat.open(HOLDER);
  await log(page).getByText('until in 2 hours').waitFor();
  chat.sandbox.clock.advance(3600_000);
  await log(page).getByText('until in 1 hour').waitFor();
  chat.sandbox.clock.advance(2 * 3600_000 + 600_000);
  await log(page).getByText('until 1 hour ago').waitFor();
});
