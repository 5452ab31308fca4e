import { Hono } from 'hono';
import { createClock } from '../../src/sandbox/clock.ts';
import { createRentalSandbox } from '../../src/sandbox/rental/rental-sandbox.ts';
import { listen } from '../../src/sandbox/server.ts';
import { createTelegramSandbox } from '../../src/sandbox/telegram/telegram-sandbox.ts';
import { createFlood } from './flood.ts';
import { createForwarding } from './forwarding.ts';
import { createJournal } from './journal.ts';
import { accountOf, FIRST_PERSON, sandboxPerson, seedAccount, TOKEN } from './people.ts';

const FILL_AFTER_MS = 5_000;

/**
 * Runs the rental service and Telegram for many users in a separate process, and forwards requests to the bots like a
 * proxy.
 */
async function run(people: number): Promise<number> {
  const clock = createClock();
  const ids = Array.from({ length: people }, (_, at) => FIRST_PERSON + at);
  const rental = createRentalSandbox({
    clock,
    seed: { accounts: [...new Set(ids.map(accountOf))].map(seedAccount) },
    fillAfterMs: FILL_AFTER_MS,
  });
  const telegram = createTelegramSandbox({
    clock,
    token: TOKEN,
    limits: false,
    people: ids.map(sandboxPerson),
  });
  const journal = createJournal();
  const forwarding = createForwarding({ delivered: journal.delivered });
  const app = new Hono()
    .use('/api/v1/*', journal.money)
    .use('/telegram/*', journal.polls)
    .route('/api', rental.api)
    .route('/telegram', telegram.api)
    .route('/sandbox/rental', rental.control)
    .route('/sandbox/telegram', telegram.control)
    .route('/chaos/journal', journal.control)
    .route('/chaos/flood', createFlood(telegram))
    .route('/chaos/bots', forwarding.control)
    .route('/', forwarding.front);
  const { port } = await listen((request, env) => app.fetch(request, env), 0);
  return port;
}

// This process ends together with its parent.
process.once('disconnect', () => process.exit(0));
const port = await run(Number(process.argv[2]));
process.send?.(port);
