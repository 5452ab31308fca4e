import { expect } from 'vitest';
import { formatAmount } from '../../src/i18n/texts.ts';
import { accountApi, serviceActions } from '../support/account-api.ts';
import { eventually } from '../support/eventually.ts';
import { journeysWith } from '../support/journey.ts';
import type { Person } from '../support/person.ts';
import { withPlainSpaces } from '../support/plain-spaces.ts';
import { buyEnergy, linkWithEvents, makeInvoice } from '../support/steps.ts';
import { ADDRESS, GUEST, HOLDER, type World } from '../support/world.ts';

const MERCHANT_ACCOUNT = 1002;
const OTHER = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';

async function order(world: World, person: Person): Promise<number> {
  await buyEnergy(person, 'Charged:');
  const [newest] = (await world.rental()).orders;
  return newest?.order_id ?? 0;
}

/** Links an account and creates orders, invoices and a Smart Mode subscription. Returns what `happen` acts on. */
async function settleDown(world: World, person: Person, apiKey: string) {
  await linkWithEvents(person, apiKey);
  const orders = [await order(world, person), await order(world, person)];
  await makeInvoice(person, { note: 'to be paid' });
  await makeInvoice(person, { note: 'to expire' });
  const { id } = await accountApi(world, apiKey)<{ id: number }>('POST', '/smart-mode/activate', {
    address: apiKey === 'demo-key' ? ADDRESS : OTHER,
  });
  return { orders, watched: id };
}

/** Causes all kinds of events of an account while the bot is down. */
async function happen(
  world: World,
  {
    account,
    apiKey,
    orders,
    watched,
    invoice,
  }: Awaited<ReturnType<typeof settleDown>> & {
    account: number;
    apiKey: string;
    invoice: number;
  },
): Promise<void> {
  const at = serviceActions(world, account);
  await at.deposit(`${account}.25`);
  await at.deposit(`${account}.75`, { confirm: false });
  await world.control('POST', `/rental/orders/${orders[0]}/fill`);
  await world.control('POST', `/rental/orders/${orders[1]}/fail`);
  await world.control('POST', `/rental/invoices/${invoice}/pay`, {});
  await world.control('POST', `/rental/invoices/${invoice}/delegate`, {});
  await world.control('POST', `/rental/smart-mode/${watched}/transfer`, { amount: '10' });
  await accountApi(world, apiKey)('POST', '/account/withdrawal', { to_address: ADDRESS, amount_trx: '7' });
  await at.event('promo.won', { prize: `P-${account}` });
}

/** Expected number of each text in a chat, by language. */
const TOLD = {
  en: (account: number): [part: string, times: number][] => [
    ['Paid and delivered', 1],
    ['✅ Delivered:', 1],
    ['Expired. Your customer', 1],
    ['Expired, not paid in full', 1],
    // The receipt and its reply, after the end of the rental.
    ['Bought and delivered', 2],
    ['Not delivered', 2],
    [`${formatAmount(`${account}.25`, 'en')} TRX credited`, 1],
    [`${formatAmount(`${account}.75`, 'en')} TRX is on its way`, 1],
    ['65,000 energy, fee', 1],
    ['7.00 TRX is being sent', 1],
    [`prize: P-${account}`, 1],
    ["Instant alerts aren't arriving", 0],
  ],
  ru: (account: number): [part: string, times: number][] => [
    ['Оплачен и доставлен', 1],
    ['Доставлено:', 1],
    ['Срок истёк. Покупатель', 1],
    ['Срок истёк, полной оплаты нет', 1],
    ['Куплено и доставлено', 2],
    ['Не доставлено', 2],
    [withPlainSpaces(`Зачислено ${formatAmount(`${account}.25`, 'ru')} TRX`), 1],
    [withPlainSpaces(`${formatAmount(`${account}.75`, 'ru')} TRX в пути`), 1],
    ['энергии, комиссия', 1],
    ['7,00 TRX отправляются', 1],
    [`prize — P-${account}`, 1],
  ],
};

const times = async (person: Person, part: string) =>
  (await person.messages()).filter(({ text = '', caption = '' }) => (text || caption).includes(part)).length;

journeysWith({ onRedis: true })(
  'notifies all users once of everything that happened during an hour of downtime',
  async (_person, world) => {
    const [one, other] = [world.person(HOLDER), world.person(GUEST)];
    const first = await settleDown(world, one, 'demo-key');
    const second = await settleDown(world, other, 'merchant-key');
    await other.say('/settings');
    await other.tapAndRead('Русский', 'Язык: русский');
    await world.settled();
    await world.stopApps();
    // After this time, lost events count as unreachable service reports, except during downtime.
    await world.advance(120);
    const expectTold = async () => {
      for (const [part, often] of TOLD.en(1001))
        expect([part, await times(one, part)]).toEqual([part, often]);
      for (const [part, often] of TOLD.ru(MERCHANT_ACCOUNT))
        expect([part, await times(other, part)]).toEqual([part, often]);
    };

    await happen(world, { ...first, account: 1001, apiKey: 'demo-key', invoice: 1 });
    await happen(world, { ...second, account: MERCHANT_ACCOUNT, apiKey: 'merchant-key', invoice: 3 });
    for (let minutes = 0; minutes < 61; minutes += 1) await world.advance(60);
    await world.startApps();
    await eventually(async () => {
      await world.advance(20);
      await expectTold();
    });
    await world.advance(3_600);
    await world.settled();
    // The bot notifies of this event after all waiting ones.
    await serviceActions(world).event('promo.started', { to: 'elsewhere' });
    await one.reads('promo.started');
    await expectTold();
  },
);
