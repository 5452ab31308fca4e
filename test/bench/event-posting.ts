import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Chat } from './chat.ts';
import { timesOf } from './crowd.ts';
import { SECRET } from './identities.ts';
import type { BoughtOrder, RentalStandIn } from './rental-stand-in.ts';

const CONNECTIONS = 200;
const FILLED = /Order <b>(\d+)<\/b>.*Status: <b>filled/s;

/** The service tells of orders that were bought here, each once. */
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

  async function send({ account, ...data }: BoughtOrder): Promise<number> {
    const { origin, pathname: path } = new URL(rental.hookOf(account) ?? '');
    const pool = pools.get(origin) ?? new Pool(origin, { connections: CONNECTIONS });
    pools.set(origin, pool);
    const body = JSON.stringify({ event: 'order.filled', data, timestamp: new Date().toISOString() });
    const signature = createHmac('sha256', SECRET).update(body).digest('hex');
    const headers = { 'content-type': 'application/json', 'x-webhook-signature': signature };
    const answer = await pool.request({ method: 'POST', path, headers, body });
    await answer.body.dump();
    return answer.statusCode;
  }

  return {
    left: () => orders.length,
    /** Posts at this pace; resolves once every card says that its order has arrived, or patience is over. */
    async post({ perSecond, count, patienceMs }: { perSecond: number; count: number; patienceMs: number }) {
      const now = orders.splice(0, count);
      const sentAt = new Map<number, number>();
      const cards: number[] = [];
      const answers: number[] = [];
      const statuses: Record<string, number> = {};
      let lastCard = 0;
      for (const { account } of now) {
        const chat = chatOf(account);
        if (chat === undefined) continue;
        chat.watch = ({ html }) => {
          const order = Number(FILLED.exec(html)?.[1]);
          const sent = sentAt.get(order);
          if (sent === undefined) return;
          sentAt.delete(order);
          lastCard = performance.now();
          cards.push(lastCard - sent);
        };
      }

      async function post(order: BoughtOrder): Promise<void> {
        const sent = performance.now();
        sentAt.set(order.order_id, sent);
        const status = await send(order).catch((error: Error) => error.message);
        answers.push(performance.now() - sent);
        statuses[status] = (statuses[status] ?? 0) + 1;
      }

      const began = performance.now();
      const posting: Promise<void>[] = [];
      while (posting.length < now.length) {
        const due = 1 + Math.floor(((performance.now() - began) / 1000) * perSecond);
        for (const order of now.slice(posting.length, due)) posting.push(post(order));
        await delay(1);
      }
      await Promise.all(posting);
      const end = performance.now() + patienceMs;
      while (cards.length < now.length && performance.now() < end) await delay(20);
      const seconds = (lastCard - began) / 1000;
      const postedIn = (performance.now() - began) / 1000;
      return {
        ...{ count: now.length, statuses, untold: now.length - cards.length, postedIn, seconds },
        ...{ cards: timesOf(cards), answers: timesOf(answers) },
      };
    },
  };
}
