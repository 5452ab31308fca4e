import { expect } from 'vitest';
import { violationsOf } from '../support/axe.ts';
import { sharedBrowser } from '../support/browser.ts';
import { journeysWith } from '../support/journey.ts';
import type { Person } from '../support/person.ts';
import { codeNow, linkAccount, TARGET, toCard, toCode, toHeldCard, toHold } from '../support/steps.ts';
import { ADDRESS, ADMIN, GUEST, HOLDER, MERCHANT, type World } from '../support/world.ts';

/** Opens the cards of a withdrawal with 2FA, a deposit, history, Smart Mode, notifications and the webhook log. */
async function withCodes(person: Person): Promise<void> {
  await linkAccount(person, 'totp-key');
  const card = await toCode(person);
  await person.say(codeNow());
  await person.shows(card, 'Balance left');
  for (const [command, says] of [
    ['/deposit', 'Deposit'],
    ['/history', 'Withdrawal'],
    ['/smart', 'The service keeps'],
    ['/notifications', 'Notifications'],
    ['/webhooklog', 'Webhook log'],
  ] as const) {
    await person.ask(command, says);
  }
}

async function withoutCodes(person: Person, world: World): Promise<void> {
  await linkAccount(person);
  await toHold(person);
  await world.advance(600);
  await toHeldCard(person);
  await toCard(person);
}

/** Opens the cards and screens of daily use in Russian. */
async function inRussian(person: Person): Promise<void> {
  await person.say('/start');
  await person.tapAndRead('Привязать аккаунт', 'Пришлите API-ключ');
  await person.sayAndRead('merchant-key', 'Аккаунт привязан');
  await person.sayAndRead(`${ADDRESS} или ${TARGET}`, 'Какой нужен');
  await person.tap('1 · TR7NHq');
  await person.tap('Ещё действия');
  await person.tapAndRead('Сохранить с именем', 'Назовите этот адрес');
  await person.sayAndRead('Основной кошелёк', 'Сохранено как');
  await person.ask('/addresses', 'Ваши адреса');
  await person.tap('Основной кошелёк');
  await person.tap('Сделать основным');
  await person.sayAndRead(ADDRESS.replace('H', 'Н'), 'на 5-м месте');
  for (const [command, says] of [
    ['/addresses', 'Ваши адреса'],
    ['/settings', 'Настройки'],
    ['/packages', 'Пакеты'],
    ['/prices', 'TRX'],
    ['/privacy', 'Что я'],
    ['/forget', 'Стереть ваши данные'],
    ['/account', 'Баланс'],
    ['/help', '10.'],
  ] as const) {
    await person.ask(command, says);
  }
}

async function byInvoice(person: Person): Promise<void> {
  await person.say('/invoice');
  await person.sayAndRead(ADDRESS, 'Review and confirm');
  await person.tapAndRead('Create invoice', 'Pay ');
}

const itWithOperator = journeysWith({ config: { rentalApiKey: 'operator-key' } });

itWithOperator(
  'axe finds no violations in any card on the chat page, in each width and color scheme',
  async (_person, world) => {
    await withCodes(world.person(ADMIN));
    await withoutCodes(world.person(HOLDER), world);
    await byInvoice(world.person(GUEST));
    await inRussian(world.person(MERCHANT));
    const browser = await sharedBrowser();
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [1280, 390]) {
        const page = await browser.newPage({
          ...{ colorScheme, viewport: { width, height: 900 } },
          reducedMotion: 'reduce',
        });
        for (const person of [ADMIN, HOLDER, GUEST, MERCHANT]) {
          await page.goto(`${world.origin}/#${person}`);
          await page.reload();
          await page.getByRole('log').getByRole('button').last().waitFor();
          expect([colorScheme, width, person, await violationsOf(page)]).toEqual([
            colorScheme,
            width,
            person,
            [],
          ]);
        }
        await page.close();
      }
    }
  },
  // Renders every card in each width and color scheme.
);

itWithOperator("the page's hints link an account, make an invoice and pay it", async (_person, world) => {
  const [merchant, guest] = [world.person(MERCHANT), world.person(GUEST)];
  const page = await (await sharedBrowser()).newPage();
  await page.goto(`${world.origin}/#${MERCHANT}`);
  await page.getByRole('button', { name: 'Привязать demo-key' }).click();
  await merchant.reads('Аккаунт привязан');
  await page.goto(`${world.origin}/#${GUEST}`);
  await page.getByRole('button', { name: 'Paste a sample address' }).click();
  await guest.reads('Review and confirm');
  await guest.tapAndRead('Create invoice', 'Pay ');
  await page.getByRole('button', { name: 'Pay the invoice' }).click();
  await page.getByRole('button', { name: 'Pay the invoice' }).waitFor({ state: 'hidden' });
  await world.advance(3);
  await guest.reads('Paid. The energy is on its way.');
  await page.close();
});
