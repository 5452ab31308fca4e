import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { formatAmount } from '../../src/i18n/texts.ts';
import { SECRET } from './identities.ts';
import type { Chat } from './person.ts';
import type { BoughtOrder, RentalStandIn } from './rental-stand-in.ts';
import { timesOf } from './walks.ts';

const CONNECTIONS = 200;
const CREDITED = /<b>([\d.,]+) TRX<\/b> credited/g;
const FILLED = /Order <b>(\d+)<\/b>.*Status: <b>delivered/s;

interface Pace {
  perSecond: number;
  patienceMs: number;
}

interface Posted {
  account: number;
  /** Name of the event in the message that reports it, as {@link namesIn} returns it. */
  name: string;
  event: string;
  data: object;
  /** Makes the event true at the service, just before it is posted. */
  happen?: () => void;
}

/** Posts events of the service about orders that were bought here and about deposits, each once. */
export function createEventPosting(deps: {
  rental: RentalStandIn;
  chatOf: (account: number) => Chat | undefined;
}) {
  const { rental, chatOf } = deps;
  const pools = new Map<string, Pool>();
  const orders: BoughtOrder[] = [];
  rental.onBought((order) => {
    if (rental.hookOf(order.account) !== undefined) orders.push(order);
  });

  async function send(account: number, event: string, data: object): Promise<number> {
    const { origin, pathname: path } = new URL(rental.hookOf(account) ?? '');
    const pool = pools.get(origin) ?? new Pool(origin, { connections: CONNECTIONS });
    pools.set(origin, pool);
    const body = JSON.stringify({ event, data, timestamp: new Date().toISOString() });
    const signature = createHmac('sha256', SECRET).update(body).digest('hex');
    const headers = { 'content-type': 'application/json', 'x-webhook-signature': signature };
    const answer = await pool.request({ method: 'POST', path, headers, body });
    await answer.body.dump();
    return answer.statusCode;
  }

  /** Posts events at this rate. Resolves once each was shown in its chat, or on timeout. */
  async function postAll(events: readonly Posted[], { perSecond, patienceMs }: Pace) {
    const sentAt = new Map<string, number>();
    const times: number[] = [];
    const answers: number[] = [];
    const statuses: Record<string, number> = {};
    let last = 0;
    for (const { account } of events) {
      const chat = chatOf(account);
      if (chat === undefined) continue;
      chat.watch = ({ html }) => {
        for (const name of namesIn(html)) {
          const sent = sentAt.get(name);
          if (sent === undefined) continue;
          sentAt.delete(name);
          last = performance.now();
          times.push(last - sent);
        }
      };
    }

    async function post({ account, name, event, data, happen }: Posted): Promise<void> {
      happen?.();
      const sent = performance.now();
      sentAt.set(name, sent);
      const status = await send(account, event, data).catch((error: Error) => error.message);
      answers.push(performance.now() - sent);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }

    const began = performance.now();
    const posting: Promise<void>[] = [];
    while (posting.length < events.length) {
      const due = 1 + Math.floor(((performance.now() - began) / 1000) * perSecond);
      for (const one of events.slice(posting.length, due)) posting.push(post(one));
      await delay(1);
    }
    await Promise.all(posting);
    const postedIn = (performance.now() - began) / 1000;
    const end = performance.now() + patienceMs;
    while (times.length < events.length && performance.now() < end) await delay(20);
    const seconds = (last - began) / 1000;
    return {
      ...{ count: events.length, statuses, unreported: events.length - times.length, postedIn, seconds },
      ...{ cards: timesOf(times), answers: timesOf(answers) },
    };
  }

  let deposited = 0;

  function filled({ account, ...data }: BoughtOrder): Posted {
    return { account, data, name: `order ${data.order_id}`, event: 'order.filled' };
  }

  function credited(account: number): Posted {
    deposited += 1;
    const amount = `${deposited}.5`;
    const data = {
      ...{ id: deposited, status: 'confirmed', currency: 'TRX', amount },
      created_at: new Date().toISOString(),
    };
    return {
      ...{ account, data, name: formatAmount(amount, 'en'), event: 'deposit.confirmed' },
      happen: () => rental.deposit(account, data),
    };
  }

  return {
    left: () => orders.length,
    /** Posts order events and waits until every receipt shows the delivery. */
    post: ({ count, ...pace }: Pace & { count: number }) =>
      postAll(orders.splice(0, count).map(filled), pace),
    /** Posts deposit events of all accounts in turn and waits until every chat has its notifications. */
    postDeposits({ count, ...pace }: Pace & { count: number }) {
      const accounts = rental.hooked();
      const events = Array.from({ length: count }, (_, at) => credited(accounts[at % accounts.length] ?? 0));
      return postAll(events, pace);
    },
    /** Posts both kinds: every eighth event is an order event while orders are left, the others are deposits. */
    postMixed({ count, ...pace }: Pace & { count: number }) {
      const accounts = rental.hooked();
      const events = Array.from({ length: count }, (_, at) => {
        const order = at % 8 === 0 ? orders.shift() : undefined;
        return order ? filled(order) : credited(accounts[at % accounts.length] ?? 0);
      });
      return postAll(events, pace);
    },
  };
}

/** Returns the names of the orders and deposits that a message reports. */
function namesIn(html: string): string[] {
  const [, order] = FILLED.exec(html) ?? [];
  const amounts = [...html.matchAll(CREDITED)].map(([, amount = '']) => amount);
  return order === undefined ? amounts : [`order ${order}`, ...amounts];
}
