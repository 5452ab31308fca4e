import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { serviceActions } from '../test/support/account-api.ts';
import { linkWithEvents, toCard } from '../test/support/steps.ts';
import { createWorld, GUEST, HOLDER, type World } from '../test/support/world.ts';

const USAGE = `Prints the source files and functions that an action executes, and how often V8 entered each. An async function is
entered again whenever it resumes.

  npm run trace -- confirm    from Confirm on the card of an energy purchase to the receipt
  npm run trace -- start      /start of a new user
  npm run trace -- menu       /start of an account holder
  npm run trace -- event      from a deposit event of the service to the notification
`;

const BACKGROUND_MS = 500;
const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Prepares an action in a world with a linked account. Returns the action. */
type Prepare = (world: World) => Promise<() => Promise<unknown>>;

const ACTIONS: Record<string, Prepare> = {
  async confirm(world) {
    const person = world.person(HOLDER);
    const card = await toCard(person);
    return async () => {
      await person.tap('Confirm');
      await person.shows(card, 'Bought');
    };
  },
  async start(world) {
    return async () => {
      const { message_id = 0 } = await world.person(GUEST).say('/start');
      await world.person(GUEST).reads('Energy and bandwidth on TRON', { message_id });
    };
  },
  async menu(world) {
    const person = world.person(HOLDER);
    return async () => {
      const { message_id = 0 } = await person.say('/start');
      await person.reads('Energy and bandwidth on TRON', { message_id });
    };
  },
  async event(world) {
    return async () => {
      await serviceActions(world).deposit('100');
      await world.person(HOLDER).reads('100.00 TRX credited');
    };
  },
};

/** Waits until the bot has handled all updates, and then for what it does in the background. */
async function settled(world: World): Promise<void> {
  while ((await world.control<number>('GET', '/telegram/pending')) > 0) await delay(50);
  await delay(BACKGROUND_MS);
}

async function trace(prepare: Prepare): Promise<void> {
  // Recurring work would run at the same time without being part of the action.
  const recurringWork = { every() {}, onEachReplica() {}, start() {}, async stop() {} };
  const world = await createWorld({ appOptions: { recurringWork } });
  await linkWithEvents(world.person(HOLDER));
  const act = await prepare(world);
  await settled(world);
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await act();
  await settled(world);
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  await world.abandon();

  let files = 0;
  for (const { url, functions } of result) {
    if (!url.startsWith('file:')) continue;
    const path = relative(ROOT, fileURLToPath(url));
    if (!path.startsWith('src/') || path.startsWith('src/sandbox/')) continue;
    const called = functions.flatMap(({ functionName, ranges: [range] }) =>
      functionName !== '' && functionName !== '__name' && range && range.count > 0
        ? [`${functionName} ×${range.count}`]
        : [],
    );
    if (called.length === 0) continue;
    files += 1;
    process.stdout.write(`${path}\n    ${called.join(', ')}\n`);
  }
  process.stdout.write(`${files} files outside the sandbox\n`);
}

const prepare = ACTIONS[process.argv[2] ?? ''];
if (prepare) await trace(prepare);
else process.stdout.write(USAGE);
process.exit(prepare ? 0 : 2);
