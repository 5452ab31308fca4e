import { expect, test } from 'vitest';
import { violationsOf } from '../support/axe.ts';
import { sharedBrowser } from '../support/browser.ts';
import type { Person } from '../support/person.ts';
import { linkAccount, toCard } from '../support/steps.ts';
import { codeNow, TARGET, toCode, toEnds } from '../support/withdrawing.ts';
import { ADDRESS, ADMIN, GUEST, HOLDER, inWorld, MERCHANT, type World } from '../support/world.ts';

/** Opens the cards of a withdrawal with 2FA, a deposit, history, Smart Mode, notifications and the webhook log. */
async function withCodes(person: Person): Promise<void> {
  await linkAccount(person, 'totp-key');
  const card = await toCode(person);
  await person.say(codeNow());
  await person.shows(card, 'Balance left');
  for (const [command, says] of [
    ['/deposit', 'Deposit'],
    ['/history', 'Withdrawal'],
    ['/smart', 'The service watches'],
    ['/notifications', 'I tell you'],
    ['/webhooklog', 'Webhook log'],
  ] as const) {
    const { message_id = 0 } = await person.say(command);
    await person.readsBelow({ message_id }, says);
  }
}

async function withoutCodes(person: Person, world: World): Promise<void> {
  await linkAccount(person);
  await toEnds(person);
  await person.say(TARGET.slice(-6));
  await person.reads('In 10 minutes');
  await world.advance(600);
  await person.tap('Show the card');
  await person.reads('Check before you confirm');
  await toCard(person);
}

/** Opens the cards and screens of daily use in Russian. */
async function inRussian(person: Person): Promise<void> {
  await person.say('/start');
  await person.tap('Привязать аккаунт');
  await person.reads('Жду ваш ключ');
  await person.say('merchant-key');
  await person.reads('Аккаунт привязан');
  await person.say(`${ADDRESS} или ${TARGET}`);
  await person.reads('Какой из них');
  await person.tap('1 · TR7NHq');
  await person.tap('Сохранить под именем');
  await person.reads('Как его назвать');
  await person.say('Основной кошелёк');
  await person.tap('Сделать основным');
  await person.say(ADDRESS.replace('H', 'Н'));
  await person.reads('кириллица');
  for (const [command, says] of [
    ['/addresses', 'Ваши адреса'],
    ['/settings', 'Настройки'],
    ['/packages', 'Пакеты'],
    ['/prices', 'TRX'],
    ['/privacy', 'Что я'],
    ['/forget', 'Забыть'],
    ['/account', 'Баланс'],
    ['/help', '10.'],
  ] as const) {
    const { message_id = 0 } = await person.say(command);
    await person.readsBelow({ message_id }, says);
  }
}

async function byInvoice(person: Person): Promise<void> {
  await person.say('/invoice');
  await person.say(ADDRESS);
  await person.tap('2');
  await person.tap('1 hour');
  await person.reads('Check before you confirm');
  await person.tap('Confirm');
  await person.reads('Pay ');
}

test('axe finds no violations in any card on the chat page, in each width and color scheme', () =>
  inWorld({ config: { rentalApiKey: 'operator-key' } }, async (world) => {
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
  }));
