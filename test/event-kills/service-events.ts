import { formatAmount } from '../../src/i18n/texts.ts';
import { addressOf, keyOf } from '../chaos/people.ts';
import { accountApi } from '../support/account-api.ts';
import { fixedPart } from '../support/locales.ts';
import type { ShownMessage } from '../support/person.ts';
import type { Random } from '../support/random.ts';
import { linkWithEvents, toCard } from '../support/steps.ts';
import type { Sandbox } from './sandbox.ts';

/** An event at an account, with a test for the messages that notify of it. */
export interface ServiceEvent {
  kind: string;
  chat: number;
  isNotification(message: ShownMessage): boolean;
  /** Matches a message that shows the event without a sound. It suffices if two notifications may have been sent. */
  isShown?(message: ShownMessage): boolean;
}

export type CreateServiceEvent = (chat: number) => Promise<ServiceEvent | undefined>;

const has = (part: string) => (message: ShownMessage) => message.text?.includes(part) === true;

/**
 * Prepares all kinds of events. Each event has a unique amount, address or number, so that its messages can be
 * counted.
 */
export async function prepareServiceEvents(
  sandbox: Sandbox,
  { orders, watched }: { orders: number; watched: number },
): Promise<Record<string, CreateServiceEvent>> {
  const { control, people, origin } = sandbox;
  const waiting = new Map<number, { order: number; receipt: number }[]>();
  const subscriptions = new Map<number, { id: number; address: string }[]>();
  let last = 0;

  async function prepare(person: Sandbox['people'][number]): Promise<void> {
    const { chat } = person;
    await linkWithEvents(person, keyOf(chat));
    const bought: { order: number; receipt: number }[] = [];
    for (let at = 0; at < orders; at++) {
      const card = await toCard(person, addressOf(`order ${at} of ${chat}`));
      await person.tap(fixedPart('button-confirm'));
      const { text = '' } = await person.shows(card, fixedPart('operation-price'));
      bought.push({
        order: Number(new RegExp(`${fixedPart('operation-order')} (\\d+)`).exec(text)?.[1]),
        receipt: card.message_id,
      });
    }
    waiting.set(chat, bought);
    const api = accountApi({ origin }, keyOf(chat));
    const kept: { id: number; address: string }[] = [];
    for (let at = 0; at < watched; at++) {
      const address = addressOf(`watched ${at} of ${chat}`);
      kept.push({ ...(await api<{ id: number }>('POST', '/smart-mode/activate', { address })), address });
    }
    subscriptions.set(chat, kept);
  }
  await Promise.all(people.map(prepare));

  return {
    async deposit(chat) {
      const amount = `${++last}.5`;
      await control('POST', `/rental/accounts/${chat}/deposit`, { amount });
      return { kind: 'deposit', chat, isNotification: has(`✅ ${formatAmount(amount, 'en')} TRX credited`) };
    },
    async unknown(chat) {
      const prize = `P-${++last}-P`;
      const event = { event_type: 'promo.won', data: { prize } };
      await control('POST', `/rental/accounts/${chat}/events`, event);
      return { kind: 'unknown type', chat, isNotification: has(prize) };
    },
    async order(chat) {
      const one = waiting.get(chat)?.pop();
      if (one === undefined) return undefined;
      await control('POST', `/rental/orders/${one.order}/fill`);
      return {
        kind: 'order',
        chat,
        // The receipt is edited in any case. The reply is left out after two kills while it was sent.
        isNotification: ({ reply_to }) => reply_to === one.receipt,
        isShown: (message) =>
          message.message_id === one.receipt && has(fixedPart('order-delivered'))(message),
      };
    },
    async smartMode(chat) {
      const one = subscriptions.get(chat)?.pop();
      if (one === undefined) return undefined;
      await control('POST', `/rental/smart-mode/${one.id}/transfer`, { amount: '10' });
      return {
        kind: 'Smart Mode',
        chat,
        isNotification: has(`${fixedPart('smart-mode-for')} ${one.address}`),
      };
    },
    async withdrawal(chat) {
      const amount_trx = `${++last}.25`;
      const wish = { to_address: addressOf(`withdrawal ${last}`), amount_trx };
      const api = accountApi({ origin }, keyOf(chat));
      // A withdrawal that the service rejected for its limits doesn't count.
      const made = await api('POST', '/account/withdrawal', wish).catch(() => undefined);
      if (made === undefined) return undefined;
      return {
        kind: 'withdrawal elsewhere',
        chat,
        isNotification: has(`⏳ ${formatAmount(amount_trx, 'en')} TRX is being sent`),
      };
    },
  };
}

/** Picks a kind of event at random, by weight. */
export function pickServiceEvent(
  eventCreators: Record<string, CreateServiceEvent>,
  random: Random,
  weights: Record<string, number>,
): CreateServiceEvent | undefined {
  const drawn = Object.entries(weights).flatMap(([name, weight]) =>
    Array.from({ length: weight }, () => name),
  );
  return eventCreators[random.pick(drawn) ?? ''];
}
